/**
 * Plain text and Markdown. Who said what is not guessed: a mark of a turn may just as well be quoted inside tool
 * output. The text is archived as it stands, in messages of a bounded size so that no string grows with the file.
 */
import type { Message } from '../history/history.js';
import { uniqueIds } from './draft.js';
import type { Confidence, Imported, Importer, Probe, RecordSink } from './importer.js';

export const text: Importer = {
  name: 'text',
  title: 'plain text or Markdown',
  reads: 'text',
  detect,
  open: () => new TextSink(),
};

/** A message ends at the first line break after this many UTF-16 units. */
const pieceChars = 64 * 2 ** 10;
/** A line longer than this is cut where it is, between two characters. */
const maxPieceChars = 16 * pieceChars;

/** Any text can be read as text; it is certain only where nothing else could be meant. */
function detect(probe: Probe): Confidence {
  return probe.jsonShare > 0.5 ? 'probable' : 'certain';
}

class TextSink implements RecordSink {
  readonly #messages: Message[] = [];
  #pending: string[] = [];
  #pendingChars = 0;
  readonly #nextId = uniqueIds();
  #line = 1;

  record(value: unknown): void {
    if (typeof value !== 'string') return;
    let at = 0;
    while (at < value.length) {
      const end = this.#endOfPiece(value, at);
      this.#pending.push(value.slice(at, end.at));
      this.#pendingChars += end.at - at;
      if (end.found) this.#flush();
      at = end.at;
    }
  }

  finish(): Imported {
    this.#flush();
    return { history: { messages: this.#messages } };
  }

  #endOfPiece(value: string, from: number): { at: number; found: boolean } {
    const earliest = from + Math.max(0, pieceChars - this.#pendingChars);
    const latest = from + maxPieceChars - this.#pendingChars;
    const newline = earliest < value.length ? value.indexOf('\n', earliest) : -1;
    if (newline >= 0 && newline < latest) return { at: newline + 1, found: true };
    if (value.length < latest) return { at: value.length, found: false };
    const isPairCut = /[\ud800-\udbff]/.test(value[latest - 1] ?? '') && latest - 1 > from;
    return { at: isPairCut ? latest - 1 : latest, found: true };
  }

  #flush(): void {
    if (this.#pendingChars === 0) return;
    const piece = this.#pending.join('');
    this.#pending = [];
    this.#pendingChars = 0;
    if (/\S/.test(piece)) {
      const blocks = [{ type: 'text' as const, text: piece }];
      // A line that had to be cut gives several messages with the same number.
      const id = this.#nextId(`line:${this.#line}`);
      this.#messages.push({ id, role: 'user', blocks, injected: 'text file' });
    }
    for (let i = piece.indexOf('\n'); i >= 0; i = piece.indexOf('\n', i + 1)) this.#line += 1;
  }
}
