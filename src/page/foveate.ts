/**
 * Which pages of a text are printed how: high quality at both edges of time, denser in the middle.
 *
 * Pages are cut from fixed offsets: the leading edge from the start of the text, the middle from the end of that edge,
 * the trailing edge where the pagination of the whole in the reader's shape has its last pages. A text that fits is
 * printed in the reader's shape throughout.
 */
import type { PageFormat } from './page-format.js';
import { type Page, paginate, type Span } from './paginate.js';

export type Tier = 'hq' | 'lq';

export interface PlannedPage {
  readonly page: Page;
  readonly tier: Tier;
  readonly format: PageFormat;
}

export interface Foveation {
  /** In reading order, at most as many as asked for. */
  readonly pages: readonly PlannedPage[];
  /** Stretches of the text that no page is left for; empty when all of it is printed. */
  readonly dropped: readonly Span[];
}

export interface FoveateOptions {
  /** The reader's shape. */
  readonly hq: PageFormat;
  /** Its dense companion; absent where it has none, and the text then keeps one tier. */
  readonly lq?: PageFormat;
  /** 1 or more. */
  readonly maxPages: number;
}

/** Pages of the reader's shape at each edge. */
const EDGE_PAGES = 3;

/**
 * Plans the pages of a normal text. Where even the denser middle does not fit, its oldest pages are dropped; with
 * fewer than seven pages, or without companion, the oldest of all. Linear in the text.
 */
export function foveate(text: string, dim: readonly Span[], { hq, lq, maxPages }: FoveateOptions): Foveation {
  const whole = [...paginate(text, dim, hq)];
  if (whole.length <= maxPages) return { pages: whole.map((page) => planned(page, 'hq', hq)), dropped: [] };
  if (lq === undefined || maxPages <= EDGE_PAGES * 2) return newest(whole, hq, maxPages);
  const head = whole.slice(0, EDGE_PAGES);
  const tail = whole.slice(-EDGE_PAGES);
  const range = { from: head.at(-1)!.source.to, to: tail[0]!.source.from };
  const middle = [...paginate(text, dim, lq, range)];
  const kept = middle.slice(Math.max(0, middle.length - (maxPages - EDGE_PAGES * 2)));
  const pages = [
    ...head.map((page) => planned(page, 'hq', hq)),
    ...kept.map((page) => planned(page, 'lq', lq)),
    ...tail.map((page) => planned(page, 'hq', hq)),
  ];
  const firstKept = kept[0]?.source.from ?? range.to;
  const dropped = firstKept > range.from ? [{ from: range.from, to: firstKept }] : [];
  return { pages: pages.map(renumbered), dropped };
}

function newest(whole: readonly Page[], format: PageFormat, maxPages: number): Foveation {
  const kept = whole.slice(whole.length - maxPages);
  return {
    pages: kept.map((page) => planned(page, 'hq', format)).map(renumbered),
    dropped: [{ from: 0, to: kept[0]!.source.from }],
  };
}

function planned(page: Page, tier: Tier, format: PageFormat): PlannedPage {
  return { page, tier, format };
}

function renumbered(plan: PlannedPage, index: number): PlannedPage {
  return { ...plan, page: { ...plan.page, index } };
}
