/**
 * Which characters a page holds, and in which cells.
 *
 * Text flows: cells fill row by row, a newline is a cell of its own, and a page ends when its cells are used up. Three
 * rules make a page readable back: a wide character never straddles two rows (the cell it leaves gets the pad glyph),
 * a base and its marks stay on one row, and a page never ends in a space (the space opens the next page instead).
 * Pagination and painting both walk a page with `layPage`, so they cannot disagree.
 */
import { BLANK_SLOT, PAD_SLOT } from '../glyph/atlas.js';
import type { Span } from '../text/printed-text.js';

/** Cells per page. */
export interface Grid {
  readonly columnsCells: number;
  readonly rowsCells: number;
}

/** One page of a normal text. */
export interface PageExtent {
  /** UTF-16 unit after the page's last. */
  readonly to: number;
  /** Cells from the first to the last that holds something. */
  readonly usedCells: number;
}

/** Cells that a character takes. */
export interface CellSource {
  coverage(codePoint: number): number;
}

/** Where `layPage` writes what it places. */
export interface CellTarget {
  /** One word per cell of the grid, all 0 before: the slot in the atlas, and `DIM_BIT` for dim ink. */
  readonly cells: Uint32Array;
  /** Spans of the text in dim ink, in order. */
  readonly dim: readonly Span[];
  slotOf(codePoint: number): number;
}

export const DIM_BIT = 0x8000_0000;
export const SLOT_MASK = 0x7fff_ffff;

/** A cluster longer than this is broken like any text, so that no text can make a page that holds nothing. */
const MAX_CLUSTER_CELLS = 8;
const SPACE = 0x20;

/**
 * Lays one page of `text` from unit `from`; with a target, also writes the slot of every cell. A grid has at least
 * two columns.
 *
 * [hot] Once per character of every page: no allocation for ASCII.
 */
export function layPage(
  text: string,
  from: number,
  grid: Grid,
  source: CellSource,
  target?: CellTarget,
): PageExtent {
  const cells = target?.cells;
  const ink = target && new InkCursor(target.dim);
  const { columnsCells } = grid;
  const capacityCells = columnsCells * grid.rowsCells;
  let at = from;
  let cell = 0;
  let pads = 0;
  while (at < text.length && cell < capacityCells) {
    if (target === undefined) {
      // Narrow characters take one cell each wherever they stand, and need no walk.
      const narrow = narrowUnits(text, at, capacityCells - cell, source);
      at += narrow;
      cell += narrow;
      if (narrow > 0) pads = 0;
      if (at === text.length || cell === capacityCells) break;
    }
    const codePoint = text.codePointAt(at)!;
    const width = codePoint < 0x80 ? 1 : source.coverage(codePoint);
    const roomCells = columnsCells - (cell % columnsCells);
    pads = 0;
    if (roomCells <= MAX_CLUSTER_CELLS && roomCells < columnsCells) {
      if (clusterCells(text, at, width, source, columnsCells) > roomCells) {
        cells?.fill(PAD_SLOT, cell, cell + roomCells);
        cell += roomCells;
        pads = roomCells;
        continue;
      }
    }
    if (cells !== undefined) placeCharacter(cells, cell, target!.slotOf(codePoint), width, ink!.bitAt(at));
    cell += width;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return at === text.length
    ? { to: at, usedCells: cell }
    : withoutTrailingSpace(text, from, at, cell, pads, cells);
}

/**
 * Units from `from` on, at most `limit`, that surely take one cell each; stops short of the last one before anything
 * else, which may be the base of a mark.
 */
function narrowUnits(text: string, from: number, limit: number, source: CellSource): number {
  // Where the next two are not, the search is not worth its call.
  if (text.charCodeAt(from) > 0x7e || text.charCodeAt(from + 1) > 0x7e) return 0;
  const ahead = text.slice(from, from + limit + 1);
  const other = ahead.search(otherThanNarrow(source));
  return Math.min(limit, other < 0 ? ahead.length : Math.max(0, other - 1));
}

/** Blocks whose characters may be taken as narrow where the font says so: none of them combines. */
const NARROW_RANGES = [
  [0x20, 0x7e],
  [0xa1, 0xac],
  [0xae, 0x17f],
  [0x2010, 0x2026],
  [0x2190, 0x21ff],
  [0x2500, 0x25ff],
] as const;

const patterns = new WeakMap<CellSource, RegExp>();

/** Finds the first character that is not known to be narrow. */
function otherThanNarrow(source: CellSource): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    let narrow = '';
    for (const [low, high] of NARROW_RANGES) {
      for (let codePoint = low; codePoint <= high; codePoint++) {
        if (codePoint < 0x80 || source.coverage(codePoint) === 1)
          narrow += `\\u${codePoint.toString(16).padStart(4, '0')}`;
      }
    }
    pattern = new RegExp(`[^${narrow}]`);
    patterns.set(source, pattern);
  }
  return pattern;
}

function placeCharacter(cells: Uint32Array, cell: number, slot: number, width: number, inkBit: number): void {
  // A blank has no ink: it must not cost a page its second bit.
  cells[cell] = slot === BLANK_SLOT ? BLANK_SLOT : slot | inkBit;
  if (width === 2) cells[cell + 1] = (slot + 1) | inkBit;
}

/** Walks the dim spans beside the text. */
class InkCursor {
  readonly #dim: readonly Span[];
  #span = 0;

  constructor(dim: readonly Span[]) {
    this.#dim = dim;
  }

  /** `DIM_BIT` where the unit is dim, else 0. Units are asked in rising order. */
  bitAt(unit: number): number {
    while (this.#span < this.#dim.length && this.#dim[this.#span]!.to <= unit) this.#span++;
    return this.#span < this.#dim.length && this.#dim[this.#span]!.from <= unit ? DIM_BIT : 0;
  }
}

/** Cells of the character at `at` together with the marks that follow it, up to the longest that is kept whole. */
function clusterCells(
  text: string,
  at: number,
  width: number,
  source: CellSource,
  columnsCells: number,
): number {
  let total = width;
  let next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
  while (next < text.length) {
    const unit = text.charCodeAt(next);
    if (unit < 0x300) break;
    const codePoint = text.codePointAt(next)!;
    if (!isMark(codePoint)) break;
    total += source.coverage(codePoint);
    next += codePoint > 0xffff ? 2 : 1;
  }
  return total > Math.min(MAX_CLUSTER_CELLS, columnsCells) ? width : total;
}

const mark = /^\p{M}$/u;
const markClass = new Map<number, boolean>();

function isMark(codePoint: number): boolean {
  let known = markClass.get(codePoint);
  if (known === undefined) {
    known = mark.test(String.fromCodePoint(codePoint));
    markClass.set(codePoint, known);
  }
  return known;
}

/** Gives the spaces at a page's end to the next page: blank cells there could not be told from unused ones. */
function withoutTrailingSpace(
  text: string,
  from: number,
  to: number,
  endCell: number,
  pads: number,
  cells: Uint32Array | undefined,
): PageExtent {
  let spaces = 0;
  while (to - spaces > from && text.charCodeAt(to - spaces - 1) === SPACE) spaces++;
  if (to - spaces === from) return { to, usedCells: endCell - pads };
  const usedCells = endCell - pads - spaces;
  if (spaces > 0 || pads > 0) cells?.fill(BLANK_SLOT, usedCells);
  return { to: to - spaces, usedCells };
}
