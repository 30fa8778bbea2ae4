/**
 * Text → the characters that cells will hold.
 *
 * Normal form: printable characters, single spaces, and one `█` per run of line breaks; never white space at either
 * end, never white space beside `█` (but for indentation, on request). Normalising a normal text changes nothing.
 * One pass over the source into a growing array of UTF-16 units; linear for any input.
 */
import {
  BLANK,
  COMPOSING,
  classOf,
  ESCAPE,
  FOLDED,
  foldOf,
  INVISIBLE,
  LINE_BREAK,
  NEWLINE_UNIT,
} from './characters.js';
import { spellOut } from './escape.js';
import { escapeSequenceEnd } from './invisible.js';
import type { Piece } from './note.js';

/**
 * Cells that a character takes: 1, 2 for wide ones, 0 when no glyph exists and it must be spelled out. Printable
 * ASCII and U+2588 must be covered; one predicate always gives the same answers.
 */
export type Coverage = (codePoint: number) => number;

export interface NormalizeOptions {
  readonly coverage: Coverage;
  /** Keep the indentation of each line, tabs to the next multiple of 4, at most 40 cells. Default false. */
  readonly indented?: boolean;
}

export interface NormalizedText {
  readonly text: string;
  /** Characters printed as `[U+XXXX]` for want of a glyph. */
  readonly spelled: number;
  /** Control, format and zero-width characters that were dropped; a terminal escape sequence counts once. */
  readonly dropped: number;
}

/** Normalises one text on its own. See the file head for the form; `escapeMarks` comes before it. */
export function normalizeText(text: string, options: NormalizeOptions): NormalizedText {
  const writer = new NormalWriter(options);
  writer.content(text);
  return { text: writer.finish(), spelled: writer.spelled, dropped: writer.dropped };
}

/** A part of what a writer wrote, and what was spelled out and dropped in it. */
export interface WrittenPart {
  readonly writer: NormalWriter;
  readonly from: number;
  readonly to: number;
  readonly spelled: number;
  readonly dropped: number;
}

const NOTHING = 0;
/** Shorter parts are copied sooner one by one than through a view. */
const SHORT_UNITS = 64;
const SPACE = 0x20;
const TAB_CELLS = 4;
const MAX_INDENT_CELLS = 40;
const REPLACEMENT = 0xfffd;

/** Builds one normal text out of content and of marks that are already normal. */
export class NormalWriter {
  spelled = 0;
  dropped = 0;

  readonly #coverage: Coverage;
  readonly #indented: boolean;
  #units = new Uint16Array(1 << 12);
  #length = 0;
  /** Where the content being written started: white space before its first character is dropped. */
  #contentStart = 0;
  /** Nothing composes with a character before this place: it is not content, or not the same content. */
  #composeFrom = 0;
  /** White space that waits for a character to stand before: none, `BLANK` or `LINE_BREAK`. */
  #pending: number = NOTHING;
  /** Cells of white space seen since the last line break. */
  #indentCells = 0;

  /** `expectedUnits` is a guess of the text's length: room for it is made at once instead of by doubling. */
  constructor({ coverage, indented = false }: NormalizeOptions, expectedUnits = 0) {
    this.#coverage = coverage;
    this.#indented = indented;
    this.#reserve(expectedUnits);
  }

  /** UTF-16 units written so far. */
  get length(): number {
    return this.#length;
  }

  /** Appends text that is normal already: a mark, a header, a note of ours. */
  mark(text: string): void {
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) this.#units[this.#length++] = text.charCodeAt(i);
  }

  /** Appends what `writer` has from one place to another, and its counts. */
  append(other: WrittenPart): void {
    const units = other.writer.#units;
    const { from, to } = other;
    this.#reserve(to - from);
    if (to - from > SHORT_UNITS) this.#units.set(units.subarray(from, to), this.#length);
    else for (let i = from; i < to; i++) this.#units[this.#length + i - from] = units[i]!;
    this.#length += to - from;
    this.spelled += other.spelled;
    this.dropped += other.dropped;
  }

  /** Starts a new line, unless the text is at the start of one. */
  newline(): void {
    if (this.#length > 0 && this.#units[this.#length - 1] !== NEWLINE_UNIT) this.#push(NEWLINE_UNIT);
  }

  /** Appends content and the notes in it, normalised; white space at its ends is dropped. */
  content(text: string | readonly Piece[]): void {
    this.#contentStart = this.#length;
    this.#dropPending();
    for (const piece of typeof text === 'string' ? [{ text }] : text) {
      this.#composeFrom = this.#length;
      this.#scan(piece.text);
    }
    this.#dropPending();
  }

  /** The text written, without a line break at its end. */
  finish(): string {
    const isOpenLine = this.#length > 0 && this.#units[this.#length - 1] === NEWLINE_UNIT;
    return Buffer.from(this.#units.buffer, 0, (this.#length - (isOpenLine ? 1 : 0)) * 2).toString('utf16le');
  }

  /**
   * [hot] Once per unit of every source text: no allocation and no call for printable ASCII, spaces and line feeds.
   * Works on locals, which `#special` cannot see: they are put back before and read again after it.
   */
  #scan(text: string): void {
    const { length } = text;
    const contentStart = this.#contentStart;
    this.#reserve(this.#roomFor(length));
    let units = this.#units;
    let at = this.#length;
    let pending = this.#pending;
    let indentCells = this.#indentCells;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > SPACE && unit < 0x7f) {
        if (pending !== NOTHING) {
          if (pending === LINE_BREAK) at = this.#separate(units, at, pending, indentCells);
          else if (at !== contentStart) units[at++] = SPACE;
          pending = NOTHING;
          indentCells = 0;
        }
        units[at++] = unit;
      } else if (unit === SPACE) {
        if (pending === NOTHING) pending = BLANK;
        indentCells++;
      } else if (unit === 0x0a) {
        pending = LINE_BREAK;
        indentCells = 0;
      } else {
        this.#length = at;
        this.#pending = pending;
        this.#indentCells = indentCells;
        i = this.#special(text, i, unit);
        this.#reserve(this.#roomFor(length - i));
        units = this.#units;
        at = this.#length;
        pending = this.#pending;
        indentCells = this.#indentCells;
      }
    }
    this.#length = at;
    this.#pending = pending;
    this.#indentCells = indentCells;
  }

  /** Units that `units` more of source may become on the fast path: a tab is the one that grows, to cells. */
  #roomFor(units: number): number {
    return this.#indented ? units * TAB_CELLS + 1 : units + 1;
  }

  /** Anything but printable ASCII and the space; returns the index of the last unit it used. */
  #special(text: string, at: number, unit: number): number {
    const codePoint = unit >= 0xd800 && unit <= 0xdfff ? wholeCodePoint(text, at) : unit;
    const last = codePoint > 0xffff ? at + 1 : at;
    switch (classOf(codePoint)) {
      case LINE_BREAK:
        this.#pending = LINE_BREAK;
        this.#indentCells = 0;
        break;
      case BLANK:
        if (this.#pending === NOTHING) this.#pending = BLANK;
        this.#indentCells += unit === 0x09 ? TAB_CELLS - (this.#indentCells % TAB_CELLS) : 1;
        break;
      case ESCAPE:
        this.dropped++;
        return escapeSequenceEnd(text, at) - 1;
      case INVISIBLE:
        this.dropped++;
        break;
      case FOLDED:
        for (const char of foldOf(codePoint)!) this.#character(char.codePointAt(0)!);
        break;
      case COMPOSING:
        this.#flushPending();
        if (!this.#compose(codePoint)) this.#character(codePoint);
        break;
      default:
        this.#character(codePoint);
    }
    return last;
  }

  #character(codePoint: number): void {
    this.#flushPending();
    if (this.#coverage(codePoint) > 0) {
      this.#pushCodePoint(codePoint);
    } else {
      this.spelled++;
      this.mark(spellOut(codePoint));
    }
  }

  /** Replaces the last character of this content by its composition with `mark`, where that has a glyph. */
  #compose(mark: number): boolean {
    if (this.#length <= this.#composeFrom) return false;
    const low = this.#units[this.#length - 1]!;
    const isPair = low >= 0xdc00 && low <= 0xdfff;
    const start = this.#length - (isPair ? 2 : 1);
    const base = String.fromCharCode(...this.#units.subarray(start, this.#length));
    const composed = (base + String.fromCodePoint(mark)).normalize('NFC');
    const codePoint = composed.codePointAt(0)!;
    if (composed.length !== (codePoint > 0xffff ? 2 : 1) || this.#coverage(codePoint) === 0) return false;
    this.#length = start;
    this.#pushCodePoint(codePoint);
    return true;
  }

  #flushPending(): void {
    if (this.#pending === NOTHING) return;
    this.#reserve(MAX_INDENT_CELLS + 1);
    this.#length = this.#separate(this.#units, this.#length, this.#pending, this.#indentCells);
    this.#dropPending();
  }

  /** Writes pending white space at `at`, unless the content starts there; returns the place after it. */
  #separate(units: Uint16Array, at: number, pending: number, indentCells: number): number {
    if (at === this.#contentStart) return at;
    let next = at;
    if (pending === BLANK) units[next++] = SPACE;
    else {
      if (units[next - 1] !== NEWLINE_UNIT) units[next++] = NEWLINE_UNIT;
      const cells = this.#indented ? Math.min(indentCells, MAX_INDENT_CELLS) : 0;
      for (let cell = 0; cell < cells; cell++) units[next++] = SPACE;
    }
    return next;
  }

  #dropPending(): void {
    this.#pending = NOTHING;
    this.#indentCells = 0;
  }

  #pushCodePoint(codePoint: number): void {
    if (codePoint > 0xffff) {
      this.#push(0xd800 + ((codePoint - 0x10000) >> 10));
      this.#push(0xdc00 + ((codePoint - 0x10000) & 0x3ff));
    } else this.#push(codePoint);
  }

  #push(unit: number): void {
    this.#reserve(1);
    this.#units[this.#length++] = unit;
  }

  #reserve(units: number): void {
    if (this.#length + units <= this.#units.length) return;
    const grown = new Uint16Array(Math.max(this.#units.length * 2, this.#length + units));
    grown.set(this.#units.subarray(0, this.#length));
    this.#units = grown;
  }
}

/** The code point at a surrogate; half a pair counts as U+FFFD. */
function wholeCodePoint(text: string, at: number): number {
  const codePoint = text.codePointAt(at)!;
  return codePoint > 0xffff ? codePoint : REPLACEMENT;
}
