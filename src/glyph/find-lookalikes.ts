/**
 * Finds what a chain of fonts may not print as it is; makes the tables of fonts/lookalikes.json.
 *
 * Takes the chain's fonts and the cell geometries of all shapes that use it. Gives the characters that are spelled
 * out although a font draws them, and the Greek and Cyrillic letters that are printed with a mark. Afterwards every
 * printed glyph is unlike every other, and no wide glyph reads as two narrow ones under any of the geometries.
 * Not used at run time.
 */
import { formatRanges } from './code-ranges.js';
import type { Font } from './font.js';
import type { LookalikeTable } from './lookalikes.js';
import { markFits, markGlyph, marks } from './mark.js';
import { newlineCell, newlineGlyph, padGlyph } from './own-glyphs.js';
import { type Box, boxOf, type PlacedGlyph, placeGlyph } from './placed-glyph.js';
import { unprintableReason } from './printable.js';
import { type CellGeometry, findSplitWides } from './split-wides.js';

/** One bitmap that several characters share: who prints it, and what becomes of the others. */
export interface LookalikeClass {
  readonly winner: number;
  /** Mark by code point; undefined where the character is spelled out. */
  readonly losers: ReadonlyMap<number, number | undefined>;
}

export interface LookalikeReport {
  readonly table: LookalikeTable;
  readonly classes: readonly LookalikeClass[];
  readonly printed: ReadonlyMap<number, PlacedGlyph>;
}

/** Applies the rules to a chain; the same input gives the same table on one Unicode version. */
export function findLookalikes(fonts: readonly Font[], geometries: readonly CellGeometry[]): LookalikeReport {
  const box = boxOf(fonts);
  const { drawn, spelled } = drawAll(fonts, box);
  const { printed, classes, losers } = settleClasses(drawn, box);
  const split = findSplitWides(printed, padGlyph(box), geometries);
  for (const codePoint of split) printed.delete(codePoint);
  const byMark = marks.map((_, mark) => classes.flatMap((c) => [...c.losers].filter(([, m]) => m === mark)));
  const marked = byMark.map((entries) => entries.map(([codePoint]) => codePoint).filter((c) => printed.has(c)));
  const sets = { ...spelled, lookalike: losers, twoNarrow: split };
  const ranges = Object.entries(sets).map(([reason, set]) => [reason, formatRanges(set)]);
  return { table: { spelled: Object.fromEntries(ranges), marked: marked.map(formatRanges) }, classes, printed };
}

function drawAll(fonts: readonly Font[], box: Box) {
  const drawn = new Map<number, PlacedGlyph>();
  const spelled: Record<string, number[]> = {};
  const seen = new Set<number>();
  for (const font of fonts) {
    for (const codePoint of font.codePoints()) {
      if (seen.has(codePoint)) continue;
      seen.add(codePoint);
      const glyph = font.glyph(codePoint)!;
      const reason = unprintableReason(codePoint, glyph);
      if (reason === undefined) drawn.set(codePoint, placeGlyph(glyph, font, box));
      else (spelled[reason] ??= []).push(codePoint);
    }
  }
  drawn.set(newlineCell, newlineGlyph(box));
  return { drawn, spelled };
}

function settleClasses(drawn: ReadonlyMap<number, PlacedGlyph>, box: Box) {
  const groups = groupByBitmap(drawn);
  const taken = new Set([...groups.keys(), bitmapKey(padGlyph(box))]);
  groups.delete(bitmapKey(padGlyph(box)));
  const printed = new Map<number, PlacedGlyph>();
  const classes: LookalikeClass[] = [];
  const spelledOut: number[] = [];
  for (const [winner, ...others] of groups.values()) {
    printed.set(winner!, drawn.get(winner!)!);
    const losers = new Map<number, number | undefined>();
    for (const loser of others) {
      const mark = chooseMark(loser, drawn.get(loser)!, taken, box);
      losers.set(loser, mark);
      if (mark === undefined) {
        spelledOut.push(loser);
        continue;
      }
      const glyph = markGlyph(drawn.get(loser)!, mark, box);
      taken.add(bitmapKey(glyph));
      printed.set(loser, glyph);
    }
    if (losers.size > 0) classes.push({ winner: winner!, losers });
  }
  return { printed, classes, losers: spelledOut };
}

/** Code points by bitmap, the winner of each group first. */
function groupByBitmap(drawn: ReadonlyMap<number, PlacedGlyph>): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const codePoint of [...drawn.keys()].sort(byRank)) {
    const key = bitmapKey(drawn.get(codePoint)!);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [codePoint]);
    else group.push(codePoint);
  }
  return groups;
}

const greekLetter = /^(?=\p{L})\p{Script=Greek}$/u;
const cyrillicLetter = /^(?=\p{L})\p{Script=Cyrillic}$/u;

/** The first mark of the letter's script that stands clear of its ink and leaves a bitmap nobody has. */
function chooseMark(codePoint: number, glyph: PlacedGlyph, taken: ReadonlySet<string>, box: Box) {
  const letter = String.fromCodePoint(codePoint);
  const order = greekLetter.test(letter) ? [0, 2, 3, 5, 1, 4] : cyrillicLetter.test(letter) ? [1, 2, 4, 5, 0, 3] : [];
  return order.find((mark) => markFits(glyph, mark, box) && !taken.has(bitmapKey(markGlyph(glyph, mark, box))));
}

/** ASCII first, then the newline cell and box drawing, then Latin-1, then by code point. */
function byRank(a: number, b: number): number {
  return rank(a) - rank(b) || a - b;
}

function rank(codePoint: number): number {
  if (codePoint < 0x80) return 0;
  if ((codePoint >= 0x2500 && codePoint < 0x2580) || codePoint === newlineCell) return 1;
  return codePoint < 0x100 ? 2 : 3;
}

function bitmapKey({ widthPx, rows }: PlacedGlyph): string {
  return `${widthPx}:${rows.join()}`;
}
