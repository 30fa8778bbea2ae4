/**
 * A font in Unifont's `.hex` text form, kept as the bytes of its file.
 *
 * One line a glyph, `CODE:ROWS`, code points ascending; ROWS are the rows from the top, 2 hexadecimal digits for each
 * 8 pixels, so the width follows from the length of the line and the height of the font. The index is one Uint32Array of 256 offsets for each page of 256 code points that has a glyph; an entry is
 * the offset of the first row digit, 0 for none. Glyphs become numbers only when somebody asks: Unifont has 57,000.
 */
import { SnapcompactError } from '../errors.js';
import type { Font, Glyph } from './font.js';

export interface HexFontFile {
  readonly name: string;
  readonly heightPx: number;
  readonly ascentPx: number;
  /** The text of the file, uncompressed. */
  readonly bytes: Buffer;
  /** Drawings that replace or add to those of the file. */
  readonly overrides: ReadonlyMap<number, Glyph>;
}

const newline = 0x0a;
const colon = 0x3a;
/** Value of each byte as an upper-case hexadecimal digit, 16 for any other byte. */
const digitValues = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++) digitValues['0123456789ABCDEF'.charCodeAt(value)] = value;

/** A font that reads its glyphs out of the text of a `.hex` file on demand. */
export class HexFont implements Font {
  readonly name: string;
  readonly heightPx: number;
  readonly ascentPx: number;
  readonly #bytes: Buffer;
  readonly #overrides: ReadonlyMap<number, Glyph>;
  readonly #pages: (Uint32Array | undefined)[] = [];

  constructor(file: HexFontFile) {
    this.name = file.name;
    this.heightPx = file.heightPx;
    this.ascentPx = file.ascentPx;
    this.#bytes = file.bytes;
    this.#overrides = file.overrides;
    this.#index();
  }

  glyph(codePoint: number): Glyph | undefined {
    const drawn = this.#overrides.get(codePoint);
    if (drawn !== undefined) return drawn;
    const start = this.#offset(codePoint);
    if (start === 0) return undefined;
    const widthPx = this.#widthAt(start);
    const rowDigits = widthPx / 4;
    const rows: number[] = [];
    for (let row = 0; row < this.heightPx; row++) {
      let bits = 0;
      for (let digit = 0; digit < rowDigits; digit++) {
        bits = bits * 16 + digitValues[this.#bytes[start + row * rowDigits + digit]!]!;
      }
      rows.push(bits);
    }
    return { widthPx, rows };
  }

  widthPx(codePoint: number): number {
    const drawn = this.#overrides.get(codePoint);
    if (drawn !== undefined) return drawn.widthPx;
    const start = this.#offset(codePoint);
    return start === 0 ? 0 : this.#widthAt(start);
  }

  *codePoints(): Iterable<number> {
    for (const [number, page] of this.#pages.entries()) {
      if (page === undefined) continue;
      for (let low = 0; low < 256; low++) {
        if (page[low] !== 0) yield number * 256 + low;
      }
    }
  }

  #offset(codePoint: number): number {
    return this.#pages[codePoint >> 8]?.[codePoint & 0xff] ?? 0;
  }

  /** A line is as many strides of 8 pixels long as the glyph is wide, so its end is found without reading it. */
  #widthAt(start: number): number {
    const stride = 2 * this.heightPx;
    let end = start + stride;
    while (end < this.#bytes.length && this.#bytes[end] !== newline) end += stride;
    return (8 * (end - start)) / stride;
  }

  // Runs over some 4 MB when a page first needs Unifont, before the compiler has warmed up: locals and integers only.
  #index(): void {
    const bytes = this.#bytes;
    const pages = this.#pages;
    const values = digitValues;
    const stride = 2 * this.heightPx;
    const end = bytes.length;
    let page: Uint32Array = new Uint32Array(256);
    let pageNumber = -1;
    let at = 0;
    while (at < end) {
      const lineStart = at;
      let codePoint = 0;
      for (let digit = values[bytes[at]!]!; digit < 16; digit = values[bytes[at]!]!) {
        codePoint = (codePoint << 4) | digit;
        at++;
      }
      const start = at + 1;
      at = start + stride;
      while (at < end && bytes[at] !== newline) at += stride;
      if (bytes[start - 1] !== colon || at >= end || codePoint >>> 0 > 0x10ffff) throw this.#torn(lineStart);
      if (codePoint >> 8 !== pageNumber) {
        pageNumber = codePoint >> 8;
        page = pages[pageNumber] ??= new Uint32Array(256);
      }
      page[codePoint & 0xff] = start;
      at++;
    }
  }

  #torn(lineStart: number): SnapcompactError {
    return new SnapcompactError('bad-data-file', {
      expected: `lines CODE:ROWS with ${this.heightPx} rows`,
      of: `the font ${this.name}`,
      got: JSON.stringify(this.#bytes.toString('latin1', lineStart, lineStart + 24)),
      where: `byte ${lineStart}`,
      hint: 'reinstall snapcompact',
    });
  }
}
