/**
 * Streaming reader of JSON values: bytes in, values with their line numbers out.
 *
 * Lines end at the byte 0x0A alone; U+2028 and U+0085 are ordinary text. The common case, one value per line, is
 * one `JSON.parse` per line. Everything else that occurs on disk is told apart only after that failed: several
 * values on a line, one value over several lines, NUL padding, noise between records, a cut last line, broken
 * lines. Memory is bounded by the largest single value, time is linear in the bytes.
 */
import { constants, isUtf8 } from 'node:buffer';
import { JsonScanner } from './json-scanner.js';

/** What the reader tells; each call names the 1-based line on which the thing starts. */
export interface JsonEvents {
  value(value: unknown, line: number): void;
  /** The value that comes next held bytes that are not UTF-8; each is U+FFFD now. */
  damaged?(line: number): void;
  /** A value that `passOver` named was left unparsed. */
  passed(kind: string, line: number): void;
  /** Starts like a JSON value and is none. `torn`: it runs to the end of the source and was cut there. */
  broken(line: number, reason: string, torn: boolean): void;
  /** Does not start like a JSON object or array. */
  noise(line: number): void;
}

/** Names the kind of a record that can be left out without being parsed, judged by its bytes; else undefined. */
export type PassOver = (line: Uint8Array) => string | undefined;

/** A line without its end; `torn` if the source ended instead. */
interface Line {
  readonly bytes: Buffer;
  readonly number: number;
  readonly torn: boolean;
}

/** A value that goes on in the next line. */
interface OpenValue {
  readonly lines: Line[];
  readonly scanner: JsonScanner;
  readonly indent: number;
  bytes: number;
}

/**
 * Bytes that may be looked at again after broken multi-line values, beyond the bytes of the source itself. A line
 * counts for more than its bytes, as it costs more.
 */
const rescanAllowanceBytes = 2 ** 20;
const lineCostBytes = 64;

export class JsonLines {
  passOver: PassOver | undefined;
  readonly #events: JsonEvents;
  /** Pieces of a line whose end has not come yet. */
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #lineNumber = 1;
  #open: OpenValue | undefined;
  /** Set while the rest of a broken value is passed by: how deep the next value may begin. */
  #skipToIndent: number | undefined;
  #seenBytes = 0;
  #rescannedBytes = 0;

  constructor(events: JsonEvents) {
    this.#events = events;
  }

  /** Whether a value has begun and not ended. */
  get isInsideValue(): boolean {
    if (this.#open !== undefined) return true;
    const head = this.#tail[0];
    return head !== undefined && startsValue(head, skipBlank(head, 0, head.length));
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#seenBytes += bytes.length;
    let from = 0;
    for (let newline = bytes.indexOf(10); newline >= 0; newline = bytes.indexOf(10, from)) {
      this.#endLine(bytes, from, newline);
      from = newline + 1;
    }
    if (from < bytes.length) this.#keepTail(bytes.subarray(from));
  }

  /** Call once, after the last chunk. */
  end(): void {
    if (this.#tailBytes > 0) this.#take({ bytes: this.#joinTail(), number: this.#lineNumber, torn: true });
    while (this.#open !== undefined) {
      for (const line of this.#giveUp(this.#open, true)) this.#take(line);
    }
  }

  #endLine(bytes: Buffer, from: number, to: number): void {
    const number = this.#lineNumber;
    this.#lineNumber += 1;
    let line = bytes.subarray(from, to);
    if (this.#tailBytes > 0) {
      this.#keepTail(line);
      line = this.#joinTail();
    }
    this.#take({ bytes: line, number, torn: false });
  }

  /** The caller may reuse its buffer, so what outlives the call is copied. */
  #keepTail(piece: Buffer): void {
    this.#tailBytes += piece.length;
    // A longer line cannot become one string; it will be reported, so its bytes need not be held.
    if (this.#tailBytes <= constants.MAX_STRING_LENGTH) this.#tail.push(Buffer.from(piece));
  }

  #joinTail(): Buffer {
    const joined = this.#tail.length === 1 ? (this.#tail[0] as Buffer) : Buffer.concat(this.#tail);
    this.#tail = [];
    const tooLong = this.#tailBytes > constants.MAX_STRING_LENGTH;
    this.#tailBytes = 0;
    if (!tooLong) return joined;
    this.#events.broken(this.#lineNumber, 'a line longer than any string can be', false);
    return Buffer.alloc(0);
  }

  #take(line: Line): void {
    const stack = [line];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const again = this.#open === undefined ? this.#begin(next) : this.#goOn(this.#open, next);
      for (let i = again.length - 1; i >= 0; i--) stack.push(again[i] as Line);
    }
  }

  /** [hot: once per line] */
  #begin(line: Line): readonly Line[] {
    const { bytes, number } = line;
    if (this.#skipToIndent !== undefined) {
      if (!beginsAt(bytes, this.#skipToIndent)) return [];
      this.#skipToIndent = undefined;
    }
    const from = skipBlank(bytes, 0, bytes.length);
    let to = bytes.length;
    while (to > from && (bytes[to - 1] as number) <= 0x20) to -= 1;
    if (from === to) return [];
    if (!startsValue(bytes, from)) {
      this.#events.noise(number);
      return [];
    }
    const text = bytes.subarray(from, to);
    const kind = line.torn ? undefined : this.passOver?.(text);
    if (kind !== undefined) {
      this.#events.passed(kind, number);
      return [];
    }
    const parsed = parse(text);
    if (parsed !== undefined) this.#tell(parsed, number);
    else if (isWords(text)) this.#events.noise(number);
    else this.#takeApart(line, from, to);
    return [];
  }

  /** A line that is not exactly one value. */
  #takeApart(line: Line, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const scanner = new JsonScanner();
      const found = scanner.scan(line.bytes, at, to);
      // A writer that died leaves NULs behind the half of a record, and the next one goes on behind them.
      const nul = found.state === 'end' ? -1 : line.bytes.indexOf(0, at);
      const next = nul < 0 || nul >= to ? to : skipBlank(line.bytes, nul, to);
      if (found.state === 'end') {
        this.#emit(line.bytes.subarray(at, found.at), line.number);
        at = skipBlank(line.bytes, found.at, to);
        if (at === to || startsValue(line.bytes, at)) continue;
        this.#events.broken(line.number, 'text after a complete value', false);
        return;
      }
      if (found.state === 'more' && !scanner.inString && next === to) {
        const rest = { ...line, bytes: Buffer.from(line.bytes.subarray(at)) };
        this.#open = { lines: [rest], scanner, indent: at - skipLeadingNul(line.bytes), bytes: to - at };
        return;
      }
      const place = scanner.inString ? 'cut inside a string' : 'cut inside a value';
      const reason = found.state === 'bad' ? `byte ${found.at + 1} cannot stand there` : place;
      this.#events.broken(line.number, reason, line.torn && found.state === 'more' && next === to);
      at = next;
    }
  }

  #goOn(open: OpenValue, line: Line): readonly Line[] {
    const found = open.scanner.scan(line.bytes, 0, line.bytes.length);
    open.bytes += line.bytes.length;
    const isTooLong = open.bytes > constants.MAX_STRING_LENGTH;
    if (found.state === 'more' && !open.scanner.inString && !isTooLong) {
      open.lines.push({ ...line, bytes: Buffer.from(line.bytes) });
      return [];
    }
    if (found.state !== 'end' || isTooLong) {
      open.lines.push(line);
      return this.#giveUp(open, line.torn && found.state === 'more');
    }
    this.#open = undefined;
    const parts = open.lines.map((part) => part.bytes);
    this.#emit(
      Buffer.concat([...parts, line.bytes.subarray(0, found.at)]),
      open.lines[0]?.number ?? line.number,
    );
    return [{ ...line, bytes: line.bytes.subarray(found.at) }];
  }

  /**
   * Reports an open value as broken and returns the lines to read afresh: from the next one that begins a value
   * no deeper than the broken one began. Lines in between are the rest of the broken value.
   */
  #giveUp(open: OpenValue, torn: boolean): readonly Line[] {
    this.#open = undefined;
    const [first, ...rest] = open.lines;
    const next = rest.findIndex((line) => beginsAt(line.bytes, open.indent));
    const isWords = !torn && open.lines.slice(0, -1).every((line) => !line.bytes.includes(0x22));
    if (isWords) this.#events.noise(first?.number ?? 0);
    else this.#events.broken(first?.number ?? 0, 'cut inside a value', torn && next < 0);
    if (next < 0) {
      this.#skipToIndent = open.indent;
      return [];
    }
    const again = rest.slice(next);
    this.#rescannedBytes += again.reduce((sum, line) => sum + line.bytes.length + lineCostBytes, 0);
    // Many open brackets in a row would otherwise be read again once per bracket.
    if (this.#rescannedBytes <= this.#seenBytes + rescanAllowanceBytes) return again;
    for (const line of again) {
      const parsed = parse(line.bytes);
      if (typeof parsed?.value === 'object') this.#tell(parsed, line.number);
      else this.#events.broken(line.number, 'cut inside a value', false);
    }
    return [];
  }

  #emit(text: Buffer, line: number): void {
    const parsed = parse(text);
    if (parsed !== undefined) this.#tell(parsed, line);
    else this.#events.broken(line, 'not valid JSON', false);
  }

  #tell({ value, damaged }: { readonly value: unknown; readonly damaged: boolean }, line: number): void {
    if (damaged) this.#events.damaged?.(line);
    this.#events.value(value, line);
  }
}

function parse(bytes: Buffer): { readonly value: unknown; readonly damaged: boolean } | undefined {
  try {
    const text = bytes.toString('utf8');
    const value: unknown = JSON.parse(text);
    return { value, damaged: text.includes('\ufffd') && !isUtf8(bytes) };
  } catch {
    return undefined;
  }
}

/**
 * Whether a line that begins with a bracket and is no JSON is a line of words all the same: `[INFO] go`, `[1/4] go`,
 * `{ braces }`. JSON of any use has a string before it goes wrong.
 */
function isWords(line: Buffer): boolean {
  const found = new JsonScanner().scan(line, 0, line.length);
  const end = found.state === 'more' ? line.length : found.at;
  const isWhole =
    found.state === 'more' || (found.state === 'end' && startsValue(line, skipBlank(line, end, line.length)));
  return !isWhole && !line.subarray(0, end).includes(0x22);
}

function startsValue(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x7b || bytes[at] === 0x5b;
}

/** Skips control bytes, blanks and byte order marks: files joined end to end carry them inside. */
function skipBlank(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to) {
    if ((bytes[at] as number) <= 0x20) at += 1;
    else if (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
    else break;
  }
  return Math.min(at, to);
}

function skipLeadingNul(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === 0) at += 1;
  return at;
}

/** Whether the line begins a value at most `indent` bytes from its start. */
function beginsAt(bytes: Buffer, indent: number): boolean {
  const at = skipBlank(bytes, 0, bytes.length);
  return at - skipLeadingNul(bytes) <= indent && startsValue(bytes, at);
}
