/**
 * A TrueType or OpenType file as a bitmap font: each glyph drawn into a cell and cut to one bit a pixel.
 *
 * Pixels come from Skia through @napi-rs/canvas, which is loaded on the first call. They may differ between its
 * versions for real outlines, so the shapes that promise exact decoding use the bitmap fonts of the package instead.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { SnapcompactError } from '../errors.js';
import { readCharacterMap } from './character-map.js';
import type { Font, Glyph } from './font.js';

export interface RasteriseOptions {
  /** Name of the resulting font, for messages and chain ids. */
  readonly name: string;
  /** Width of one cell in pixels, 1 to 16; a glyph whose advance is wider gets two. */
  readonly cellWidthPx: number;
  /** Height of the cell in pixels, 1 to 64. */
  readonly cellHeightPx: number;
  /** Rows of the cell above the baseline. */
  readonly ascentPx: number;
  /** Size of the em in pixels. Default: the height of the cell. */
  readonly sizePx?: number;
  /** Least coverage that becomes ink, 1 to 255. Default 128, half a pixel; lower makes strokes heavier. */
  readonly threshold?: number;
}

let registered = 0;

/**
 * Reads a font file. Glyphs are drawn when first asked for and kept; the file stays registered with the canvas for
 * the life of the process. Throws `broken-input` for a file that is no font, `usage` for options out of range.
 */
export async function rasteriseFont(file: Uint8Array, options: RasteriseOptions): Promise<Font> {
  checkOptions(options);
  const codePoints = readCharacterMap(file, `the font file of ${options.name}`);
  const { createCanvas, GlobalFonts } = await import('@napi-rs/canvas');
  // A family name of our own: the file's name may be that of a font of the machine.
  const family = `snapcompact-${++registered}`;
  if (GlobalFonts.register(Buffer.from(file), family) === null) {
    throw new SnapcompactError('broken-input', {
      expected: 'a font that the canvas can draw',
      of: `the font file of ${options.name}`,
      got: `${file.byteLength} bytes it refuses`,
    });
  }
  const context = createCanvas(2 * options.cellWidthPx, options.cellHeightPx).getContext('2d');
  context.font = `${options.sizePx ?? options.cellHeightPx}px "${family}"`;
  context.textBaseline = 'alphabetic';
  return new RasterFont(context, codePoints, options);
}

class RasterFont implements Font {
  readonly name: string;
  readonly heightPx: number;
  readonly ascentPx: number;
  readonly #context: SKRSContext2D;
  readonly #codePoints: ReadonlySet<number>;
  readonly #cellWidthPx: number;
  readonly #threshold: number;
  readonly #glyphs = new Map<number, Glyph>();

  constructor(context: SKRSContext2D, codePoints: readonly number[], options: RasteriseOptions) {
    this.name = options.name;
    this.heightPx = options.cellHeightPx;
    this.ascentPx = options.ascentPx;
    this.#context = context;
    this.#codePoints = new Set(codePoints);
    this.#cellWidthPx = options.cellWidthPx;
    this.#threshold = options.threshold ?? 128;
  }

  glyph(codePoint: number): Glyph | undefined {
    if (!this.#codePoints.has(codePoint)) return undefined;
    let glyph = this.#glyphs.get(codePoint);
    if (glyph === undefined) {
      glyph = this.#draw(codePoint);
      this.#glyphs.set(codePoint, glyph);
    }
    return glyph;
  }

  widthPx(codePoint: number): number {
    return this.#codePoints.has(codePoint) ? this.#measure(String.fromCodePoint(codePoint)) : 0;
  }

  codePoints(): Iterable<number> {
    return this.#codePoints;
  }

  #measure(character: string): number {
    // Half a pixel of tolerance: advances are fractions for most fonts.
    const wide = this.#context.measureText(character).width > this.#cellWidthPx + 0.5;
    return wide ? 2 * this.#cellWidthPx : this.#cellWidthPx;
  }

  #draw(codePoint: number): Glyph {
    const character = String.fromCodePoint(codePoint);
    const widthPx = this.#measure(character);
    this.#context.clearRect(0, 0, 2 * this.#cellWidthPx, this.heightPx);
    this.#context.fillText(character, 0, this.ascentPx);
    const { data } = this.#context.getImageData(0, 0, widthPx, this.heightPx);
    const rows = Array.from({ length: this.heightPx }, (_, y) => {
      let bits = 0;
      for (let x = 0; x < widthPx; x++) {
        bits = bits * 2 + (data[(y * widthPx + x) * 4 + 3]! >= this.#threshold ? 1 : 0);
      }
      return bits;
    });
    return { widthPx, rows };
  }
}

function checkOptions(options: RasteriseOptions): void {
  const { cellWidthPx, cellHeightPx, ascentPx, sizePx = cellHeightPx, threshold = 128 } = options;
  checkInteger('cellWidthPx', cellWidthPx, 1, 16);
  checkInteger('cellHeightPx', cellHeightPx, 1, 64);
  checkInteger('ascentPx', ascentPx, 1, cellHeightPx);
  checkInteger('sizePx', sizePx, 1, 64);
  checkInteger('threshold', threshold, 1, 255);
}

function checkInteger(of: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new SnapcompactError('usage', {
    expected: `an integer from ${least} to ${most}`,
    of,
    got: String(value),
  });
}
