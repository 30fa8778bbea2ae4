/**
 * Finds the end of a JSON object or array in bytes that arrive piecewise.
 *
 * Needed only where a line is not exactly one value: several values on one line, one value over several lines,
 * cut lines. It checks the order of brackets, keys, colons and commas, which tells a value that goes on in the
 * next line from a line that was cut; the spelling of literals is left to `JSON.parse`.
 */
const expects = {
  value: 0,
  valueOrEnd: 1,
  key: 2,
  keyOrEnd: 3,
  colon: 4,
  commaOrEnd: 5,
  string: 6,
  scalar: 7,
} as const;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

/** `end`: the value ended before `at`. `more`: it goes on. `bad`: the byte at `at` cannot stand there. */
export interface ScanResult {
  readonly state: 'end' | 'more' | 'bad';
  readonly at: number;
}

export class JsonScanner {
  /** One entry per open bracket, its opening byte. */
  readonly #open: number[] = [];
  #state: number = expects.value;
  #afterString: number = expects.commaOrEnd;
  #escaped = false;

  /** Inside a string or an escape: a line break cannot follow. */
  get inString(): boolean {
    return this.#state === expects.string;
  }

  /** Scans `bytes[from, to)`, going on where the last call stopped. [hot for documents: once per byte, no allocation] */
  scan(bytes: Uint8Array, from: number, to: number): ScanResult {
    let at = from;
    while (at < to) {
      const byte = bytes[at] ?? 0;
      if (this.#state === expects.string) {
        at = this.#skipString(bytes, at, to);
        continue;
      }
      if (this.#state === expects.scalar) {
        if (isScalarByte(byte)) {
          at += 1;
          continue;
        }
        this.#state = expects.commaOrEnd;
      }
      at += 1;
      if (byte <= 0x20) continue;
      if (!this.#step(byte)) return { state: 'bad', at: at - 1 };
      if (this.#open.length === 0) return { state: 'end', at };
    }
    return { state: 'more', at };
  }

  #skipString(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const byte = bytes[at];
      at += 1;
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) {
        this.#state = this.#afterString;
        return at;
      }
    }
    return at;
  }

  #step(byte: number): boolean {
    const state = this.#state;
    const wantsValue = state === expects.value || state === expects.valueOrEnd;
    switch (byte) {
      case openBrace:
      case openBracket:
        if (!wantsValue) return false;
        this.#open.push(byte);
        this.#state = byte === openBrace ? expects.keyOrEnd : expects.valueOrEnd;
        return true;
      case closeBrace:
      case closeBracket:
        return this.#close(byte);
      case comma:
        if (state !== expects.commaOrEnd) return false;
        this.#state = this.#open.at(-1) === openBrace ? expects.key : expects.value;
        return true;
      case colon:
        if (state !== expects.colon) return false;
        this.#state = expects.value;
        return true;
      case quote:
        if (!wantsValue && state !== expects.key && state !== expects.keyOrEnd) return false;
        this.#afterString = wantsValue ? expects.commaOrEnd : expects.colon;
        this.#state = expects.string;
        return true;
      default:
        // The outermost value is an object or an array, so a scalar always has a bracket around it.
        if (!wantsValue || this.#open.length === 0 || !isScalarByte(byte)) return false;
        this.#state = expects.scalar;
        return true;
    }
  }

  #close(byte: number): boolean {
    const state = this.#state;
    const isObject = byte === closeBrace;
    const empty = isObject ? expects.keyOrEnd : expects.valueOrEnd;
    if (state !== expects.commaOrEnd && state !== empty) return false;
    if (this.#open.at(-1) !== (isObject ? openBrace : openBracket)) return false;
    this.#open.pop();
    this.#state = expects.commaOrEnd;
    return true;
  }
}

/** Letters of `true`, `false`, `null`, and everything a number is made of. */
function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x45
  );
}
