/** What was left out on the way from history to text, and what stands in its place. */
import { type Segment, type SegmentKind, segmentChars } from './segment.js';

/** One thing that was left out on the way from history to text. */
export interface Elision {
  /** `cap`: longer than its cap. `budget`: no room for it. `source`: beyond the bound of the source that is kept. */
  readonly reason: 'cap' | 'budget' | 'source';
  readonly what: 'output' | 'argument' | 'arguments' | 'segments';
  /** UTF-16 units of the source left out. */
  readonly chars: number;
  /** The history entry that holds the whole; the first of them for a run of segments. */
  readonly entryId: string;
  /** For a run of segments: the last entry, and how many of each kind. */
  readonly lastEntryId?: string;
  readonly dropped?: DroppedCounts;
  /** For `source`: hex digest of the transcript that has it, where that is known. */
  readonly transcriptSha256?: string;
}

export type DroppedCounts = Readonly<Partial<Record<SegmentKind, number>>>;

/** What stands where characters were left out. */
export function elisionMark(chars: number, kinds = ''): string {
  return `[…${chars} ch elided${kinds === '' ? '' : `: ${kinds}`}…]`;
}

/** A mark that stands for a text whose bound it lies beyond: only ours, since foreign signs of notes are spelled out. */
const boundMark = /^\ufdd0\[…(\d+) ch elided…\]\ufdd1$/;

/** Units of the source that the bound of an archive left out of this text; `undefined`: none, it is all there. */
export function boundChars(text: string): number | undefined {
  const [, chars] = boundMark.exec(text) ?? [];
  return chars === undefined ? undefined : Number(chars);
}

/** Units of a segment that lie beyond the bound of the source, in whose place it has a mark. */
export function beyondBound(segment: Segment): number {
  return boundChars(segment.part === 'call' ? (segment.args[0]?.text ?? '') : segment.text) ?? 0;
}

/** UTF-16 units of a segment's own text that an archive has, without the mark for what it has not. */
export function boundedChars(segment: Segment): number {
  if (beyondBound(segment) === 0) return segmentChars(segment);
  return segment.part === 'call' ? segment.name.length : 0;
}
