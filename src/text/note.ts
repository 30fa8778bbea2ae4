/**
 * Notes of ours inside a source text: stand-ins for data and for secrets.
 *
 * A note is kept apart from content by two noncharacters, so that it is printed as it is while the content around it
 * is escaped. A noncharacter that came with the content becomes a note itself, and so is neither lost nor misread.
 */
import { escapeMarks, spellOut } from './escape.js';
import { visibleText } from './visible.js';

const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';

/** `[kind: detail, detail]`, ready to stand in a source text. Details are foreign: see `noteText`. */
export function note(kind: string, details: readonly string[] = []): string {
  return `${OPEN}${noteText(kind, details)}${CLOSE}`;
}

/** A mark of ours that is printed already, ready to stand in a source text. */
export function keptMark(mark: string): string {
  return `${OPEN}${mark}${CLOSE}`;
}

/**
 * The printed form of a note alone. A detail stands on one line, cut to 200 units with `…` where it is longer; its
 * marks are escaped, and the signs that would end the note or an argument around it are spelled out.
 */
export function noteText(kind: string, details: readonly string[] = []): string {
  const shown = details.filter((detail) => detail !== '').map(shownDetail);
  return shown.length === 0 ? `[${kind}:]` : `[${kind}: ${shown.join(', ')}]`;
}

const MAX_DETAIL_CHARS = 200;

function shownDetail(detail: string): string {
  const bare = visibleText(detail.replaceAll(OPEN, '').replaceAll(CLOSE, ''))
    .text.replace(/\s+/g, ' ')
    .trim();
  const cut = bare.length <= MAX_DETAIL_CHARS ? bare : `${bare.slice(0, MAX_DETAIL_CHARS).toWellFormed()}…`;
  return escapeMarks(cut).replace(/\[U\+[0-9A-F]+\]|[\]"]/g, (sign) =>
    sign.length > 1 ? sign : spellOut(sign.charCodeAt(0)),
  );
}

/** Foreign text made safe to hold notes: its own noncharacters are spelled out as notes. */
export function withoutNotes(text: string): string {
  if (!text.includes(OPEN) && !text.includes(CLOSE)) return text;
  return text.replace(/[\ufdd0\ufdd1]/g, (char) => `${OPEN}${spellOut(char.charCodeAt(0))}${CLOSE}`);
}

export interface Piece {
  readonly text: string;
  readonly isNote: boolean;
}

/** Whether a source text holds a note; most hold none and need not be taken apart. */
export function hasNotes(text: string): boolean {
  return text.includes(OPEN);
}

/** Whether a cut before unit `at` would fall inside a note. */
export function isInsideNote(text: string, at: number): boolean {
  const open = text.lastIndexOf(OPEN, at - 1);
  if (open < 0) return false;
  const close = text.indexOf(CLOSE, open);
  return close >= at;
}

/** A source text without the signs that set its notes apart. */
export function withoutNoteSigns(text: string): string {
  return hasNotes(text) ? text.replaceAll(OPEN, '').replaceAll(CLOSE, '') : text;
}

/** A source text as content and notes, in order; empty content is left out. */
export function pieces(text: string): readonly Piece[] {
  if (!hasNotes(text)) return text === '' ? [] : [{ text, isNote: false }];
  const found: Piece[] = [];
  let from = 0;
  while (from < text.length) {
    const open = text.indexOf(OPEN, from);
    const close = open < 0 ? -1 : text.indexOf(CLOSE, open);
    if (close < 0) {
      found.push({ text: text.slice(from), isNote: false });
      break;
    }
    if (open > from) found.push({ text: text.slice(from, open), isNote: false });
    found.push({ text: text.slice(open + 1, close), isNote: true });
    from = close + 1;
  }
  return found;
}
