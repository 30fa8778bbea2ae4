/**
 * Cell bitmaps → characters, the inverse of the atlas.
 *
 * Keys are exact: all rows of a cell (of both cells for a wide character). Fonts are indexed when needed: the first
 * one alone reads most frames. That is safe, because no wide glyph is two narrow ones side by side: a frame all of
 * whose cells are glyphs of the first font holds nothing else.
 */
import { Atlas, cellBitmaps, NEWLINE_SLOT, PAD_SLOT } from '../glyph/atlas.js';
import type { FontChain } from '../glyph/font-chain.js';
import type { Shape } from '../page/shapes.js';

export const NOTHING = -1;
export const PAD = -2;

export class GlyphIndex {
  /** Fonts of the chain in the index. */
  readonly fonts: number;
  readonly #narrow = new Map<string, number>();
  readonly #wide = new Map<string, number>();
  readonly #wideLeft = new Set<string>();

  constructor(chain: FontChain, shape: Shape, fonts: number) {
    this.fonts = fonts;
    const { words, pitchPx } = new Atlas(chain, shape).image;
    this.#narrow.set(keyOf(words, PAD_SLOT * pitchPx, pitchPx), PAD);
    for (const codePoint of chain.codePoints(fonts)) this.#add(codePoint, chain, shape);
    this.#narrow.set(keyOf(words, NEWLINE_SLOT * pitchPx, pitchPx), 0x2588);
    this.#narrow.set(keyOf(new Uint32Array(pitchPx), 0, pitchPx), 0x20);
  }

  /** Code point of a one-cell bitmap, `PAD`, or `NOTHING`. */
  narrow(key: string): number {
    return this.#narrow.get(key) ?? NOTHING;
  }

  /** Code point of a two-cell bitmap, or `NOTHING`. */
  wide(left: string, right: string): number {
    return this.#wideLeft.has(left) ? (this.#wide.get(left + right) ?? NOTHING) : NOTHING;
  }

  #add(codePoint: number, chain: FontChain, shape: Shape): void {
    const cells = cellBitmaps(chain.glyph(codePoint)!, shape);
    const [left, right] = cells.map((rows) => keyOf(rows, 0, rows.length));
    if (right === undefined) this.#narrow.set(left!, codePoint);
    else {
      this.#wide.set(left! + right, codePoint);
      this.#wideLeft.add(left!);
    }
  }
}

/** One cell's rows as a map key, one UTF-16 unit per row. Cells are at most 16 pixels wide. */
export function keyOf(rows: Uint32Array, from: number, count: number): string {
  let key = '';
  for (let i = from; i < from + count; i++) key += String.fromCharCode(rows[i]!);
  return key;
}
