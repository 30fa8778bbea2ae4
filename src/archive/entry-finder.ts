/** Which history entry a place of the printed text comes from. */
import type { SegmentSpan } from '../text/printed-text.js';
import type { Segment } from '../text/segment.js';

export class EntryFinder {
  readonly #spans: readonly SegmentSpan[];
  readonly #segments: readonly Segment[];

  constructor(spans: readonly SegmentSpan[], segments: readonly Segment[]) {
    this.#spans = spans;
    this.#segments = segments;
  }

  /** Id of the entry at a unit of the text; a mark between two entries belongs to the first. By bisection. */
  at(unit: number): string {
    let low = 0;
    let high = this.#spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#spans[middle]!.from <= unit) low = middle;
      else high = middle - 1;
    }
    const span = this.#spans[low];
    return span === undefined ? '' : this.#segments[span.segment]!.entryId;
  }
}
