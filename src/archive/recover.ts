/**
 * Exact text back out of an archive: from its source, whatever caps, folds and pages made of it, or as it was printed.
 *
 * Where the source lies in the printed text is not stored: it is printed again and held against the pages, so that a
 * page never stands for another text.
 */
import { SnapcompactError } from '../errors.js';
import { nearNames } from '../near-names.js';
import { layPage } from '../page/layout.js';
import { type PageFormat, pageFormat } from '../page/page-format.js';
import { getShape } from '../page/shapes.js';
import { withoutNoteSigns } from '../text/note.js';
import { type Elision, printInTurns, type SegmentSpan, type Span, type Treatment } from '../text/print.js';
import type { Scope, Segment } from '../text/segment.js';
import type { Archive, ArchivedFrame } from './archive.js';
import { treatments } from './degrade.js';
import { type Position, regionOf, START } from './edges.js';
import { liveRequest, pinnedSegments } from './pins.js';

/** What to recover: an entry, or what a frame or some of its rows show; all of it by default. */
export interface RecoverQuery {
  /** Id of an entry of the transcript. */
  readonly entry?: string;
  /** 1-based, as the files are named. */
  readonly frame?: number;
  /** Of `frame`. */
  readonly rows?: RowRange;
}

/** 1-based, both inclusive. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export interface RecoverOptions {
  /** The text as frames and text around them print it, instead of the source. Default false. */
  readonly asPrinted?: boolean;
  /** With `asPrinted`: line breaks where a page prints `█`. Default false. */
  readonly lines?: boolean;
}

export interface RecoveredText {
  /**
   * The texts of all pieces joined by line breaks. As printed: the text of the frame, of the rows without a break between
   * them, of the stretches of the entry joined by line breaks, or of all parts.
   */
  readonly text: string;
  readonly pieces: readonly RecoveredPiece[];
  /** What the pieces lack: of their source what was beyond its bound; as printed also what was cut or found no room. */
  readonly missing: readonly Elision[];
}

/** One segment, or as printed the stretch of it that stands in one place. */
export interface RecoveredPiece {
  readonly entryId: string;
  readonly scope: Scope;
  readonly part: Segment['part'];
  /** A call: its name, then `key: value` on lines of their own, values as they are, and `//` before its intent. */
  readonly text: string;
  /** Of the tool, for a call and for an output that states it. */
  readonly name?: string;
  readonly agent?: string;
  /** What put the text there, when its role did not. */
  readonly injected?: string;
  /** Of a call, apart from each other. */
  readonly args?: readonly { readonly key?: string; readonly text: string }[];
}

/**
 * Recovers text; the archive is not changed. Throws `usage` for an entry, frame or row that does not exist, and
 * `broken-input` when frames do not show what their source prints.
 */
export async function recoverText(
  archive: Archive,
  query: RecoverQuery = {},
  options: RecoverOptions = {},
): Promise<RecoveredText> {
  const place = placeOf(archive, query);
  if (options.asPrinted) return asPrinted(archive, place, options);
  const indices = await segmentsAt(archive, place);
  const pieces = indices.map((index) => pieceOf(archive.segments[index]!));
  const missing = elisionsOf(archive, indices).filter(({ reason }) => reason === 'source');
  return { text: pieces.map(({ text }) => text).join('\n'), pieces, missing };
}

/** A query that was found to be right; a page is named by its units in the printed middle. */
type Place = { readonly entry: string } | { readonly page: Span } | 'whole';

function placeOf(archive: Archive, { entry, frame, rows }: RecoverQuery): Place {
  if (entry !== undefined && frame !== undefined) {
    throw wrong('an entry or a frame', 'the text to recover', 'both');
  }
  if (rows !== undefined && frame === undefined)
    throw wrong('a frame', 'the rows to recover', 'rows without it');
  if (entry !== undefined) return entryOf(archive, entry);
  if (frame === undefined) return 'whole';
  const found = archive.frames[frame - 1];
  if (found === undefined) {
    const { length } = archive.frames;
    throw wrong(length === 0 ? 'an archive with frames' : `1 to ${length}`, 'the frame', String(frame));
  }
  return { page: rows === undefined ? found.span : rowSpan(archive, found, rows) };
}

function entryOf({ segments }: Archive, entry: string): Place {
  if (segments.some(({ entryId }) => entryId === entry)) return { entry };
  const ids = [...new Set(segments.map(({ entryId }) => entryId))];
  const near = nearNames(entry, ids);
  throw wrong(
    ids.length === 0 ? 'an archive with entries' : `one of ${ids.length}, from ${ids[0]} to ${ids.at(-1)}`,
    'the entry',
    entry,
    near.length === 0 ? undefined : `did you mean ${near.join(', ')}?`,
  );
}

function rowSpan({ reader }: Archive, frame: ArchivedFrame, { from, to }: RowRange): Span {
  const rows = pageRows(frame.text, pageFormat(getShape(frame.shape), reader.frame));
  const areRows = Number.isInteger(from) && Number.isInteger(to) && from >= 1 && from <= to;
  if (!areRows || to > rows.length) {
    throw wrong(`1 to ${rows.length}`, `the rows of frame ${frame.index + 1}`, `${from} to ${to}`);
  }
  const unitsBefore = (row: number) => rows.slice(0, row).reduce((sum, { length }) => sum + length, 0);
  const start = frame.span.from;
  return { from: start + unitsBefore(from - 1), to: start + unitsBefore(to) };
}

/** The first slot that `layPage` does not write by itself. */
const FIRST_SLOT = 4;

/**
 * The text of each row that a page uses, the same as `decodeFrame` reads there; joined they are the page's text. Linear.
 */
export function pageRows(text: string, format: PageFormat): string[] {
  const { geometry } = format;
  const cells = new Uint32Array(geometry.capacityCells);
  // In place of a glyph each cell gets the number of its character, two apart: the second cell of a wide one is between.
  const units: number[] = [];
  let unit = 0;
  const slotOf = (codePoint: number) => {
    units.push(unit);
    unit += codePoint > 0xffff ? 2 : 1;
    return FIRST_SLOT + 2 * (units.length - 1);
  };
  const { usedCells } = layPage(text, 0, geometry, format, { cells, dim: [], slotOf });
  const rows = Math.ceil(usedCells / geometry.columnsCells);
  const starts = Array.from({ length: rows }, (_, row) => {
    return units[(cells[row * geometry.columnsCells]! - FIRST_SLOT) / 2]!;
  });
  return starts.map((start, row) => text.slice(start, starts[row + 1]));
}

async function segmentsAt(archive: Archive, place: Place): Promise<number[]> {
  const { segments } = archive;
  if (place === 'whole') return [...segments.keys()];
  if ('entry' in place) return [...segments.keys()].filter((i) => segments[i]!.entryId === place.entry);
  const { spans } = await printedMiddle(archive);
  return within(spans, place.page).map(({ segment }) => segment);
}

function pieceOf(segment: Segment): RecoveredPiece {
  if (segment.part !== 'call') return { ...described(segment), text: withoutNoteSigns(segment.text) };
  const args = segment.args.map(({ key, text }) => ({
    ...(key !== undefined && { key: withoutNoteSigns(key) }),
    text: withoutNoteSigns(text),
  }));
  const lines = args.map(({ key, text }) => (key === undefined ? text : `${key}: ${text}`));
  const intent = segment.intent === undefined ? [] : [`//${withoutNoteSigns(segment.intent)}`];
  return {
    ...described(segment),
    text: [withoutNoteSigns(segment.name), ...lines, ...intent].join('\n'),
    args,
  };
}

function described(segment: Segment): Omit<RecoveredPiece, 'text' | 'args'> {
  const { entryId, scope, part, agent } = segment;
  const name = 'name' in segment ? segment.name : undefined;
  const injected = 'injected' in segment ? segment.injected : undefined;
  return {
    entryId,
    scope,
    part,
    ...(name !== undefined && { name: withoutNoteSigns(name) }),
    ...(agent !== undefined && { agent: withoutNoteSigns(agent) }),
    ...(injected !== undefined && { injected: withoutNoteSigns(injected) }),
  };
}

/** What was left out of the entries of some segments, or stands as a run that holds one of them. */
function elisionsOf({ elisions, segments }: Archive, indices: readonly number[]): Elision[] {
  const entries = new Set(indices.map((index) => segments[index]!.entryId));
  const last = (id: string) => segments.findLastIndex(({ entryId }) => entryId === id);
  return elisions.filter(({ entryId, lastEntryId }) => {
    if (lastEntryId === undefined || entries.has(entryId)) return entries.has(entryId);
    const first = segments.findIndex((segment) => segment.entryId === entryId);
    return indices.some((index) => index >= first && index <= last(lastEntryId));
  });
}

/** A text that the archive prints, and where segments of the source stand in it. */
interface Printed {
  readonly text: string;
  readonly spans: readonly SegmentSpan[];
}

async function asPrinted(archive: Archive, place: Place, { lines }: RecoverOptions): Promise<RecoveredText> {
  const shown = (text: string) => (lines ? text.replaceAll('█', '\n') : text);
  const middle = await printedMiddle(archive);
  const page = place !== 'whole' && 'page' in place ? place.page : undefined;
  const texts = page === undefined ? await printedTexts(archive, middle) : [middle];
  const stretches = texts
    .flatMap(({ text, spans }) => within(spans, page).map((span) => ({ text, span })))
    .filter(({ span }) => !isOtherEntry(archive.segments[span.segment]!, place));
  const pieces = stretches.map(({ text, span: { segment, from, to } }) => {
    return { ...described(archive.segments[segment]!), text: shown(text.slice(from, to)) };
  });
  const indices = await segmentsAt(archive, place);
  const whole = place === 'whole' ? texts : pieces;
  return {
    text: page
      ? shown(middle.text.slice(page.from, page.to))
      : whole.map(({ text }) => shown(text)).join('\n'),
    pieces,
    missing: elisionsOf(archive, indices),
  };
}

function isOtherEntry({ entryId }: Segment, place: Place): boolean {
  return place !== 'whole' && 'entry' in place && place.entry !== entryId;
}

/** The spans that lie in a range, cut to it; empty ones are left out. */
function within(spans: readonly SegmentSpan[], range?: Span): SegmentSpan[] {
  const { from: low, to: high } = range ?? { from: 0, to: Number.POSITIVE_INFINITY };
  return spans
    .map(({ segment, from, to }) => ({ segment, from: Math.max(from, low), to: Math.min(to, high) }))
    .filter(({ from, to }) => from < to);
}

/** Everything that the archive prints, in its order. */
async function printedTexts(archive: Archive, middle: Printed): Promise<Printed[]> {
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
async function printedMiddle(archive: Archive): Promise<Printed> {
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

function wrong(expected: string, of: string, got: string, hint?: string): SnapcompactError {
  return new SnapcompactError('usage', { expected, of, got, ...(hint !== undefined && { hint }) });
}

function otherText(): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: 'what its source prints',
    of: 'an archive',
    got: 'pages of another text',
    hint: 'rearchive prints it anew; entries and the whole are given all the same, but not as printed',
  });
}
