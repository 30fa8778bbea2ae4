/**
 * Cell bitmaps → characters, the inverse of the atlas.
 *
 * Every distinct bitmap of one cell has an id, found through a hash table and compared row by row; a wide character is
 * a pair of ids. Fonts are indexed when needed: the first one alone reads most frames. That is safe, because no wide
 * glyph is two narrow ones side by side: a frame all of whose cells are glyphs of the first font holds nothing else.
 */
import { Atlas, cellBitmaps, NEWLINE_SLOT, PAD_SLOT } from '../glyph/atlas.js';
import type { FontChain } from '../glyph/font-chain.js';
import type { Shape } from '../page/shapes.js';

/** No character has this bitmap. */
export const NOTHING = -1;
/** The pad cell. */
export const PAD = -2;
/** The bitmap is half of a wide character only. */
const HALF = -3;

/** More than there are distinct bitmaps in any chain; pairs of ids stay exact in a number. */
const MAX_IDS = 1 << 18;

export class GlyphIndex {
  readonly #pitchPx: number;
  /** `pitchPx` words per id. */
  #bitmaps: Uint32Array;
  /** Character, `PAD` or `HALF` of each id. */
  readonly #characters: number[] = [];
  /** Wide characters by `left id · MAX_IDS + right id`. */
  readonly #wide = new Map<number, number>();
  /** Open addressing, id + 1 in each place; length a power of two, at most half full. */
  #table = new Int32Array(1 << 14);

  constructor(chain: FontChain, shape: Shape, fonts: number) {
    this.#pitchPx = shape.cell.pitchPx;
    this.#bitmaps = new Uint32Array(this.#pitchPx << 12);
    const { words } = new Atlas(chain, shape).image;
    const fixed = (slot: number) => words.subarray(slot * this.#pitchPx, (slot + 1) * this.#pitchPx);
    this.#add(new Uint32Array(this.#pitchPx), 0x20);
    this.#add(fixed(NEWLINE_SLOT), 0x2588);
    this.#add(fixed(PAD_SLOT), PAD);
    for (const codePoint of chain.codePoints(fonts)) {
      const [left, right] = cellBitmaps(chain.glyph(codePoint)!, shape);
      if (right === undefined) this.#add(left!, codePoint);
      else this.#wide.set(this.#add(left!, HALF) * MAX_IDS + this.#add(right, HALF), codePoint);
    }
  }

  /** Id of the cell bitmap at `words[from]`, or `NOTHING`. [hot] Once per cell: no allocation. */
  idOf(words: Uint32Array, from: number): number {
    const mask = this.#table.length - 1;
    for (let place = this.#hash(words, from) & mask; ; place = (place + 1) & mask) {
      const id = this.#table[place]! - 1;
      if (id < 0) return NOTHING;
      if (this.#isAt(id, words, from)) return id;
    }
  }

  /** Character of a one-cell bitmap, `PAD`, or `NOTHING`. */
  narrow(id: number): number {
    const character = id < 0 ? NOTHING : this.#characters[id]!;
    return character === HALF ? NOTHING : character;
  }

  /** Wide character of two cells, or `NOTHING`. */
  wide(left: number, right: number): number {
    return left < 0 || right < 0 ? NOTHING : (this.#wide.get(left * MAX_IDS + right) ?? NOTHING);
  }

  #add(rows: Uint32Array, character: number): number {
    const known = this.idOf(rows, 0);
    if (known >= 0) {
      if (this.#characters[known] === HALF) this.#characters[known] = character;
      return known;
    }
    const id = this.#characters.length;
    this.#characters.push(character);
    if ((id + 1) * this.#pitchPx > this.#bitmaps.length) this.#bitmaps = grown(this.#bitmaps);
    this.#bitmaps.set(rows, id * this.#pitchPx);
    if ((id + 1) * 2 > this.#table.length) this.#rehash();
    else this.#place(id);
    return id;
  }

  #rehash(): void {
    this.#table = new Int32Array(this.#table.length * 2);
    for (let id = 0; id < this.#characters.length; id++) this.#place(id);
  }

  #place(id: number): void {
    const mask = this.#table.length - 1;
    let place = this.#hash(this.#bitmaps, id * this.#pitchPx) & mask;
    while (this.#table[place] !== 0) place = (place + 1) & mask;
    this.#table[place] = id + 1;
  }

  /** FNV-1a over rows instead of bytes; the top bits are folded in, since a table keeps the low ones. */
  #hash(words: Uint32Array, from: number): number {
    let hash = 0x811c9dc5;
    for (let i = from; i < from + this.#pitchPx; i++) hash = Math.imul(hash ^ words[i]!, 0x01000193);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  #isAt(id: number, words: Uint32Array, from: number): boolean {
    const at = id * this.#pitchPx;
    for (let i = 0; i < this.#pitchPx; i++) if (this.#bitmaps[at + i] !== words[from + i]) return false;
    return true;
  }
}

function grown(words: Uint32Array): Uint32Array {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
}
