/**
 * What the normaliser does with each character before it asks whether a glyph exists.
 *
 * The classes follow Unicode's own properties, read once per character and kept: a table for the first plane, a map
 * for the others.
 */
import { readPackageJson } from '../package-files.js';
import { isBlank, isIgnorable, isLineBreak } from './invisible.js';

/** Prints as itself, if a glyph exists. */
export const PLAIN = 1;
/** Takes no cell and leaves no trace. */
export const INVISIBLE = 2;
export const BLANK = 3;
export const LINE_BREAK = 4;
/** Joins the character before it where one composed character exists. */
export const COMPOSING = 5;
/** Prints as other characters: see `foldOf`. */
export const FOLDED = 6;
/** May open a terminal escape sequence. */
export const ESCAPE = 7;

export type CharacterClass = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** The one cell that a run of line breaks becomes. */
export const NEWLINE_CELL = '█';
export const NEWLINE_UNIT = 0x2588;

const firstPlane = new Uint8Array(0x10000);
const otherPlanes = new Map<number, CharacterClass>();

/** Class of a code point; lone surrogates are the caller's to sort out. */
export function classOf(codePoint: number): CharacterClass {
  if (codePoint > 0xffff) {
    const known = otherPlanes.get(codePoint);
    if (known !== undefined) return known;
    const found = classify(codePoint);
    otherPlanes.set(codePoint, found);
    return found;
  }
  if (firstPlane[codePoint] === 0) firstPlane[codePoint] = classify(codePoint);
  return firstPlane[codePoint] as CharacterClass;
}

const mark = /^\p{M}$/u;

function classify(codePoint: number): CharacterClass {
  if (codePoint === NEWLINE_UNIT || isLineBreak(codePoint)) return LINE_BREAK;
  if (codePoint === 0x1b || (codePoint >= 0x80 && codePoint <= 0x9f)) return ESCAPE;
  if (isBlank(codePoint)) return BLANK;
  if (isIgnorable(codePoint)) return INVISIBLE;
  if (foldOf(codePoint) !== undefined) return FOLDED;
  return isJamoTail(codePoint) || mark.test(String.fromCodePoint(codePoint)) ? COMPOSING : PLAIN;
}

/** Conjoining vowels and final consonants: they compose with the Hangul syllable before them as marks do. */
function isJamoTail(codePoint: number): boolean {
  return codePoint >= 0x1161 && codePoint <= 0x11ff;
}

let folds: ReadonlyMap<string, string> | undefined;

/** What a folded or non-canonical character prints as; undefined for one that stays as it is. */
export function foldOf(codePoint: number): string | undefined {
  if (codePoint < 0x80) return undefined;
  folds ??= new Map(
    Object.entries((readPackageJson('src/text/folds.json') as { folds: Record<string, string> }).folds),
  );
  const char = String.fromCodePoint(codePoint);
  const folded = folds.get(char);
  if (folded !== undefined) return folded;
  const canonical = char.normalize('NFC');
  return canonical === char ? undefined : canonical;
}
