/**
 * Finds what a chain of fonts may not print as it is; makes the tables of fonts/lookalikes.json.
 *
 * Takes the chain's fonts and the cell geometries of all shapes that use it. Afterwards every printed glyph is unlike
 * every other, and no wide glyph reads as two narrow ones under any of the geometries. Where several characters share
 * a bitmap, one keeps it; of the others, letters of some scripts get a mark, some are drawn by a later font of the
 * chain that tells them apart, and the rest are spelled out. Not used at run time.
 */
import { formatRanges } from './code-ranges.js';
import type { Font } from './font.js';
import { byPreference, marksFor } from './lookalike-rules.js';
import type { LookalikeTable } from './lookalikes.js';
import { markFits, markGlyph, marks } from './mark.js';
import { newlineCell, newlineGlyph, padGlyph } from './own-glyphs.js';
import { type Box, boxOf, type PlacedGlyph, placeGlyph } from './placed-glyph.js';
import { unprintableReason } from './printable.js';
import { type CellGeometry, findSplitWides } from './split-wides.js';

/** What becomes of a character whose bitmap another one keeps: a mark's number, a later font, or spelling out. */
export type Fate = number | 'later' | 'spelled';

/** One bitmap that several characters share. */
export interface LookalikeClass {
  readonly winner: number;
  readonly losers: ReadonlyMap<number, Fate>;
}

export interface LookalikeReport {
  readonly table: LookalikeTable;
  readonly classes: readonly LookalikeClass[];
  readonly printed: ReadonlyMap<number, PlacedGlyph>;
}

/** Applies the rules to a chain; the same input gives the same table on one Unicode version. */
export function findLookalikes(fonts: readonly Font[], geometries: readonly CellGeometry[]): LookalikeReport {
  const box = boxOf(fonts);
  const { drawn, unprintable } = drawAll(fonts, box);
  const { printed, classes } = settleClasses(drawn, fonts, box);
  const twoNarrow = findSplitWides(printed, padGlyph(box), geometries);
  for (const codePoint of twoNarrow) printed.delete(codePoint);
  const fates = classes.flatMap(({ losers }) => [...losers]);
  const withFate = (fate: Fate) => fates.filter(([, f]) => f === fate).map(([codePoint]) => codePoint);
  const printedWith = (fate: Fate) =>
    formatRanges(withFate(fate).filter((codePoint) => printed.has(codePoint)));
  const spelled = { ...unprintable, lookalike: withFate('spelled'), twoNarrow };
  const table = {
    spelled: Object.fromEntries(Object.entries(spelled).map(([reason, set]) => [reason, formatRanges(set)])),
    later: printedWith('later'),
    marked: marks.map((_, mark) => printedWith(mark)),
  };
  return { table, classes, printed };
}

/** Every glyph that the chain could print, before any is compared with another. */
function drawAll(fonts: readonly Font[], box: Box) {
  const drawn = new Map<number, PlacedGlyph>();
  const unprintable: Record<string, number[]> = {};
  const seen = new Set<number>();
  for (const font of fonts) {
    for (const codePoint of font.codePoints()) {
      if (seen.has(codePoint)) continue;
      seen.add(codePoint);
      const glyph = font.glyph(codePoint)!;
      const reason = unprintableReason(codePoint, glyph);
      if (reason === undefined) {
        drawn.set(codePoint, placeGlyph(glyph, font, box));
      } else {
        unprintable[reason] ??= [];
        unprintable[reason].push(codePoint);
      }
    }
  }
  drawn.set(newlineCell, newlineGlyph(box));
  return { drawn, unprintable };
}

function settleClasses(drawn: ReadonlyMap<number, PlacedGlyph>, fonts: readonly Font[], box: Box) {
  const groups = groupByBitmap(drawn);
  const taken = new Set([...groups.keys(), bitmapKey(padGlyph(box))]);
  const printed = new Map<number, PlacedGlyph>();
  const classes: LookalikeClass[] = [];
  for (const [winner, ...others] of groups.values()) {
    printed.set(winner!, drawn.get(winner!)!);
    const losers = new Map<number, Fate>();
    for (const loser of others) {
      const chosen = otherGlyphs(loser, drawn.get(loser)!, fonts, box).find(
        ([, g]) => !taken.has(bitmapKey(g)),
      );
      losers.set(loser, chosen?.[0] ?? 'spelled');
      if (chosen === undefined) continue;
      taken.add(bitmapKey(chosen[1]));
      printed.set(loser, chosen[1]);
    }
    if (losers.size > 0) classes.push({ winner: winner!, losers });
  }
  return { printed, classes };
}

/** What else could be printed for a character, in order of preference; a blank is never given ink. */
function otherGlyphs(codePoint: number, glyph: PlacedGlyph, fonts: readonly Font[], box: Box) {
  if (glyph.rows.every((row) => row === 0)) return [];
  const found: [Fate, PlacedGlyph][] = marksFor(codePoint)
    .filter((mark) => markFits(glyph, mark, box))
    .map((mark) => [mark, markGlyph(glyph, mark, box)]);
  const font = fonts.filter((candidate) => candidate.widthPx(codePoint) > 0)[1];
  if (font !== undefined) found.push(['later', placeGlyph(font.glyph(codePoint)!, font, box)]);
  return found;
}

/** Code points by bitmap; in each group the one that keeps it comes first. */
function groupByBitmap(drawn: ReadonlyMap<number, PlacedGlyph>): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const codePoint of [...drawn.keys()].sort(byPreference)) {
    const key = bitmapKey(drawn.get(codePoint)!);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [codePoint]);
    else group.push(codePoint);
  }
  return groups;
}

function bitmapKey({ widthPx, rows }: PlacedGlyph): string {
  return `${widthPx}:${rows.join()}`;
}
