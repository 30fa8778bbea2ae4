/**
 * Wide glyphs that would read as two narrow ones.
 *
 * A decoder walks a row of cells from the left. At a cell that shows a narrow glyph it must know whether a wide one
 * begins instead; it does when the next cell shows the wide one's right half, unless that half could itself begin a
 * character. So a wide glyph is ambiguous when its left half is a narrow cell and its right half is a narrow cell or
 * the left half of a wide glyph. Not used at run time.
 */
import { newlineCell } from './own-glyphs.js';
import type { PlacedGlyph } from './placed-glyph.js';

/** Where a shape puts glyphs into its cells, in pixels. */
export interface CellGeometry {
  readonly advancePx: number;
  /** Left edge of a narrow glyph in its cell. */
  readonly xPx: number;
  /** Left edge of a wide glyph in its two cells. */
  readonly wideXPx: number;
}

interface Halves {
  readonly left: string;
  readonly right: string;
}

/**
 * The code points of `printed` whose wide glyphs are ambiguous under any of the geometries. One pass is the fixed
 * point of removing: without them there are fewer left halves, so nothing new becomes ambiguous.
 */
export function findSplitWides(
  printed: ReadonlyMap<number, PlacedGlyph>,
  pad: PlacedGlyph,
  geometries: readonly CellGeometry[],
): number[] {
  const found = new Set<number>();
  for (const geometry of geometries) {
    const narrow = narrowCells(printed, pad, geometry);
    const wides = wideHalves(printed, geometry);
    const starts = new Set([...wides.values()].map(({ left }) => left));
    for (const [codePoint, { left, right }] of wides) {
      if (narrow.has(left) && (narrow.has(right) || starts.has(right))) found.add(codePoint);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Bitmaps of all cells that a narrow character, the pad or the newline can leave. */
function narrowCells(
  printed: ReadonlyMap<number, PlacedGlyph>,
  pad: PlacedGlyph,
  { advancePx, xPx }: CellGeometry,
) {
  const cells = new Set<string>();
  for (const [codePoint, glyph] of [...printed, [-1, pad] as const]) {
    if (glyph.cells !== 1) continue;
    const shift = advancePx - xPx - glyph.widthPx;
    const full = 2 ** advancePx - 1;
    cells.add(glyph.rows.map((bits) => (codePoint === newlineCell ? full : bits << shift)).join());
  }
  return cells;
}

function wideHalves(printed: ReadonlyMap<number, PlacedGlyph>, { advancePx, wideXPx }: CellGeometry) {
  const halves = new Map<number, Halves>();
  const mask = 2 ** advancePx - 1;
  for (const [codePoint, glyph] of printed) {
    if (glyph.cells !== 2) continue;
    const shift = 2 * advancePx - wideXPx - glyph.widthPx;
    const left = glyph.rows.map((bits) => (bits << shift) >> advancePx).join();
    const right = glyph.rows.map((bits) => (bits << shift) & mask).join();
    halves.set(codePoint, { left, right });
  }
  return halves;
}
