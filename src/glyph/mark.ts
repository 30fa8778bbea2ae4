/**
 * The mark that tells a Greek or Cyrillic letter from the letter it is drawn like.
 *
 * In a pixel font Latin A, Greek Alpha and Cyrillic A are one bitmap. Spelling every such letter as `[U+0410]` would
 * make Russian or Greek text unreadable, so the letter keeps its shape and gets a small sign where letters rarely have
 * ink: under its left foot for Greek, under its right foot for Cyrillic, then the other places in the order below.
 * Which letter gets which mark is decided once, in fonts/lookalikes.json.
 */
import type { Box, PlacedGlyph } from './placed-glyph.js';

/** A bar of two pixels at a corner of the box: distance of its left end from the left edge, and its row. */
interface Mark {
  readonly xPx: number;
  readonly row: 'bottom' | 'top';
}

/** In the order of their numbers in fonts/lookalikes.json; never reorder, frames on disk were printed with them. */
export const marks: readonly Mark[] = [
  { xPx: 0, row: 'bottom' },
  { xPx: 6, row: 'bottom' },
  { xPx: 3, row: 'bottom' },
  { xPx: 0, row: 'top' },
  { xPx: 6, row: 'top' },
  { xPx: 3, row: 'top' },
];

/** The glyph with mark number `mark` added. */
export function markGlyph(glyph: PlacedGlyph, mark: number, box: Box): PlacedGlyph {
  const { xPx, row } = marks[mark]!;
  const rows = [...glyph.rows];
  const y = row === 'top' ? 0 : box.heightPx - 1;
  rows[y]! |= markBits(xPx, glyph.widthPx);
  return { ...glyph, rows };
}

/** Whether the mark stands clear: no ink of the glyph in its place or beside it, in its row or the row next to it. */
export function markFits(glyph: PlacedGlyph, mark: number, box: Box): boolean {
  const { xPx, row } = marks[mark]!;
  const around = markBits(xPx - 1, glyph.widthPx) | markBits(xPx, glyph.widthPx) | markBits(xPx + 1, glyph.widthPx);
  const [edge, next] = row === 'top' ? [0, 1] : [box.heightPx - 1, box.heightPx - 2];
  return ((glyph.rows[edge]! | glyph.rows[next]!) & around) === 0;
}

function markBits(xPx: number, widthPx: number): number {
  const full = 2 ** widthPx - 1;
  return (xPx < 0 ? 1 << (widthPx - 1) : (3 << (widthPx - 1)) >> (xPx + 1)) & full;
}
