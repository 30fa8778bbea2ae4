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
    const digits = widthPx / 4;
    const rows: number[] = [];
    for (let row = 0; row < this.heightPx; row++) {
      let bits = 0;
      for (let digit = 0; digit < digits; digit++) {
        bits = bits * 16 + hexValue(this.#bytes[start + row * digits + digit]!);
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

  // Runs over some 4 MB when a page first needs Unifont: bytes and integers only.
  #index(): void {
    const bytes = this.#bytes;
    const stride = 2 * this.heightPx;
    let at = 0;
    while (at < bytes.length) {
      let codePoint = 0;
      const lineStart = at;
      while (bytes[at] !== colon && at - lineStart < 7) codePoint = codePoint * 16 + hexValue(bytes[at++]!);
      const start = ++at;
      at += stride;
      while (at < bytes.length && bytes[at] !== newline) at += stride;
      if (at >= bytes.length || !(codePoint <= 0x10ffff)) throw this.#torn(lineStart);
      this.#pages[codePoint >> 8] ??= new Uint32Array(256);
      this.#pages[codePoint >> 8]![codePoint & 0xff] = start;
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

/** Value of an upper-case hexadecimal digit; NaN for anything else, which no code point survives. */
function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  return Number.NaN;
}
