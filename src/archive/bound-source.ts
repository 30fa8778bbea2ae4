/**
 * The source that an archive keeps, within bytes: beyond them the oldest tool output goes first, then what the agent
 * thought, was told by programs, called and answered. What the user typed always stays.
 */

import { beyondBound, type Elision, elisionMark } from '../text/elision.js';
import { keptMark } from '../text/note.js';
import { type Segment, type SegmentKind, segmentChars, segmentKind } from '../text/segment.js';

export const DEFAULT_SOURCE_BYTES = 16_000_000;

/** In the order in which they go. */
const expendable: readonly SegmentKind[] = ['output', 'reasoning', 'injected', 'call', 'answer'];
/** What leaving out a text must free, its mark counted in. */
const WORTH_BYTES = 64;

export interface BoundSource {
  readonly segments: readonly Segment[];
  /** What was left out by this call. */
  readonly elisions: readonly Elision[];
}

export interface BoundOptions {
  /** Segments that stay, by index. Default none. */
  readonly pinned?: ReadonlySet<number>;
  /** Where the whole text is. */
  readonly transcriptSha256?: string | undefined;
  /** Of `maxBytes`, what is left free where anything goes, so that not every pass cuts the start anew. Default 0. */
  readonly freedShare?: number;
  /** A bounded source of before: what it left out goes first. Default none. */
  readonly before?: readonly Segment[];
}

/**
 * Segments of at most `maxBytes` of text, as UTF-8, where what may go does; a mark stands for each text left out. What
 * the user typed and notes may not go. Linear.
 */
export function boundSource(
  segments: readonly Segment[],
  maxBytes: number,
  { pinned = new Set(), transcriptSha256, freedShare = 0, before = [] }: BoundOptions = {},
): BoundSource {
  const sizes = segments.map(bytesOf);
  const bounded = [...segments];
  const elisions: Elision[] = [];
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const leaveOut = (i: number) => {
    const segment = bounded[i]!;
    const kind = segmentKind(segment);
    if (!expendable.includes(kind) || pinned.has(i) || beyondBound(segment) > 0) return;
    const empty = emptied(segment);
    const freed = sizes[i]! - bytesOf(empty);
    if (freed < WORTH_BYTES) return;
    bounded[i] = empty;
    total -= freed;
    elisions.push(elisionOf(empty, kind, transcriptSha256));
  };
  if (total > maxBytes) for (const i of leftOutBefore(segments, before)) leaveOut(i);
  const target = total > maxBytes ? maxBytes * (1 - freedShare) : maxBytes;
  for (const kind of expendable) {
    for (let i = 0; i < bounded.length && total > target; i++) {
      if (segmentKind(bounded[i]!) === kind) leaveOut(i);
    }
  }
  return elisions.length === 0 ? { segments, elisions } : { segments: bounded, elisions };
}

/** Places of what an earlier bound left out of the same history. */
function leftOutBefore(segments: readonly Segment[], before: readonly Segment[]): number[] {
  const keyOf = ({ entryId, part }: Segment, chars: number) => `${part} ${chars} ${entryId}`;
  const left = new Set(
    before.flatMap((segment) => (beyondBound(segment) > 0 ? [keyOf(segment, beyondBound(segment))] : [])),
  );
  if (left.size === 0) return [];
  return [...segments.keys()].filter((i) => left.has(keyOf(segments[i]!, leftOutChars(segments[i]!))));
}

function elisionOf(empty: Segment, kind: SegmentKind, transcriptSha256: string | undefined): Elision {
  return {
    reason: 'source',
    what: kind === 'output' ? 'output' : kind === 'call' ? 'arguments' : 'segments',
    chars: beyondBound(empty),
    entryId: empty.entryId,
    ...(transcriptSha256 !== undefined && { transcriptSha256 }),
  };
}

/** Units that go with the text; a call keeps its name. */
export function leftOutChars(segment: Segment): number {
  return segmentChars(segment) - (segment.part === 'call' ? segment.name.length : 0);
}

function emptied(segment: Segment): Segment {
  const mark = keptMark(elisionMark(leftOutChars(segment)));
  if (segment.part !== 'call') return { ...segment, text: mark };
  const { intent: _, ...call } = segment;
  return { ...call, args: [{ text: mark, quoted: false }] };
}

function bytesOf(segment: Segment): number {
  if (segment.part !== 'call') return Buffer.byteLength(segment.text);
  const args = segment.args.map(({ key = '', text }) => Buffer.byteLength(key) + Buffer.byteLength(text));
  const own = Buffer.byteLength(segment.name) + Buffer.byteLength(segment.intent ?? '');
  return args.reduce((sum, bytes) => sum + bytes, own);
}
