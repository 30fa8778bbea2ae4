/** Packed pixels → cell bitmaps, the inverse of `paint.ts`. */
import type { Shape } from '../page/shapes.js';
import type { Painting } from './paint.js';

/** One row of cells. */
export interface CellRow {
  /** `pitchPx` words per cell, as in the atlas: the leftmost pixel in bit `advancePx - 1`, set where there is ink. */
  readonly words: Uint32Array;
  /** 1 for a cell that has dim ink. */
  readonly dim: Uint8Array;
}

/** Per byte of four 2-bit pixels: the ink of each in the low half, whether it is dim in the high half. */
const pairs = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  for (let pixel = 0; pixel < 4; pixel++) {
    const index = (byte >> (pixel * 2)) & 3;
    pairs[byte]! |= ((index > 0 ? 1 : 0) << pixel) | ((index >> 1) << (pixel + 4));
  }
}

/** Cuts rows of cells out of a painting; the same `CellRow` is filled again for each. */
export function* unpackRows(painting: Painting, shape: Shape): Generator<CellRow> {
  const { pitchPx, advancePx } = shape.cell;
  const columnsCells = Math.floor(painting.widthPx / advancePx);
  const row = { words: new Uint32Array(columnsCells * pitchPx), dim: new Uint8Array(columnsCells) };
  const unpack = painting.bitDepth === 1 ? unpackBits : unpackPairs;
  const stride = 1 + Math.ceil((painting.widthPx * painting.bitDepth) / 8);
  for (let top = 0; top + pitchPx <= painting.heightPx; top += pitchPx) {
    row.dim.fill(0);
    for (let y = 0; y < pitchPx; y++)
      unpack(row, painting.rows, (top + y) * stride + 1, y, pitchPx, advancePx);
    yield row;
  }
}

/** [hot] Once per pixel row: reads bytes into an accumulator and takes a cell's bits off its top. */
function unpackBits(
  { words, dim }: CellRow,
  bytes: Uint8Array,
  from: number,
  y: number,
  pitchPx: number,
  advancePx: number,
): void {
  const mask = 2 ** advancePx - 1;
  let at = from;
  let pending = 0;
  let pendingBits = 0;
  for (let column = 0; column < dim.length; column++) {
    while (pendingBits < advancePx) {
      pending = (pending << 8) | bytes[at++]!;
      pendingBits += 8;
    }
    pendingBits -= advancePx;
    words[column * pitchPx + y] = (pending >>> pendingBits) & mask;
  }
}

/** [hot] As `unpackBits` for four pixels a byte, with a second accumulator for what is dim. */
function unpackPairs(
  { words, dim }: CellRow,
  bytes: Uint8Array,
  from: number,
  y: number,
  pitchPx: number,
  advancePx: number,
): void {
  const mask = 2 ** advancePx - 1;
  let at = from;
  let pending = 0;
  let pendingDim = 0;
  let pendingBits = 0;
  for (let column = 0; column < dim.length; column++) {
    while (pendingBits < advancePx) {
      const pixels = pairs[bytes[at++]!]!;
      pending = (pending << 4) | (pixels & 15);
      pendingDim = (pendingDim << 4) | (pixels >> 4);
      pendingBits += 4;
    }
    pendingBits -= advancePx;
    words[column * pitchPx + y] = (pending >>> pendingBits) & mask;
    if (((pendingDim >>> pendingBits) & mask) !== 0) dim[column] = 1;
  }
}
