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
  /** Pages that the whole text takes in the reader's shape; about, where they are more than asked for. */
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

/**
 * The layout of a text that has none yet, for `maxPages` pages, 1 or more. Dense pages and the sharp ones behind them
 * are full, but for the last of each. Linear in the text.
 */
export async function foveate(
  text: string,
  dim: readonly Span[],
  tiers: Tiers,
  maxPages: number,
): Promise<Foveation> {
  const { hq, lq } = tiers;
  const edge = edgePages(maxPages);
  const isSurelyTooLong = isLongerThan(text, maxPages * hq.geometry.capacityCells);
  const most = lq === undefined ? Number.POSITIVE_INFINITY : isSurelyTooLong ? edge + 1 : maxPages + 1;
  const sharp = await pagesOf(text, dim, hq, { most });
  const laidUnits = sharp.at(-1)?.source.to ?? 0;
  const wholePages = Math.ceil(sharp.length * (laidUnits === 0 ? 1 : text.length / laidUnits));
  if (lq === undefined || (sharp.length <= maxPages && laidUnits === text.length)) {
    return { runs: [{ tier: 'hq' }], pages: inTiers([['hq', sharp]], tiers), wholePages };
  }
  return { ...(await foveated(text, dim, { hq, lq }, sharp.slice(0, edge))), wholePages };
}

/** As many sharp pages behind the dense ones as there are in front. */
async function foveated(
  text: string,
  dim: readonly Span[],
  tiers: Required<Tiers>,
  front: readonly Page[],
): Promise<Omit<Foveation, 'wholePages'>> {
  const { hq, lq } = tiers;
  const from = front.at(-1)?.source.to ?? 0;
  const back = new BackEdge(text, dim, hq, front.length);
  const dense = await pagesOf(text, dim, lq, { from, isLast: (page) => back.fitsFrom(page.source.to) });
  if (front.length === 0) return { runs: [{ tier: 'lq' }], pages: inTiers([['lq', dense]], tiers) };
  const last = dense.pop()!;
  const at = back.start(last.source);
  const pages = inTiers(
    [
      ['hq', front],
      ['lq', [...dense, ...(await pagesOf(text, dim, lq, { from: last.source.from, to: at }))]],
      ['hq', await pagesOf(text, dim, hq, { from: at })],
    ],
    tiers,
  );
  return { runs: [{ tier: 'hq', to: from }, { tier: 'lq', to: at }, { tier: 'hq' }], pages };
}

/** Sharp pages at each edge of a text that does not fit in them alone. */
export function edgePages(maxPages: number): number {
  return Math.min(EDGE_PAGES, Math.floor((maxPages - 1) / 2));
}

/** Whether a text surely takes more than so many cells. Each character takes one at least, be it of two units. */
export function isLongerThan(text: string, cells: number): boolean {
  return text.length > cells && (text.length > 2 * cells || !/[\ud800-\udfff]/.test(text));
}

/** The sharp pages at the end of a text. */
class BackEdge {
  readonly #text: string;
  readonly #dim: readonly Span[];
  readonly #format: PageFormat;
  readonly #pages: number;

  constructor(text: string, dim: readonly Span[], format: PageFormat, pages: number) {
    this.#text = text;
    this.#dim = dim;
    this.#format = format;
    this.#pages = pages;
  }

  /** Whether the text from `at` on fits in them. */
  fitsFrom(at: number): boolean {
    const { length } = this.#text;
    if (this.#pages === 0 || length - at > 2 * this.#roomCells) return at === length;
    let pages = 0;
    for (const _ of paginate(this.#text, this.#dim, this.#format, { from: at, to: length })) {
      if (++pages > this.#pages) return false;
    }
    return true;
  }

  /** Where they start: as far back in the last dense page as they have room for. */
  start({ from, to }: Span): number {
    for (let at = Math.max(from + 1, this.#text.length - this.#roomCells); at < to; at++) {
      if (!this.#mayCut(at)) continue;
      return this.fitsFrom(at) ? at : to;
    }
    return to;
  }

  get #roomCells(): number {
    return this.#pages * (this.#format.geometry.capacityCells - SPARE_CELLS);
  }

  /** No page ends in a space, and no mark is cut off its base. */
  #mayCut(at: number): boolean {
    const before = this.#text.charCodeAt(at - 1);
    const unit = this.#text.charCodeAt(at);
    return before > 0x20 && before < 0x7f && unit >= 0x20 && unit < 0x7f;
  }
}

/** Cells of a page that spaces at its end may leave unused. */
const SPARE_CELLS = 4;

function inTiers(runs: readonly (readonly [Tier, readonly Page[]])[], { hq, lq = hq }: Tiers): PlannedPage[] {
  return runs
    .flatMap(([tier, pages]) => pages.map((page) => ({ page, tier, format: tier === 'hq' ? hq : lq })))
    .map(({ page, ...rest }, index) => ({ page: { ...page, index }, ...rest }));
}

/** Pages of a text under a layout it has already. A run that lies behind the end of the text has none. */
export async function layRuns(
  text: string,
  dim: readonly Span[],
  tiers: Tiers,
  runs: readonly Run[],
): Promise<PlannedPage[]> {
  const { hq, lq = hq } = tiers;
  const laid: [Tier, Page[]][] = [];
  let from = 0;
  for (const { tier, to: end = text.length } of runs) {
    const to = Math.min(end, text.length);
    laid.push([tier, await pagesOf(text, dim, tier === 'hq' ? hq : lq, { from, to })]);
    from = to;
  }
  return inTiers(laid, tiers);
}

interface PageLimits extends Partial<Span> {
  /** Default: no limit. */
  readonly most?: number;
  readonly isLast?: (page: Page) => boolean;
}

async function pagesOf(
  text: string,
  dim: readonly Span[],
  format: PageFormat,
  { from = 0, to = text.length, most = Number.POSITIVE_INFINITY, isLast = () => false }: PageLimits,
): Promise<Page[]> {
  const pages: Page[] = [];
  const wanted = function* () {
    for (const page of paginate(text, dim, format, { from, to })) {
      pages.push(page);
      yield page;
      if (pages.length >= most || isLast(page)) return;
    }
  };
  await inTurns(wanted(), (page) => page.text.length);
  return pages;
}
