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

/**
 * Segments of at most `maxBytes` of text, as UTF-8, where what may go does; a mark stands for each text left out. What
 * the user typed, notes and `pinned` segments (by index) may not go. Linear.
 */
export function boundSource(
  segments: readonly Segment[],
  maxBytes: number,
  transcriptSha256?: string,
  pinned: ReadonlySet<number> = new Set(),
): BoundSource {
  const sizes = segments.map(bytesOf);
  let excess = sizes.reduce((sum, size) => sum + size, 0) - maxBytes;
  if (excess <= 0) return { segments, elisions: [] };
  const bounded = [...segments];
  const elisions: Elision[] = [];
  for (const kind of expendable) {
    for (let i = 0; i < bounded.length && excess > 0; i++) {
      const segment = bounded[i]!;
      if (segmentKind(segment) !== kind || pinned.has(i) || beyondBound(segment) > 0) continue;
      const empty = emptied(segment);
      const freed = sizes[i]! - bytesOf(empty);
      if (freed < WORTH_BYTES) continue;
      bounded[i] = empty;
      excess -= freed;
      elisions.push({
        reason: 'source',
        what: kind === 'output' ? 'output' : kind === 'call' ? 'arguments' : 'segments',
        chars: beyondBound(empty),
        entryId: segment.entryId,
        ...(transcriptSha256 !== undefined && { transcriptSha256 }),
      });
    }
  }
  return { segments: bounded, elisions };
}

function emptied(segment: Segment): Segment {
  if (segment.part !== 'call') return { ...segment, text: keptMark(elisionMark(segment.text.length)) };
  const { intent: _, ...call } = segment;
  const mark = keptMark(elisionMark(segmentChars(segment) - segment.name.length));
  return { ...call, args: [{ text: mark, quoted: false }] };
}

function bytesOf(segment: Segment): number {
  if (segment.part !== 'call') return Buffer.byteLength(segment.text);
  const args = segment.args.map(({ key = '', text }) => Buffer.byteLength(key) + Buffer.byteLength(text));
  const own = Buffer.byteLength(segment.name) + Buffer.byteLength(segment.intent ?? '');
  return args.reduce((sum, bytes) => sum + bytes, own);
}
