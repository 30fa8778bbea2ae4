/** Plan and painted frames → archive, with the account of both. */
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { EDGE_PAGES } from '../page/foveate.js';
import { beyondBound, boundedChars } from '../text/elision.js';
import {
  ARCHIVE_SCHEMA,
  type Archive,
  type ArchivedFrame,
  type Cost,
  type Counts,
  type Part,
} from './archive.js';
import type { BuildInput } from './build-archive.js';
import { besideTokens } from './context-blocks.js';
import { EntryFinder } from './entry-finder.js';
import type { Factsheet } from './factsheet.js';
import { pageText } from './middle-page.js';
import { type PageFigures, rememberFigures } from './page-figures.js';
import type { Painted } from './paint-pages.js';
import { bindingOf, type SegmentPlan } from './plan.js';
import { sealOf } from './seal.js';

/** A plan with everything made that it needs. */
export interface Pass {
  readonly plan: SegmentPlan;
  readonly painted: readonly Painted[];
  /** For each frame. */
  readonly figures: readonly PageFigures[];
  readonly factsheet: Factsheet;
}

export function assemble(input: BuildInput, made: Pass): Archive {
  const { reader, settings, budget, source, segments, sourceElisions } = input;
  const { plan, factsheet } = made;
  const frames = archivedFrames(made, input);
  const archive = {
    schema: ARCHIVE_SCHEMA,
    ...(source && { source }),
    reader,
    settings,
    budget,
    layout: { ...plan.layout, sealed: sealOf(plan.head.text, plan.middle) },
    segments,
    parts: partsOf(plan),
    frames,
    pins: plan.pins.text,
    live: plan.live.text,
    factsheet,
    elisions: [...sourceElisions, ...plan.elisions],
    scopes: plan.scopes,
    binding: bindingOf(plan.middle),
    counts: countsOf(input, plan, frames),
  };
  return { ...archive, cost: costOf(archive, plan, input.overrides) };
}

function archivedFrames(
  { plan, painted, figures }: Pass,
  { segments, reader: { tokenizer }, overrides }: BuildInput,
): ArchivedFrame[] {
  const { pages, printed } = plan.middle;
  const entries = new EntryFinder(printed.spans, segments);
  const sealedPages = pages.length - EDGE_PAGES;
  const places = pages.map((page, place) => ({ ...page, place })).filter((page) => page.as === 'frame');
  return places.map(({ page, tier, format, place }, index) => {
    const { mime, widthPx, heightPx, bitDepth, sha256, pageSha256, data } = painted[index]!;
    const frame: ArchivedFrame = {
      index,
      shape: format.shape.id,
      tier,
      mime,
      widthPx,
      heightPx,
      bitDepth,
      sha256,
      pageSha256,
      span: page.source,
      entries: { first: entries.at(page.source.from), last: entries.at(page.source.to - 1) },
      sealed: place < sealedPages,
      textTokens: figures[index]!.textTokens,
      text: page.text,
      dim: page.dim,
      data,
    };
    rememberFigures(frame, figures[index]!, { tokenizer, overrides });
    return frame;
  });
}

function partsOf({ head, middle, tail }: SegmentPlan): Part[] {
  let frame = 0;
  const text = (role: 'head' | 'page' | 'tail', content: string): Part[] =>
    content === '' ? [] : [{ type: 'text', role, text: content }];
  return [
    ...text('head', head.text),
    ...middle.pages.flatMap((page): Part[] =>
      page.as === 'frame' ? [{ type: 'frame', frame: frame++ }] : text('page', pageText(page.page)),
    ),
    ...text('tail', tail.text),
  ];
}

function countsOf(
  { segments, messages }: BuildInput,
  plan: SegmentPlan,
  frames: readonly ArchivedFrame[],
): Counts {
  const sourceChars = segments.reduce(
    (sum, segment) => sum + boundedChars(segment) + beyondBound(segment),
    0,
  );
  return {
    messages,
    segments: segments.length,
    sourceChars,
    printedChars: plan.printedChars,
    framedChars: frames.reduce((sum, { text }) => sum + text.length, 0),
    frames: frames.length,
    openFrames: frames.filter(({ sealed }) => !sealed).length,
    bytes: frames.reduce((sum, { data }) => sum + data.length, 0),
    spelled: plan.spelled,
    dropped: plan.droppedControls,
  };
}

function costOf(
  archive: Omit<Archive, 'cost'>,
  plan: SegmentPlan,
  overrides: BillingOverrides | undefined,
): Cost {
  const { frames, reader } = archive;
  const imageTokens = frames.reduce(
    (sum, frame) => sum + estimateImageTokens(reader.billing, frame).tokens,
    0,
  );
  const textTokens = frames.reduce((sum, frame) => sum + frame.textTokens, 0);
  const beside = besideTokens(archive, overrides);
  return {
    imageTokens,
    textTokens,
    savedTokens: textTokens - imageTokens,
    besideTokens: beside,
    totalTokens: imageTokens + beside,
    replacedTokens: plan.replacedTokens,
  };
}
