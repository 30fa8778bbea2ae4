/**
 * Where the source of an archive stands in what it prints.
 *
 * That is not stored: the source is printed again and held against the pages, so that a page never stands for another
 * text.
 */
import { SnapcompactError } from '../errors.js';
import { pageFormat } from '../page/page-format.js';
import { getShape } from '../page/shapes.js';
import { printInTurns, type SegmentSpan, type Treatment } from '../text/print.js';
import type { Archive } from './archive.js';
import { treatments } from './degrade.js';
import { type Position, regionOf, START } from './edges.js';
import { liveRequest, pinnedSegments } from './pins.js';

/** A text that the archive prints, and where segments of the source stand in it. */
export interface Printed {
  readonly text: string;
  readonly spans: readonly SegmentSpan[];
}

/** Everything that the archive prints, in its order. */
export async function printedTexts(archive: Archive, middle: Printed): Promise<Printed[]> {
  const { segments, live } = archive;
  const request = live === '' ? undefined : liveRequest(segments);
  const spans = request === undefined ? [] : [{ segment: request.segment, from: 0, to: live.length }];
  const texts = [
    await printedHead(archive),
    middle,
    await printedTail(archive, middle),
    await printedPins(archive),
    { text: live, spans },
  ];
  return texts.filter(({ text }) => text !== '');
}

async function printedHead(archive: Archive): Promise<Printed> {
  const { segments, settings, layout } = archive;
  const ruled = pinnedSegments(segments, settings.pins);
  const treatment = (index: number) => (ruled.has(index) ? 'pin' : undefined);
  const { text, spans } = await print(archive, START, { to: layout.headEnd, verbatim: true, treatment });
  if (text !== textOf(archive, 'head')) throw otherText();
  return { text, spans };
}

/** Pages as they are stored. Where they end is known by their length: what comes behind them prints behind them. */
export async function printedMiddle(archive: Archive): Promise<Printed> {
  const text = archive.parts
    .map((part) => {
      if (part.type === 'frame') return archive.frames[part.frame]!.text;
      return part.role === 'page' ? part.text.replaceAll('\n', '█') : '';
    })
    .join('');
  if (text === '') return { text, spans: [] };
  const printed = await print(archive, archive.layout.headEnd, { treatment: treatmentOf(archive) });
  const spans = printed.spans.filter(({ from }) => from < text.length);
  // A segment that is cut there may print otherwise up to the cut: what combines with what follows, for one.
  const sure = Math.min(text.length, spans.at(-1)?.from ?? 0);
  if (!printed.text.startsWith(text.slice(0, sure))) throw otherText();
  return { text, spans };
}

/**
 * Where the tail starts is not stored either: its text is the end of what the segments behind the middle print as text,
 * the first of them maybe in part.
 */
async function printedTail(archive: Archive, middle: Printed): Promise<Printed> {
  const text = textOf(archive, 'tail');
  if (text === '') return { text, spans: [] };
  const { headEnd } = archive.layout;
  const last = middle.spans.at(-1);
  const isCut = last !== undefined && last.to > middle.text.length;
  const first = last === undefined ? headEnd.segment : last.segment + (isCut ? 0 : 1);
  const start = first === headEnd.segment ? headEnd : { segment: first, unit: 0 };
  const printed = await print(archive, start, { verbatim: true, treatment: tailTreatment(archive) });
  const before = printed.text.length - text.length;
  const spans = printed.spans.map(({ segment, from, to }) => {
    // Both print the same header before the segment that is cut.
    const isFirst = isCut && segment === first;
    return { segment, from: isFirst ? from : from - before, to: to - before };
  });
  const whole = spans.find(({ segment }) => !isCut || segment > first);
  if (whole && !printed.text.endsWith(text.slice(whole.from))) throw otherText();
  return { text, spans };
}

/** As in the middle, but the newest request is pointed to. */
function tailTreatment(archive: Archive): (index: number) => Treatment | undefined {
  const { segments, live } = archive;
  const request = live === '' ? undefined : liveRequest(segments);
  const treatment = treatmentOf(archive);
  return (index) => {
    const isLive = request && index >= request.segment && segments[index]!.entryId === request.entryId;
    return isLive ? 'pin' : treatment(index);
  };
}

async function printedPins(archive: Archive): Promise<Printed> {
  const { segments, layout, settings, pins: text } = archive;
  if (text === '') return { text, spans: [] };
  const ruled = pinnedSegments(segments, settings.pins);
  const treatment = treatmentOf(archive);
  const indices = [...segments.keys()].filter(
    (index) => ruled.has(index) || (index >= layout.headEnd.segment && treatment(index) === 'pin'),
  );
  const max = Number.MAX_SAFE_INTEGER;
  const pinned = await printInTurns(
    indices.map((index) => segments[index]!),
    {
      coverage: () => 1,
      verbatim: true,
      caps: { outputChars: max, argumentChars: max, callChars: max },
    },
  );
  if (pinned.text !== text) throw otherText();
  return { text, spans: pinned.spans.map((span) => ({ ...span, segment: indices[span.segment]! })) };
}

function textOf({ parts }: Archive, role: 'head' | 'tail'): string {
  const part = parts.find((each) => each.type === 'text' && each.role === role);
  return part?.type === 'text' ? part.text : '';
}

/** What the middle makes of each segment: user turns out of the pages are among the pins by the last step alone. */
function treatmentOf({ segments, settings, layout }: Archive): (index: number) => Treatment | undefined {
  return treatments(segments, layout.degradation, pinnedSegments(segments, settings.pins));
}

interface PrintRequest {
  /** Default: the end. */
  readonly to?: Position;
  readonly verbatim?: boolean;
  readonly treatment: (index: number) => Treatment | undefined;
}

function print({ segments, reader, settings }: Archive, from: Position, request: PrintRequest) {
  const { to = { segment: segments.length, unit: 0 }, verbatim = false, treatment } = request;
  const region = regionOf(segments, from, to);
  const { coverage } = pageFormat(getShape(reader.shape), reader.frame);
  const { firstIndex } = region;
  return printInTurns(region.segments, { coverage, caps: settings.caps, verbatim, firstIndex, treatment });
}

function otherText(): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: 'what its source prints',
    of: 'an archive',
    got: 'pages of another text',
    hint: 'rearchive prints it anew; entries and the whole are given all the same, but not as printed',
  });
}
