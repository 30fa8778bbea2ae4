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
import { GlyphIndex, NOTHING, PAD } from './glyph-index.js';
import type { Painting } from './paint.js';
import { readPng } from './read-png.js';
import { unpackRows } from './unpack.js';

export interface DecodeOptions {
  /** Shape id; default: the one the picture names, else the exact shape that reads it best. */
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
  const found = findShape(painting, painting.shape);
  if (found !== undefined) return found;
  throw new SnapcompactError('undecodable-frame', {
    expected: `cells of one of ${shapes().map(({ id }) => id)}`,
    of: 'a frame',
    got: `${painting.widthPx}×${painting.heightPx} pixels that match none`,
    ...(options.where === undefined ? {} : { where: options.where }),
    hint: 'name the shape it was printed in',
  });
}

/**
 * The shape the picture names, else the one that leaves the smallest share of cells unread, unless that is too large.
 * Short texts of line pieces can read as another shape's; a frame of ours names its own.
 */
function findShape(painting: Painting, named: string | undefined): DecodedFrame | undefined {
  const candidates = shapes().filter(
    ({ exact, cell }) =>
      exact && painting.heightPx % cell.pitchPx === 0 && painting.widthPx >= cell.advancePx * 2,
  );
  const own = candidates.find(({ id }) => id === named);
  if (own !== undefined) return decodeAs(painting, own);
  const quick = candidates.map((shape) => readCells(painting, shape, indexOf(shape, 1)));
  const perfect = quick.filter(({ unread }) => unread.length === 0);
  const tried = perfect.length > 0 ? perfect : candidates.map((shape) => decodeAs(painting, shape));
  const [best] = tried.sort((a, b) => unreadShare(a) - unreadShare(b));
  return best === undefined || unreadShare(best) > MAX_UNREAD_SHARE ? undefined : best;
}

function unreadShare({ unread, columnsCells, rowsCells }: DecodedFrame): number {
  return unread.length / (columnsCells * rowsCells);
}

/** Reads with the first font alone, and with the whole chain where that leaves cells unread. */
function decodeAs(painting: Painting, shape: Shape): DecodedFrame {
  const quick = readCells(painting, shape, indexOf(shape, 1));
  return quick.unread.length === 0 ? quick : readCells(painting, shape, indexOf(shape, shape.fonts.length));
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

function readCells(painting: Painting, shape: Shape, index: GlyphIndex): DecodedFrame {
  const columnsCells = Math.floor(painting.widthPx / shape.cell.advancePx);
  const ids = new Int32Array(columnsCells);
  const text = new DecodedText();
  const unread: UnreadCell[] = [];
  let row = 0;
  for (const { words, dim } of unpackRows(painting, shape)) {
    for (let column = 0; column < columnsCells; column++) {
      ids[column] = index.idOf(words, column * shape.cell.pitchPx);
    }
    for (let column = 0; column < columnsCells; column++) {
      const wide = column + 1 < columnsCells ? index.wide(ids[column]!, ids[column + 1]!) : NOTHING;
      const codePoint = wide === NOTHING ? index.narrow(ids[column]!) : wide;
      if (codePoint === NOTHING) unread.push({ row, column });
      const isDim = dim[column] === 1 || (wide !== NOTHING && dim[column + 1] === 1);
      if (codePoint !== PAD) text.push(codePoint === NOTHING ? 0xfffd : codePoint, isDim);
      if (wide !== NOTHING) column++;
    }
    row++;
  }
  return { ...text.finish(), shape: shape.id, columnsCells, rowsCells: row, unread };
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
