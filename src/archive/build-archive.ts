/**
 * Source → archive: plan, paint what is not painted yet, and hold the plan against what was really encoded.
 *
 * The one implementation behind the first pass and every later one. Every page is derived from the source each time;
 * an earlier pass gives its layout, which is kept while it fits, and its frames, which save painting.
 */

import { base64Bytes } from '../billing/base64-bytes.js';
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { SnapcompactError } from '../errors.js';
import { EDGE_PAGES, type Tiers } from '../page/foveate.js';
import { pageFormat } from '../page/page-format.js';
import type { Reader } from '../page/readers.js';
import { getShape } from '../page/shapes.js';
import type { Elision } from '../text/print.js';
import { type Segment, segmentChars } from '../text/segment.js';
import {
  ARCHIVE_SCHEMA,
  type Archive,
  type ArchivedFrame,
  type ArchiveSettings,
  type ArchiveSource,
  type Cost,
  type Counts,
  type Part,
} from './archive.js';
import type { Budget } from './budget.js';
import { besideTokens } from './context-blocks.js';
import { EntryFinder } from './entry-finder.js';
import { extractFacts, type Factsheet } from './factsheet.js';
import { type MiddlePage, pixelsOf } from './middle.js';
import { type Painted, type PaintOptions, paintPages } from './paint-pages.js';
import { bindingOf, jsonBytes, type Layout, planSegments, type SegmentPlan } from './plan.js';

export interface BuildInput {
  readonly segments: readonly Segment[];
  /** What the bound of the source left out, in this pass and before. */
  readonly sourceElisions: readonly Elision[];
  readonly messages: number;
  readonly reader: Reader;
  readonly settings: ArchiveSettings;
  readonly budget: Budget;
  readonly source?: ArchiveSource | undefined;
  readonly overrides?: BillingOverrides | undefined;
  /** The archive before this pass. */
  readonly previous?: Archive | undefined;
}

/** Base64 bytes for a pixel: a little more than full frames of real transcripts with grey tool output took. */
export const ASSUMED_BYTES_PER_PIXEL = 0.051;

/** Plans alone. Throws `over-budget`. */
export function planBuild(input: BuildInput, bytesPerPixel = ASSUMED_BYTES_PER_PIXEL): Promise<SegmentPlan> {
  const { segments, reader, settings, budget, overrides } = input;
  return planSegments({
    segments,
    reader,
    tiers: tiersOf(reader),
    caps: settings.caps,
    pins: settings.pins,
    budget,
    bytesPerPixel,
    overrides,
    previous: layoutToKeep(input),
  });
}

/**
 * Plans and paints. Where bytes decide, the plan is made once more with those that were encoded. Throws `over-budget`,
 * `nothing-gained`, `worker-failed`, `interrupted`.
 */
export async function buildArchive(
  input: BuildInput,
  options: Omit<PaintOptions, 'mime' | 'stored'>,
): Promise<Archive> {
  const stored = input.previous?.frames ?? [];
  const first = await pass(input, options, stored, ASSUMED_BYTES_PER_PIXEL);
  const { plan, painted } = first;
  if (!bytesDecide(input.budget, plan, painted)) return assemble(input, first);
  const known = [...stored, ...archivedFrames(plan, painted, input)];
  return assemble(input, await pass(input, options, known, measuredBytes(plan, painted)));
}

/** A plan with everything made that it needs. */
interface Pass {
  readonly plan: SegmentPlan;
  readonly painted: readonly Painted[];
  readonly factsheet: Factsheet;
}

async function pass(
  input: BuildInput,
  options: Omit<PaintOptions, 'mime' | 'stored'>,
  stored: readonly ArchivedFrame[],
  bytesPerPixel: number,
): Promise<Pass> {
  const plan = await planBuild(input, bytesPerPixel);
  checkGain(input.budget, plan);
  const pages = framesOf(plan);
  const painting = paintPages(pages, { ...options, mime: input.settings.mime, stored });
  // While others paint.
  const factsheet = extractFacts(
    pages.map(({ page }) => page.text),
    { tokenizer: input.reader.tokenizer },
  );
  return { plan, painted: await painting, factsheet };
}

export function tiersOf(reader: Reader): Tiers {
  const hq = pageFormat(getShape(reader.shape), reader.frame);
  const { dense } = hq.shape;
  return dense === null ? { hq } : { hq, lq: pageFormat(getShape(dense), reader.frame) };
}

/** The layout of the pass before, unless something else than the source changed what is printed. */
function layoutToKeep({ previous, reader, settings }: BuildInput): Layout | undefined {
  if (previous === undefined) return undefined;
  const printing = ({ reasoning, caps, pins }: ArchiveSettings, { shape, frame }: Reader) =>
    JSON.stringify([reasoning, caps, pins, shape, frame]);
  const isSame = printing(settings, reader) === printing(previous.settings, previous.reader);
  return isSame ? previous.layout : undefined;
}

function framesOf({ middle }: SegmentPlan): MiddlePage[] {
  return middle.pages.filter((page) => page.as === 'frame');
}

/** Of base64, on the frame that needs the most; frames of a few rows, which are mostly file head, aside. */
function measuredBytes(plan: SegmentPlan, painted: readonly Painted[]): number {
  const pages = framesOf(plan).map(({ page, format }) => pixelsOf(page, format));
  const largest = Math.max(...pages);
  const rates = pages.map((pixels, i) =>
    pixels < largest / 2 ? 0 : base64Bytes(painted[i]!.data.length) / pixels,
  );
  return Math.max(...rates) * 1.02;
}

function totalBase64(painted: readonly Painted[]): number {
  return painted.reduce((sum, { data }) => sum + base64Bytes(data.length), 0);
}

function bytesDecide({ bytes }: Budget, { middle }: SegmentPlan, painted: readonly Painted[]): boolean {
  if (bytes === null || painted.length === 0) return false;
  const isTight = middle.caps[0]!.limit === 'bytes' && middle.wholePages > middle.caps[0]!.frames;
  return isTight || totalBase64(painted) > bytes;
}

function checkBytes({ budget, reader }: BuildInput, plan: SegmentPlan, painted: readonly Painted[]): void {
  const texts = [plan.head, plan.tail, plan.pins, plan.live, ...pageTexts(plan)];
  const bytes = texts.reduce((sum, { text }) => sum + jsonBytes(text), totalBase64(painted));
  if (budget.bytes !== null && bytes > budget.bytes) throw tooManyBytes(bytes, budget.bytes);
  const limit = reader.limits.imageBytes;
  const largest = Math.max(0, ...painted.map(({ data }) => base64Bytes(data.length)));
  if (limit !== null && largest > limit) throw tooManyBytes(largest, limit);
}

function pageTexts({ middle }: SegmentPlan): { text: string }[] {
  return middle.pages.flatMap((page) => (page.as === 'text' ? [{ text: page.page.text }] : []));
}

function assemble(input: BuildInput, { plan, painted, factsheet }: Pass): Archive {
  checkBytes(input, plan, painted);
  const { reader, settings, budget, source, segments, sourceElisions } = input;
  const frames = archivedFrames(plan, painted, input);
  const archive = {
    schema: ARCHIVE_SCHEMA,
    ...(source && { source }),
    reader,
    settings,
    budget,
    layout: plan.layout,
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
  plan: SegmentPlan,
  painted: readonly Painted[],
  { segments, reader, overrides, previous }: BuildInput,
): ArchivedFrame[] {
  // Counted before, for the same page and the same vocabulary.
  const isSameCount =
    previous?.reader.tokenizer === reader.tokenizer && overrides?.charsPerToken === undefined;
  const counted = new Map(
    isSameCount ? previous.frames.map((frame) => [frame.pageSha256, frame.textTokens]) : [],
  );
  const textTokens = (text: string, digest: string) =>
    counted.get(digest) ?? estimateTextTokens(text, reader.tokenizer, overrides);
  const { pages, printed } = plan.middle;
  const entries = new EntryFinder(printed.spans, segments);
  const sealedPages = pages.length - EDGE_PAGES;
  const places = pages.map((page, place) => ({ ...page, place })).filter((page) => page.as === 'frame');
  return places.map(({ page, tier, format, place }, index) => {
    const { mime, widthPx, heightPx, bitDepth, sha256, pageSha256, data } = painted[index]!;
    return {
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
      textTokens: textTokens(page.text, pageSha256),
      text: page.text,
      dim: page.dim,
      data,
    };
  });
}

function partsOf({ head, middle, tail }: SegmentPlan): Part[] {
  let frame = 0;
  const text = (role: 'head' | 'page' | 'tail', content: string): Part[] =>
    content === '' ? [] : [{ type: 'text', role, text: content }];
  return [
    ...text('head', head.text),
    ...middle.pages.flatMap((page): Part[] =>
      page.as === 'frame'
        ? [{ type: 'frame', frame: frame++ }]
        : text('page', page.page.text.replaceAll('█', '\n')),
    ),
    ...text('tail', tail.text),
  ];
}

function countsOf(
  { segments, messages, sourceElisions }: BuildInput,
  plan: SegmentPlan,
  frames: readonly ArchivedFrame[],
): Counts {
  const kept = segments.reduce((sum, segment) => sum + segmentChars(segment), 0);
  return {
    messages,
    segments: segments.length,
    sourceChars: kept + sourceElisions.reduce((sum, { chars }) => sum + chars, 0),
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

/** Nothing is saved that is not smaller than what it replaces. */
function checkGain({ onlyIfSmaller }: Budget, plan: SegmentPlan): void {
  if (!onlyIfSmaller) return;
  const { tokens, replacedTokens } = plan;
  const hasFrames = plan.middle.pages.some((page) => page.as === 'frame');
  if (hasFrames && tokens < replacedTokens) return;
  throw new SnapcompactError('nothing-gained', {
    expected: `fewer than ${replacedTokens} tokens, those of the history as text`,
    of: 'the archive',
    got: hasFrames ? `${tokens}` : `no frames: all of it is better kept as text, ${tokens} tokens`,
    hint: 'archive more at once, or leave the check out (option onlyIfSmaller)',
  });
}

function tooManyBytes(bytes: number, limit: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${limit} bytes`,
    of: 'the encoded archive',
    got: String(bytes),
    hint: 'raise --max-bytes (option maxBytes)',
  });
}
