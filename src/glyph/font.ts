/** One bitmap font: code points to rows of bits. */

export interface Glyph {
  /** Advance in pixels: 8 or 16 for the fonts of this package. */
  readonly widthPx: number;
  /** One number per row, top first; the leftmost pixel is bit `widthPx - 1`. */
  readonly rows: readonly number[];
}

export interface Font {
  /** Name in `fonts/fonts.json`. */
  readonly name: string;
  readonly heightPx: number;
  /** Rows above the baseline. */
  readonly ascentPx: number;
  glyph(codePoint: number): Glyph | undefined;
  /** Advance of the glyph without decoding its rows; 0 when the font has none. */
  widthPx(codePoint: number): number;
  /** Every code point the font has a bitmap for, ascending. */
  codePoints(): Iterable<number>;
}
