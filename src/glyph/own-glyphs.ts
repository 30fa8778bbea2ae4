/** The two cells that no font draws: the newline cell and the pad of a row that a wide character did not fill. */
import type { Box, PlacedGlyph } from './placed-glyph.js';

/** U+2588 FULL BLOCK stands for a run of newlines; the painter fills its whole cell, so no text may print like it. */
export const newlineCell = 0x2588;

/** The box filled with ink; what a cell has beyond the box is the painter's to fill. */
export function newlineGlyph(box: Box): PlacedGlyph {
  return { cells: 1, widthPx: 8, rows: new Array<number>(box.heightPx).fill(0xff) };
}

/**
 * Four dots falling to the right, from x-height to baseline: light, so that it reads as paper, and unlike any glyph.
 */
export function padGlyph(box: Box): PlacedGlyph {
  const rows = new Array<number>(box.heightPx).fill(0);
  const baseline = box.ascentPx - 1;
  rows[baseline - 6] = 0b01000000;
  rows[baseline - 4] = 0b00010000;
  rows[baseline - 2] = 0b00000100;
  rows[baseline] = 0b00000001;
  return { cells: 1, widthPx: 8, rows };
}
