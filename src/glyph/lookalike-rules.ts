/**
 * Who keeps a bitmap that several characters share, and which of the others keep their shape with a mark.
 * Data for find-lookalikes.ts; not used at run time.
 */
import { newlineCell } from './own-glyphs.js';

/**
 * Blocks in order of preference; what is in none of them comes last, by code point. By code point alone a rune would
 * take the arrow's place and a radical the ideograph's, although transcripts hold the arrow and the ideograph.
 */
const preferred: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x7e],
  [newlineCell, newlineCell],
  [0x2500, 0x257f], // Box Drawing
  [0xa0, 0xff], // Latin-1
  [0x2580, 0x259f], // Block Elements
  [0x0100, 0x017f], // Latin Extended-A
  [0x0370, 0x045f], // Greek, and the Cyrillic of living languages
  [0x2423, 0x2423], // the visible space of terminals, before a bracket piece
  [0x2011, 0x2011], // models write the non-breaking hyphen far oftener than U+2010
  [0x2013, 0x27bf], // dashes and quotes to Dingbats: punctuation, arrows, mathematics, symbols
  [0x2010, 0x2012],
  [0x3000, 0x30ff], // CJK punctuation, kana
  [0x4e00, 0x9fff], // CJK ideographs
  [0xac00, 0xd7af], // Hangul
  [0xff00, 0xff60], // fullwidth forms
];

/** Orders the characters of one bitmap: the first keeps it. */
export function byPreference(a: number, b: number): number {
  return rank(a) - rank(b) || a - b;
}

function rank(codePoint: number): number {
  const found = preferred.findIndex(([first, last]) => codePoint >= first && codePoint <= last);
  return found < 0 ? preferred.length : found;
}

/**
 * Letters that keep their shape with a mark, and the marks (numbers of mark.ts) in the order they are tried. Each
 * script has corners of its own, so that a word in it is marked alike throughout.
 */
const markedLetters: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^(?=\p{L})\p{Script=Greek}$/u, [0, 2, 3, 5, 1, 4]],
  [/^(?=\p{L})\p{Script=Cyrillic}$/u, [1, 2, 4, 5, 0, 3]],
  // Persian and Urdu letters and digits share most of their shapes with the Arabic ones.
  [/^[\u0620-\u06FF]$/u, [4, 5, 3, 1, 2, 0]],
];

/** The marks to try for a character that another one looks like; empty when it is to be spelled out. */
export function marksFor(codePoint: number): readonly number[] {
  const letter = String.fromCodePoint(codePoint);
  return markedLetters.find(([pattern]) => pattern.test(letter))?.[1] ?? [];
}
