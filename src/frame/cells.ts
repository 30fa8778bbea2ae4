/**
 * A page → the slots of its cells, the form in which it travels to a painter.
 *
 * The buffer is moved to a worker, not copied.
 */
import { layPage } from '../page/layout.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';

/** See `CellTarget.cells`; `columnsCells · rowsUsed` words. */
export type PageCells = Uint32Array<ArrayBuffer>;

/** Lays the page out over the rows it uses, filling the atlas with the glyphs it needs. */
export function cellsOfPage(page: Page, format: PageFormat): PageCells {
  const { geometry, atlas } = format;
  const grid = { columnsCells: geometry.columnsCells, rowsCells: page.rowsUsed };
  const cells = new Uint32Array(grid.columnsCells * grid.rowsCells);
  layPage(page.text, 0, grid, format, {
    cells,
    dim: page.dim,
    slotOf: (codePoint) => atlas.slotOf(codePoint),
  });
  return cells;
}
