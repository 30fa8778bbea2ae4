/**
 * A printed history as text: the same marks as in a normal text, and content as it came, with its own line breaks,
 * white space and characters. Content is escaped before, as for any page.
 */
import type { Piece } from './note.js';

/** As `NormalWriter`, for text that stays text. */
export class VerbatimWriter {
  readonly spelled = 0;
  dropped = 0;

  readonly #parts: string[] = [];
  #length = 0;
  #isAtLineStart = true;

  /** UTF-16 units written so far. */
  get length(): number {
    return this.#length;
  }

  mark(text: string): void {
    this.#push(text);
  }

  newline(): void {
    if (!this.#isAtLineStart) this.#push('\n');
  }

  /** White space at the ends of content is dropped, as between any mark and what it stands for. */
  content(text: string | readonly Piece[]): void {
    const whole = typeof text === 'string' ? text : text.map((piece) => piece.text).join('');
    this.#push(whole.trim());
  }

  /** The text written, without a line break at its end; half a character, which no API takes, as U+FFFD. */
  finish(): string {
    const text = this.#parts.join('').toWellFormed();
    return text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  #push(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    this.#isAtLineStart = text.endsWith('\n');
  }
}
