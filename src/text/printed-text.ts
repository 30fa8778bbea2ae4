/** What printing gives: one text, and where everything lies in it. */
import type { Elision } from './elision.js';
import type { Scope } from './segment.js';

/** UTF-16 units `from` (inclusive) to `to` (exclusive) of a printed text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a segment of the source is printed. */
export interface SegmentSpan extends Span {
  readonly segment: number;
}

export interface PrintedText {
  /** Normal text: see `normalize.ts`. */
  readonly text: string;
  /** Spans of tool output, in order, not overlapping. */
  readonly dim: readonly Span[];
  readonly spans: readonly SegmentSpan[];
  readonly elisions: readonly Elision[];
  /** Scopes that occur, in order of first use. */
  readonly scopes: readonly Scope[];
  /** As in `NormalizedText`. */
  readonly spelled: number;
  readonly dropped: number;
}
