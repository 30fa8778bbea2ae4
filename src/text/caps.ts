/** Head and tail of a long text, cut between characters and never inside a note. */
import { SnapcompactError } from '../errors.js';
import { type Piece, pieces } from './note.js';

/** Limits in UTF-16 units of the source text. */
export interface Caps {
  /** One tool result. Default 2,000. */
  readonly outputChars: number;
  /** One argument of a call; also a name, a key and an intent. Default 500. */
  readonly argumentChars: number;
  /** All arguments of a call together. Default 2,000. */
  readonly callChars: number;
  /** Share of a cap that goes to the head of the text, 0 to 1. Default 0.6. */
  readonly headShare: number;
}

export const defaultCaps: Caps = { outputChars: 2000, argumentChars: 500, callChars: 2000, headShare: 0.6 };

/** The caps with their defaults. Throws `usage` for one that is no whole number from 0, or a share outside 0 to 1. */
export function resolveCaps(caps: Partial<Caps> = {}): Caps {
  const resolved = { ...defaultCaps, ...caps };
  for (const name of ['outputChars', 'argumentChars', 'callChars'] as const) {
    const value = resolved[name];
    if (!Number.isSafeInteger(value) || value < 0) throw badCap(name, 'a whole number from 0', value);
  }
  const { headShare } = resolved;
  if (!(headShare >= 0 && headShare <= 1)) throw badCap('headShare', 'a number from 0 to 1', headShare);
  return resolved;
}

function badCap(name: string, expected: string, got: number): SnapcompactError {
  return new SnapcompactError('usage', { expected, of: `the cap ${name}`, got: String(got) });
}

/** A text to print: what stands before the cut, the units left out (0 when all fits), what stands after it. */
export interface Capped {
  readonly head: readonly Piece[];
  readonly elidedChars: number;
  readonly tail: readonly Piece[];
}

/** Keeps at most `limitChars` units of `text`, `headShare` of them from its start. Linear. */
export function capText(text: string, limitChars: number, headShare: number): Capped {
  const all = pieces(text);
  const total = all.reduce((sum, piece) => sum + piece.text.length, 0);
  if (total <= limitChars) return { head: all, elidedChars: 0, tail: [] };
  const headChars = Math.round(limitChars * headShare);
  const head = take(all, headChars, 'start');
  const tail = take(all, limitChars - headChars, 'end');
  return { head, elidedChars: total - charsOf(head) - charsOf(tail), tail };
}

/** The pieces at one end that fit into `chars`; a note that does not fit whole ends the run. */
function take(all: readonly Piece[], chars: number, end: 'start' | 'end'): readonly Piece[] {
  const taken: Piece[] = [];
  let left = chars;
  for (const piece of end === 'start' ? all : all.toReversed()) {
    if (piece.text.length > left) {
      if (!piece.isNote && left > 0) taken.push({ text: cut(piece.text, left, end), isNote: false });
      break;
    }
    taken.push(piece);
    left -= piece.text.length;
  }
  return end === 'start' ? taken : taken.reverse();
}

function cut(text: string, chars: number, end: 'start' | 'end'): string {
  const at = end === 'start' ? chars : text.length - chars;
  const splitsPair = isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at));
  if (end === 'start') return text.slice(0, splitsPair ? at - 1 : at);
  return text.slice(splitsPair ? at + 1 : at);
}

function charsOf(list: readonly Piece[]): number {
  return list.reduce((sum, piece) => sum + piece.text.length, 0);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
