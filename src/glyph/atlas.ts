/**
 * Glyphs cut to the cells of one shape, in memory that every painter shares.
 *
 * A slot is one cell's bitmap: `pitchPx` words, top row first, the leftmost pixel in bit `advancePx - 1`. A wide
 * character has two slots, left half first. Slots are filled on first use by the thread that lays pages out; a page
 * goes to a worker only after its slots are filled, so workers read and never write.
 *
 * Fixed slots: 0 the blank cell (space), 1 the newline cell (all ink), 2 the pad that a wide character leaves at the
 * end of a row.
 */
import type { FontChain, PlacedGlyph } from './font-chain.js';

export const BLANK_SLOT = 0;
export const NEWLINE_SLOT = 1;
export const PAD_SLOT = 2;

/** Where glyphs sit in a cell; a shape has these fields. */
export interface CellPlacement {
  readonly cell: { readonly advancePx: number; readonly pitchPx: number };
  /** Of the glyph box's left top corner, from the cell's; `wideXPx` within two cells. */
  readonly offset: { readonly xPx: number; readonly wideXPx: number; readonly yPx: number };
}

/** What a painter needs to know of an atlas. Plain data over shared memory: crosses threads as it is. */
export interface AtlasImage {
  readonly advancePx: number;
  readonly pitchPx: number;
  readonly words: Uint32Array<SharedArrayBuffer>;
}

/** Room for every character of the first two planes, wide ones in halves. Untouched memory costs nothing. */
const MAX_SLOTS = 1 << 17;
const SPACE = 0x20;
const FULL_BLOCK = 0x2588;

export class Atlas {
  readonly chain: FontChain;
  readonly image: AtlasImage;
  readonly #placement: CellPlacement;
  /** Code point → slot + 1, so that 0 says "not yet". */
  readonly #firstPlane = new Uint32Array(0x10000);
  readonly #otherPlanes = new Map<number, number>();
  #used = 3;

  constructor(chain: FontChain, placement: CellPlacement) {
    const { advancePx, pitchPx } = placement.cell;
    this.chain = chain;
    this.#placement = placement;
    const memory = new SharedArrayBuffer(MAX_SLOTS * pitchPx * Uint32Array.BYTES_PER_ELEMENT);
    this.image = { advancePx, pitchPx, words: new Uint32Array(memory) };
    this.image.words.fill(2 ** advancePx - 1, NEWLINE_SLOT * pitchPx, (NEWLINE_SLOT + 1) * pitchPx);
    this.#paint(PAD_SLOT, chain.padGlyph);
    this.#firstPlane[SPACE] = BLANK_SLOT + 1;
    this.#firstPlane[FULL_BLOCK] = NEWLINE_SLOT + 1;
  }

  /** Slot of a covered character, the left one of two for a wide character. [hot] Once per character of a page. */
  slotOf(codePoint: number): number {
    const known = codePoint > 0xffff ? this.#otherPlanes.get(codePoint) : this.#firstPlane[codePoint];
    return known ? known - 1 : this.#add(codePoint);
  }

  #add(codePoint: number): number {
    const glyph = this.chain.glyph(codePoint);
    const slot = this.#used;
    if (glyph === undefined || slot + glyph.cells > MAX_SLOTS) {
      throw new RangeError(
        `no cell for U+${codePoint.toString(16)}: text must be normalised for this font chain`,
      );
    }
    this.#used += glyph.cells;
    this.#paint(slot, glyph);
    if (codePoint > 0xffff) this.#otherPlanes.set(codePoint, slot + 1);
    else this.#firstPlane[codePoint] = slot + 1;
    return slot;
  }

  #paint(slot: number, glyph: PlacedGlyph): void {
    const { words } = this.image;
    for (const [half, rows] of cellBitmaps(glyph, this.#placement).entries()) {
      words.set(rows, (slot + half) * this.image.pitchPx);
    }
  }
}

/**
 * The bitmaps of a glyph's one or two cells, `pitchPx` rows each. Ink outside the cells is cut off. Two cells are at
 * most 32 pixels wide.
 */
export function cellBitmaps(glyph: PlacedGlyph, placement: CellPlacement): Uint32Array[] {
  const { advancePx, pitchPx } = placement.cell;
  const { xPx, wideXPx, yPx } = placement.offset;
  const spanPx = advancePx * glyph.cells;
  const shiftPx = spanPx - glyph.widthPx - (glyph.cells === 2 ? wideXPx : xPx);
  const mask = 2 ** advancePx - 1;
  const cells = Array.from({ length: glyph.cells }, () => new Uint32Array(pitchPx));
  const [left, right] = cells as [Uint32Array, Uint32Array | undefined];
  for (let row = 0; row < glyph.rows.length; row++) {
    const y = row + yPx;
    if (y < 0 || y >= pitchPx) continue;
    const bits = glyph.rows[row]!;
    const placed = shiftPx >= 0 ? bits << shiftPx : bits >>> -shiftPx;
    left[y] = (right === undefined ? placed : placed >>> advancePx) & mask;
    if (right !== undefined) right[y] = placed & mask;
  }
  return cells;
}
