/**
 * Which pages of a text are printed how: high quality at both edges of time, denser in the middle.
 *
 * A layout is a list of runs, each a stretch of the text in one tier, and every run is cut into pages from its own
 * start. A text that grows at its end under one layout keeps every page but the last.
 */
import { inTurns } from '../turns.js';
import type { PageFormat } from './page-format.js';
import { type Page, paginate, type Span } from './paginate.js';

export type Tier = 'hq' | 'lq';

/** A stretch of the text in one tier, from the end of the run before; the last one goes on to the end of the text. */
export interface Run {
  readonly tier: Tier;
  /** UTF-16 unit after its last; absent for the last run. */
  readonly to?: number;
}

export interface PlannedPage {
  readonly page: Page;
  readonly tier: Tier;
  readonly format: PageFormat;
}

export interface Foveation {
  readonly runs: readonly Run[];
  /** In reading order; more than asked for where even the denser middle does not fit. */
  readonly pages: readonly PlannedPage[];
  /** Pages that the whole text takes in the reader's shape. */
  readonly wholePages: number;
}

export interface Tiers {
  /** The reader's shape. */
  readonly hq: PageFormat;
  /** Its dense companion; absent where it has none, and the text then keeps one tier. */
  readonly lq?: PageFormat;
}

/** Pages of the reader's shape at each edge, where there is room for as many. */
export const EDGE_PAGES = 3;

/** The layout of a text that has none yet, for `maxPages` pages, 1 or more. Linear in the text. */
export async function foveate(
  text: string,
  dim: readonly Span[],
  { hq, lq }: Tiers,
  maxPages: number,
): Promise<Foveation> {
  const whole = await pagesOf(text, dim, hq);
  const wholePages = whole.length;
  if (wholePages <= maxPages || lq === undefined) {
    return {
      runs: [{ tier: 'hq' }],
      pages: whole.map((page) => ({ page, tier: 'hq', format: hq })),
      wholePages,
    };
  }
  const edge = edgePages(maxPages);
  const runs = edge === 0 ? [{ tier: 'lq' as const }] : foveatedRuns(whole, edge);
  return { runs, pages: await layRuns(text, dim, { hq, lq }, runs), wholePages };
}

/** Sharp pages at each edge of a text that does not fit in them alone. */
export function edgePages(maxPages: number): number {
  return Math.min(EDGE_PAGES, Math.floor((maxPages - 1) / 2));
}

function foveatedRuns(whole: readonly Page[], edge: number): Run[] {
  return [
    { tier: 'hq', to: whole[edge - 1]!.source.to },
    { tier: 'lq', to: whole.at(-edge)!.source.from },
    { tier: 'hq' },
  ];
}

/** Pages of a text under a layout it has already. A run that lies behind the end of the text has none. */
export async function layRuns(
  text: string,
  dim: readonly Span[],
  { hq, lq = hq }: Tiers,
  runs: readonly Run[],
): Promise<PlannedPage[]> {
  const pages: PlannedPage[] = [];
  let from = 0;
  for (const { tier, to = text.length } of runs) {
    const range = { from, to: Math.min(to, text.length) };
    const format = tier === 'hq' ? hq : lq;
    for (const page of await pagesOf(text, dim, format, range)) {
      pages.push({ page: { ...page, index: pages.length }, tier, format });
    }
    from = range.to;
  }
  return pages;
}

async function pagesOf(
  text: string,
  dim: readonly Span[],
  format: PageFormat,
  range?: Span,
): Promise<Page[]> {
  const pages: Page[] = [];
  await inTurns(paginate(text, dim, format, range), (page) => {
    pages.push(page);
    return page.text.length;
  });
  return pages;
}
