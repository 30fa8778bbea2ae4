/** Exact text back out of an archive: from its source, whatever caps, folds and pages made of it, or as it was printed. */
import { SnapcompactError } from '../errors.js';
import { nearNames } from '../near-names.js';
import { pageFormat } from '../page/page-format.js';
import { pageRows } from '../page/rows.js';
import { getShape } from '../page/shapes.js';
import type { Elision } from '../text/elision.js';
import { withoutNoteSigns } from '../text/note.js';
import type { SegmentSpan, Span } from '../text/printed-text.js';
import type { Scope, Segment } from '../text/segment.js';
import type { Archive, ArchivedFrame } from './archive.js';
import { printedMiddle, printedTexts } from './printed-texts.js';

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

function wrong(expected: string, of: string, got: string, hint?: string): SnapcompactError {
  return new SnapcompactError('usage', { expected, of, got, ...(hint !== undefined && { hint }) });
}
