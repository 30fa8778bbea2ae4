/**
 * Cells → packed pixels.
 *
 * Pixels are palette indices, most significant first: 0 paper, 1 ink, and 2 dim ink on a page that has any. A page
 * without dim ink takes 1 bit per pixel, any other 2. The result is laid out as PNG wants it before compression: each
 * row starts with its filter byte, always 0.
 */
import type { AtlasImage } from '../glyph/atlas.js';
import { DIM_BIT, SLOT_MASK } from '../page/layout.js';

export interface Painting {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitDepth: 1 | 2;
  /** `heightPx` rows of 1 filter byte and `ceil(widthPx · bitDepth / 8)` bytes of pixels. */
  readonly rows: Uint8Array;
}

/** Paints whole rows of cells on a frame `widthPx` wide; pixels right of the last cell stay paper. */
export function paintCells(
  cells: Uint32Array,
  columnsCells: number,
  widthPx: number,
  atlas: AtlasImage,
): Painting {
  const rowsCells = cells.length / columnsCells;
  const bitDepth = hasDimInk(cells) ? 2 : 1;
  const stride = 1 + Math.ceil((widthPx * bitDepth) / 8);
  const heightPx = rowsCells * atlas.pitchPx;
  const rows = new Uint8Array(heightPx * stride);
  const paintRow = bitDepth === 1 ? paintBits : paintBitPairs;
  const line: CellLine = {
    glyphs: new Int32Array(columnsCells),
    dimShifts: new Uint8Array(columnsCells),
  };
  for (let row = 0; row < rowsCells; row++) {
    readLine(line, cells, row * columnsCells, atlas.pitchPx);
    for (let y = 0; y < atlas.pitchPx; y++) {
      paintRow(rows, (row * atlas.pitchPx + y) * stride + 1, line, y, atlas);
    }
  }
  return { widthPx, heightPx, bitDepth, rows };
}

/** One row of cells, taken apart once for all its pixel rows. */
interface CellLine {
  /** Where each cell's bitmap starts in the atlas. */
  readonly glyphs: Int32Array;
  /** 1 where the ink is dim. */
  readonly dimShifts: Uint8Array;
}

function hasDimInk(cells: Uint32Array): boolean {
  for (const cell of cells) if (cell >= DIM_BIT) return true;
  return false;
}

function readLine(line: CellLine, cells: Uint32Array, from: number, pitchPx: number): void {
  for (let column = 0; column < line.glyphs.length; column++) {
    const cell = cells[from + column]!;
    line.glyphs[column] = (cell & SLOT_MASK) * pitchPx;
    line.dimShifts[column] = cell >>> 31;
  }
}

/** [hot] Once per pixel row at 1 bit: appends each cell's word to an accumulator and writes full bytes. */
function paintBits(out: Uint8Array, at: number, line: CellLine, y: number, atlas: AtlasImage): void {
  const { words, advancePx } = atlas;
  const { glyphs } = line;
  let o = at;
  let pending = 0;
  let pendingBits = 0;
  for (let column = 0; column < glyphs.length; column++) {
    pending = (pending << advancePx) | words[glyphs[column]! + y]!;
    pendingBits += advancePx;
    while (pendingBits >= 8) {
      pendingBits -= 8;
      out[o++] = pending >> pendingBits;
    }
  }
  if (pendingBits > 0) out[o] = pending << (8 - pendingBits);
}

/** Sixteen pixels → thirty-two bits, each pixel's bit in the low one of its pair. */
const spread = new Int32Array(1 << 16);
for (let word = 0; word < spread.length; word++) {
  for (let bit = 0; bit < 16; bit++) spread[word]! |= ((word >> bit) & 1) << (bit * 2);
}

/**
 * [hot] Once per pixel row at 2 bits: as `paintBits`, each word spread to pairs and shifted up where ink is dim. A
 * word of more than 8 pixels goes in two steps, so that the accumulator never holds more than 32 bits.
 */
function paintBitPairs(out: Uint8Array, at: number, line: CellLine, y: number, atlas: AtlasImage): void {
  const { words, advancePx } = atlas;
  const { glyphs, dimShifts } = line;
  const highBits = advancePx > 8 ? advancePx * 2 - 16 : 0;
  const lowBits = advancePx * 2 - highBits;
  let o = at;
  let pending = 0;
  let pendingBits = 0;
  for (let column = 0; column < glyphs.length; column++) {
    const pairs = spread[words[glyphs[column]! + y]!]! << dimShifts[column]!;
    if (highBits > 0) {
      pending = (pending << highBits) | (pairs >>> 16);
      pendingBits += highBits;
      while (pendingBits >= 8) {
        pendingBits -= 8;
        out[o++] = pending >> pendingBits;
      }
    }
    pending = (pending << lowBits) | (pairs & 0xffff);
    pendingBits += lowBits;
    while (pendingBits >= 8) {
      pendingBits -= 8;
      out[o++] = pending >> pendingBits;
    }
  }
  if (pendingBits > 0) out[o] = pending << (8 - pendingBits);
}
