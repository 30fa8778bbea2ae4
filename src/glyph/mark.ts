/**
 * The mark that tells a Greek or Cyrillic letter from the letter it is drawn like.
 *
 * In a pixel font Latin A, Greek Alpha and Cyrillic A are one bitmap. Spelling every such letter as `[U+0410]` would
 * make Russian or Greek text unreadable, so the letter keeps its shape and gets a small sign where letters rarely have
 * ink: under its left foot for Greek, under its right foot for Cyrillic, then the other places in the order below.
 * Which letter gets which mark is decided once, in fonts/lookalikes.json.
 */
import type { Box, PlacedGlyph } from './placed-glyph.js';

/** A bar of two pixels: distance of its left end from the left edge of the box, and under or over the letter. */
interface Mark {
  readonly xPx: number;
  readonly side: 'under' | 'over';
}

/** In the order of their numbers in fonts/lookalikes.json; never reorder, frames on disk were printed with them. */
export const marks: readonly Mark[] = [
  { xPx: 0, side: 'under' },
  { xPx: 6, side: 'under' },
  { xPx: 3, side: 'under' },
  { xPx: 0, side: 'over' },
  { xPx: 6, side: 'over' },
  { xPx: 3, side: 'over' },
];

/** The glyph with mark number `mark` added. */
export function markGlyph(glyph: PlacedGlyph, mark: number, box: Box): PlacedGlyph {
  const rows = [...glyph.rows];
  rows[markRows(mark, box)[0]]! |= barAt(marks[mark]!.xPx, glyph.widthPx);
  return { ...glyph, rows };
}

/** Whether the mark stands clear: no ink of the glyph in its place, beside it, or between it and the letter. */
export function markFits(glyph: PlacedGlyph, mark: number, box: Box): boolean {
  const { xPx } = marks[mark]!;
  const around = [xPx - 1, xPx, xPx + 1].reduce((bits, left) => bits | barAt(left, glyph.widthPx), 0);
  return markRows(mark, box).every((row) => (glyph.rows[row]! & around) === 0);
}

/**
 * The row of the mark, and the row next to it on the letter's side. Over the letter it stands clear of capitals (11
 * rows above the baseline in Unifont) yet nearer to them than to the line above.
 */
function markRows(mark: number, box: Box): [number, number] {
  if (marks[mark]!.side === 'under') return [box.heightPx - 1, box.heightPx - 2];
  const over = Math.max(0, box.ascentPx - 12);
  return [over, over + 1];
}

/** Two pixels from `xPx` on, in a row of `widthPx`; what lies beyond an edge is cut off. */
function barAt(xPx: number, widthPx: number): number {
  const full = 2 ** widthPx - 1;
  return ((3 << widthPx) >> (xPx + 2)) & full;
}
