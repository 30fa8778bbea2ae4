/**
 * Pixels → text, exactly.
 *
 * Reads the grid cell by cell and looks each bitmap up whole; there is no tolerance and no guessing. A cell that is no
 * glyph of the shape is reported with its place.
 */
import { SnapcompactError } from '../errors.js';
import { loadFontChain } from '../glyph/font-chain.js';
import type { Span } from '../page/paginate.js';
import { getShape, type Shape, shapes } from '../page/shapes.js';
import { GlyphIndex, keyOf, NOTHING, PAD } from './glyph-index.js';
import type { Painting } from './paint.js';
import { readPng } from './read-png.js';

export interface DecodeOptions {
  /** Shape id; default: the exact shape of the package under which every cell is a glyph. */
  readonly shape?: string;
  /** What to call the picture in errors: its file name. */
  readonly where?: string;
}

/** A cell whose bitmap is no glyph of the shape; row and column count from 0. */
export interface UnreadCell {
  readonly row: number;
  readonly column: number;
}

export interface DecodedFrame {
  /** The page's normal text; an unread cell stands as U+FFFD. */
  readonly text: string;
  /** Spans of `text` in dim ink. White space has no ink: a span starts and ends at a printed character. */
  readonly dim: readonly Span[];
  readonly shape: string;
  readonly columnsCells: number;
  readonly rowsCells: number;
  readonly unread: readonly UnreadCell[];
}

/** A picture with a larger share of unread cells was not printed in the shape. */
const MAX_UNREAD_SHARE = 0.1;

/**
 * Reads a frame back. Throws `undecodable-frame` when the file is not an intact frame of ours or no shape reads it,
 * `unknown-shape` for a shape that does not exist.
 */
export function decodeFrame(png: Uint8Array, options: DecodeOptions = {}): DecodedFrame {
  const painting = readPng(png, options.where);
  if (options.shape !== undefined) return decodeAs(painting, getShape(options.shape));
  const found = findShape(painting);
  if (found !== undefined) return found;
  throw new SnapcompactError('undecodable-frame', {
    expected: `cells of one of ${shapes().map(({ id }) => id)}`,
    of: 'a frame',
    got: `${painting.widthPx}×${painting.heightPx} pixels that match none`,
    ...(options.where === undefined ? {} : { where: options.where }),
    hint: 'name the shape it was printed in',
  });
}

/** The shape that leaves the fewest cells unread, judged by its first font, unless that is too many. */
function findShape(painting: Painting): DecodedFrame | undefined {
  const [best] = shapes()
    .filter((shape) => shape.exact && painting.heightPx % shape.cell.pitchPx === 0)
    .map((shape) => ({ shape, quick: readCells(new CellReader(painting, shape), shape, indexOf(shape, 1)) }))
    .sort((a, b) => a.quick.unread.length - b.quick.unread.length);
  if (best === undefined) return undefined;
  const frame = best.quick.unread.length === 0 ? best.quick : decodeAs(painting, best.shape);
  return frame.unread.length > frame.columnsCells * frame.rowsCells * MAX_UNREAD_SHARE ? undefined : frame;
}

/** Reads with the first font alone, and with the whole chain where that leaves cells unread. */
function decodeAs(painting: Painting, shape: Shape): DecodedFrame {
  const cells = new CellReader(painting, shape);
  const quick = readCells(cells, shape, indexOf(shape, 1));
  return quick.unread.length === 0 ? quick : readCells(cells, shape, indexOf(shape, shape.fonts.length));
}

const indexes = new Map<string, GlyphIndex>();

function indexOf(shape: Shape, fonts: number): GlyphIndex {
  const key = `${shape.id}/${fonts}`;
  let index = indexes.get(key);
  if (index === undefined) {
    index = new GlyphIndex(loadFontChain(shape.fonts), shape, fonts);
    indexes.set(key, index);
  }
  return index;
}

function readCells(cells: CellReader, shape: Shape, index: GlyphIndex): DecodedFrame {
  const text = new DecodedText();
  const unread: UnreadCell[] = [];
  for (let row = 0; row < cells.rowsCells; row++) {
    for (let column = 0; column < cells.columnsCells; column++) {
      const left = cells.read(row, column);
      const wide =
        column + 1 < cells.columnsCells ? index.wide(left.key, cells.key(row, column + 1)) : NOTHING;
      const codePoint = wide === NOTHING ? index.narrow(left.key) : wide;
      if (wide !== NOTHING) column++;
      if (codePoint === PAD) continue;
      if (codePoint === NOTHING) unread.push({ row, column });
      text.push(codePoint === NOTHING ? 0xfffd : codePoint, left.isDim);
    }
  }
  const { columnsCells, rowsCells } = cells;
  return { ...text.finish(), shape: shape.id, columnsCells, rowsCells, unread };
}

/** Gathers characters; blank cells count only when something follows them. */
class DecodedText {
  readonly #dim: Span[] = [];
  #text = '';
  #blanks = 0;
  #dimFrom = NOTHING;

  push(codePoint: number, isDim: boolean): void {
    if (codePoint === 0x20) {
      this.#blanks++;
      return;
    }
    if (!isDim) this.#endDim();
    this.#text += ' '.repeat(this.#blanks);
    this.#blanks = 0;
    if (isDim && this.#dimFrom === NOTHING) this.#dimFrom = this.#text.length;
    this.#text += String.fromCodePoint(codePoint);
  }

  finish(): { text: string; dim: readonly Span[] } {
    this.#endDim();
    return { text: this.#text, dim: this.#dim };
  }

  #endDim(): void {
    if (this.#dimFrom !== NOTHING) this.#dim.push({ from: this.#dimFrom, to: this.#text.length });
    this.#dimFrom = NOTHING;
  }
}

/** Cuts cells out of packed pixels. */
class CellReader {
  readonly columnsCells: number;
  readonly rowsCells: number;
  readonly #painting: Painting;
  readonly #shape: Shape;
  readonly #stride: number;
  readonly #rows: Uint32Array;

  constructor(painting: Painting, shape: Shape) {
    this.columnsCells = Math.floor(painting.widthPx / shape.cell.advancePx);
    this.rowsCells = Math.floor(painting.heightPx / shape.cell.pitchPx);
    this.#painting = painting;
    this.#shape = shape;
    this.#stride = 1 + Math.ceil((painting.widthPx * painting.bitDepth) / 8);
    this.#rows = new Uint32Array(shape.cell.pitchPx);
  }

  /** The cell's bitmap, and whether its ink is dim. */
  read(row: number, column: number): { key: string; isDim: boolean } {
    const key = this.key(row, column);
    return { key, isDim: this.#painting.bitDepth === 2 && this.#hasDimInk(row, column) };
  }

  key(row: number, column: number): string {
    const { advancePx, pitchPx } = this.#shape.cell;
    for (let y = 0; y < pitchPx; y++) {
      this.#rows[y] = this.#bits(row * pitchPx + y, column * advancePx, advancePx);
    }
    return keyOf(this.#rows, 0, pitchPx);
  }

  /** `count` pixels of one pixel row as ink bits, the leftmost highest. */
  #bits(y: number, x: number, count: number): number {
    const { rows, bitDepth } = this.#painting;
    const line = y * this.#stride + 1;
    if (bitDepth === 1) return window(rows, line, x, count);
    return squeeze(window(rows, line, x * 2, count * 2));
  }

  #hasDimInk(row: number, column: number): boolean {
    const { advancePx, pitchPx } = this.#shape.cell;
    for (let y = row * pitchPx; y < (row + 1) * pitchPx; y++) {
      const pairs = window(this.#painting.rows, y * this.#stride + 1, column * advancePx * 2, advancePx * 2);
      if ((pairs & 0xaaaa_aaaa) !== 0) return true;
    }
    return false;
  }
}

/** `count` bits, at most 32, from bit `at` of the bytes that start at `line`. Unsigned. */
function window(bytes: Uint8Array, line: number, at: number, count: number): number {
  let value = 0;
  let left = count;
  let bit = at;
  while (left > 0) {
    const inByte = 8 - (bit & 7);
    const taken = Math.min(inByte, left);
    const chunk = (bytes[line + (bit >> 3)]! >> (inByte - taken)) & (2 ** taken - 1);
    value = value * 2 ** taken + chunk;
    bit += taken;
    left -= taken;
  }
  return value;
}

/** Pairs of bits → one bit each: set where the pair is not 0. */
function squeeze(pairs: number): number {
  let bits = 0;
  const any = (pairs | (pairs >>> 1)) & 0x5555_5555;
  for (let i = 0; i < 16; i++) bits |= ((any >>> (i * 2)) & 1) << i;
  return bits;
}
