/**
 * The fonts of a shape as one: each character from the first font that has it, on one baseline, in one box.
 *
 * Promises: no two printed glyphs are alike, a wide one never reads as two narrow ones, and a character without a
 * glyph of its own says so (`coverage` 0) instead of printing something else. Frames decode exactly because of it.
 * Later fonts are read from disk when a character first misses the earlier ones.
 */
import type { Font } from './font.js';
import { type FontRecord, fontRecord } from './font-records.js';
import { loadFont } from './load-font.js';
import { Lookalikes, readLookalikes, treatment } from './lookalikes.js';
import { markGlyph } from './mark.js';
import { newlineCell, newlineGlyph, padGlyph } from './own-glyphs.js';
import { type Box, boxOf, type PlacedGlyph, placeGlyph } from './placed-glyph.js';

export type { PlacedGlyph } from './placed-glyph.js';

const highestCodePoint = 0x10ffff;

/** A chain of fonts; get one from `loadFontChain`. */
export class FontChain {
  /** Names of the fonts joined with `+`. */
  readonly id: string;
  readonly boxHeightPx: number;
  /** Rows of the box above the baseline. */
  readonly boxAscentPx: number;
  /** Fills the last cell of a row when the next character needs two. */
  readonly padGlyph: PlacedGlyph;

  readonly #records: readonly FontRecord[];
  readonly #box: Box;
  readonly #lookalikes: Lookalikes;
  /** Pages of 256: cells + 1, or 0 where nobody asked yet. */
  readonly #coverage: (Uint8Array | undefined)[] = [];
  readonly #glyphs = new Map<number, PlacedGlyph>();

  constructor(names: readonly string[]) {
    this.id = names.join('+');
    this.#records = names.map(fontRecord);
    this.#lookalikes = new Lookalikes(readLookalikes(this.id));
    this.#box = boxOf(this.#records);
    this.boxHeightPx = this.#box.heightPx;
    this.boxAscentPx = this.#box.ascentPx;
    this.padGlyph = padGlyph(this.#box);
    this.#glyphs.set(newlineCell, newlineGlyph(this.#box));
  }

  /**
   * Cells that the character takes when printed: 0 when it has no glyph of its own and must be spelled out.
   * Called for every character of every page: no allocation after the first call for a page of 256 code points.
   */
  coverage(codePoint: number): 0 | 1 | 2 {
    const known = this.#coverage[codePoint >> 8]?.[codePoint & 0xff] ?? 0;
    return known === 0 ? this.#measure(codePoint) : ((known - 1) as 0 | 1 | 2);
  }

  /** The glyph to paint; undefined exactly when `coverage` is 0. The same object on every call. */
  glyph(codePoint: number): PlacedGlyph | undefined {
    return this.#glyphs.get(codePoint) ?? this.#draw(codePoint);
  }

  /** Every printable code point, or only those that the first `fonts` fonts draw, without loading the others. */
  *codePoints(fonts: number = this.#records.length): Iterable<number> {
    const before: Font[] = [];
    for (const record of this.#records.slice(0, fonts)) {
      const font = loadFont(record.name);
      for (const codePoint of font.codePoints()) {
        const how = this.#lookalikes.treatment(codePoint);
        // The first font that has a character draws it, the second one where the table says `later`.
        const earlier = before.filter((other) => other.widthPx(codePoint) > 0).length;
        if (how !== treatment.spelled && earlier === (how === treatment.later ? 1 : 0)) yield codePoint;
      }
      before.push(font);
    }
  }

  #measure(codePoint: number): 0 | 1 | 2 {
    if (!(codePoint >= 0 && codePoint <= highestCodePoint)) return 0;
    const widthPx = this.#font(codePoint)?.widthPx(codePoint) ?? 0;
    const cells = widthPx === 0 ? 0 : widthPx > 8 ? 2 : 1;
    this.#coverage[codePoint >> 8] ??= new Uint8Array(256);
    this.#coverage[codePoint >> 8]![codePoint & 0xff] = cells + 1;
    return cells;
  }

  #draw(codePoint: number): PlacedGlyph | undefined {
    const font = this.coverage(codePoint) === 0 ? undefined : this.#font(codePoint);
    const glyph = font?.glyph(codePoint);
    if (font === undefined || glyph === undefined) return undefined;
    const placed = placeGlyph(glyph, font, this.#box);
    const mark = this.#lookalikes.treatment(codePoint) - treatment.firstMark;
    const drawn = mark >= 0 ? markGlyph(placed, mark, this.#box) : placed;
    this.#glyphs.set(codePoint, drawn);
    return drawn;
  }

  #font(codePoint: number): Font | undefined {
    const record = this.#records[this.#position(codePoint)];
    return record && loadFont(record.name);
  }

  /** Which font draws the character; -1 for none. Asks the table first: what is spelled out loads no font. */
  #position(codePoint: number): number {
    const how = this.#lookalikes.treatment(codePoint);
    if (how === treatment.spelled) return -1;
    const first = this.#nextPosition(codePoint, 0);
    return how === treatment.later ? this.#nextPosition(codePoint, first + 1) : first;
  }

  #nextPosition(codePoint: number, from: number): number {
    return this.#records.findIndex(
      (record, at) => at >= from && loadFont(record.name).widthPx(codePoint) > 0,
    );
  }
}

const chains = new Map<string, FontChain>();

/**
 * The chain of the named fonts, in order of preference; one object for each list of names.
 * Throws `unknown-font` for a name that fonts/fonts.json lacks or a chain that fonts/lookalikes.json lacks.
 */
export function loadFontChain(names: readonly string[]): FontChain {
  const id = names.join('+');
  let chain = chains.get(id);
  if (chain === undefined) {
    chain = new FontChain(names);
    chains.set(id, chain);
  }
  return chain;
}
