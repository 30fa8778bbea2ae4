/** A glyph at its place in the box that all fonts of a chain share. */
import type { Glyph } from './font.js';

export interface PlacedGlyph {
  /** Cells of the grid it takes: 2 when it is 16 pixels wide. */
  readonly cells: 1 | 2;
  readonly widthPx: number;
  /** One number per row of the box, top first; the leftmost pixel is bit `widthPx - 1`. */
  readonly rows: readonly number[];
}

/** The box of a chain: high enough for each of its fonts when they stand on one baseline. */
export interface Box {
  readonly heightPx: number;
  readonly ascentPx: number;
}

interface Metrics {
  readonly heightPx: number;
  readonly ascentPx: number;
}

/** The box of the given fonts: the highest ascent over the deepest descent. */
export function boxOf(fonts: readonly Metrics[]): Box {
  const ascentPx = Math.max(...fonts.map((font) => font.ascentPx));
  const descentPx = Math.max(...fonts.map((font) => font.heightPx - font.ascentPx));
  return { heightPx: ascentPx + descentPx, ascentPx };
}

/** Stands a glyph of a font on the baseline of the box. */
export function placeGlyph(glyph: Glyph, font: Metrics, box: Box): PlacedGlyph {
  const rows = new Array<number>(box.heightPx).fill(0);
  const top = box.ascentPx - font.ascentPx;
  for (const [row, bits] of glyph.rows.entries()) rows[top + row] = bits;
  return { cells: glyph.widthPx > 8 ? 2 : 1, widthPx: glyph.widthPx, rows };
}
