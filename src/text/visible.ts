/**
 * Content without what takes no cell, before marks are looked for in it.
 *
 * A mark with an invisible character inside would be a whole mark once that is gone, and a spelling set into a torn
 * terminal sequence would become part of it: so invisible things go first, in one pass, and escaping sees what will
 * be printed.
 */
import { classOf, ESCAPE, INVISIBLE } from './characters.js';
import { escapeSequenceEnd } from './invisible.js';

export interface VisibleText {
  readonly text: string;
  /** Characters taken out; a terminal escape sequence counts once. */
  readonly dropped: number;
}

/** Everything that may be invisible, and some that is not: a quick way to see that a text is plain. */
const maybeInvisible = /[^\t\n\r -~\u00a0-\u00ac\u00ae-\u0300\u2010-\u2027\u2030-\u205e\u2070-\u2fff]/;

/** Linear; the same string when nothing is taken out. */
export function visibleText(text: string): VisibleText {
  if (!maybeInvisible.test(text)) return { text, dropped: 0 };
  let out = '';
  let dropped = 0;
  let from = 0;
  for (let i = 0; i < text.length; ) {
    const end = invisibleEnd(text, i);
    if (end > i) {
      out += text.slice(from, i);
      from = end;
      dropped++;
      i = end;
    } else i += text.codePointAt(i)! > 0xffff ? 2 : 1;
  }
  return from === 0 ? { text, dropped } : { text: out + text.slice(from), dropped };
}

/** End of the invisible thing that starts at `at`, or `at` when what stands there is visible. */
function invisibleEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0x20 && unit < 0x7f) return at;
  const codePoint = text.codePointAt(at)!;
  const isLoneSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (isLoneSurrogate) return at;
  const kind = classOf(codePoint);
  if (kind === ESCAPE) return escapeSequenceEnd(text, at);
  return kind === INVISIBLE ? at + (codePoint > 0xffff ? 2 : 1) : at;
}
