/**
 * A normal text → pages of one shape.
 *
 * Pages are cut from a fixed offset, so a text that grows at its end keeps every page but the last. Joining the pages'
 * texts gives back the text.
 */
import type { Span } from '../text/printed-text.js';
import { layPage } from './layout.js';
import type { PageFormat } from './page-format.js';

export type { Span } from '../text/printed-text.js';

/** What one frame will carry. */
export interface Page {
  /** 0-based, in reading order. */
  readonly index: number;
  /** Normal text; never ends in a space. */
  readonly text: string;
  /** Dim spans, in units of `text`; a span that crosses a page's edge is cut there and goes on in the next page. */
  readonly dim: readonly Span[];
  /** Where `text` lies in the whole, in UTF-16 units. */
  readonly source: Span;
  /** Rows that hold something. */
  readonly rowsUsed: number;
}

/**
 * Every page of `text`, or of a range of it, lazily. `dim` in order, not overlapping. Linear. A range that does not start
 * with the text does not start with a space.
 */
export function* paginate(
  text: string,
  dim: readonly Span[],
  format: PageFormat,
  range: Span = { from: 0, to: text.length },
): Generator<Page> {
  const { geometry } = format;
  const end = range.to;
  const source = end === text.length ? text : text.slice(0, end);
  let firstSpan = 0;
  for (let { from } = range, index = 0; from < end; index++) {
    const { to, usedCells } = layPage(source, from, geometry, format);
    while (firstSpan < dim.length && dim[firstSpan]!.to <= from) firstSpan++;
    yield {
      index,
      text: source.slice(from, to),
      dim: spansWithin(dim, firstSpan, { from, to }),
      source: { from, to },
      rowsUsed: Math.ceil(usedCells / geometry.columnsCells),
    };
    from = to;
  }
}

/** The spans from `first` on that touch `range`, cut to it and counted from its start. */
function spansWithin(spans: readonly Span[], first: number, range: Span): Span[] {
  const found: Span[] = [];
  for (let i = first; i < spans.length && spans[i]!.from < range.to; i++) {
    const from = Math.max(spans[i]!.from, range.from) - range.from;
    const to = Math.min(spans[i]!.to, range.to) - range.from;
    if (to > from) found.push({ from, to });
  }
  return found;
}
