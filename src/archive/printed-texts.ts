/**
 * Where the source of an archive stands in what it prints.
 *
 * That is not stored: the source is printed again and held against the pages, so that a page never stands for another
 * text.
 */
import { SnapcompactError } from '../errors.js';
import { pageFormat } from '../page/page-format.js';
import { getShape } from '../page/shapes.js';
import { printInTurns, type Treatment } from '../text/print.js';
import type { SegmentSpan } from '../text/printed-text.js';
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
    await printedTail(archive),
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

export async function printedMiddle(archive: Archive): Promise<Printed> {
  const text = archive.parts
    .map((part) => {
      if (part.type === 'frame') return archive.frames[part.frame]!.text;
      return part.role === 'page' ? part.text.replaceAll('\n', '█') : '';
    })
    .join('');
  const { headEnd, tailStart } = archive.layout;
  const printed = await print(archive, headEnd, { to: tailStart, treatment: treatmentOf(archive) });
  if (printed.text !== text) throw otherText();
  return printed;
}

async function printedTail(archive: Archive): Promise<Printed> {
  const { segments, layout, settings, live } = archive;
  const ruled = pinnedSegments(segments, settings.pins);
  const request = live === '' ? undefined : liveRequest(segments);
  const treatment = (index: number) => (ruled.has(index) || request?.indices.has(index) ? 'pin' : undefined);
  const printed = await print(archive, layout.tailStart, { verbatim: true, treatment });
  if (printed.text !== textOf(archive, 'tail')) throw otherText();
  return printed;
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
