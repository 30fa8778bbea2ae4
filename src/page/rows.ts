/** The text of each row of a page. */
import { layPage } from './layout.js';
import type { PageFormat } from './page-format.js';

/** The first slot that `layPage` does not write by itself. */
const FIRST_SLOT = 4;

/**
 * The text of each row that a page uses, the same as `decodeFrame` reads there; joined they are the page's text. Linear.
 */
export function pageRows(text: string, format: PageFormat): string[] {
  const { geometry } = format;
  const cells = new Uint32Array(geometry.capacityCells);
  // In place of a glyph each cell gets the number of its character, two apart: the second cell of a wide one is between.
  const units: number[] = [];
  let unit = 0;
  const slotOf = (codePoint: number) => {
    units.push(unit);
    unit += codePoint > 0xffff ? 2 : 1;
    return FIRST_SLOT + 2 * (units.length - 1);
  };
  const { usedCells } = layPage(text, 0, geometry, format, { cells, dim: [], slotOf });
  const rows = Math.ceil(usedCells / geometry.columnsCells);
  const starts = Array.from({ length: rows }, (_, row) => {
    return units[(cells[row * geometry.columnsCells]! - FIRST_SLOT) / 2]!;
  });
  return starts.map((start, row) => text.slice(start, starts[row + 1]));
}
