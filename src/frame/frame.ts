/** One encoded frame, and the work that makes it: the part that is the same in-process and in a worker. */
import { createHash } from 'node:crypto';
import type { AtlasImage } from '../glyph/atlas.js';
import { paintCells } from './paint.js';
import { encodePng } from './png.js';

/** Changes whenever the same page would get other pixels: stored frames of another version are painted anew. */
export const RENDERER_VERSION = 1;

/** One frame to paint. Crosses threads: `cells` is moved, the atlas is shared memory. */
export interface PaintTask {
  /** See `CellTarget.cells`. */
  readonly cells: Uint32Array<ArrayBuffer>;
  readonly columnsCells: number;
  readonly widthPx: number;
  readonly atlas: AtlasImage;
  /** Shape id, written into the file. */
  readonly shape: string;
}

export interface Frame {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly widthPx: number;
  readonly heightPx: number;
  /** 1 for black on white, 2 with dim ink. */
  readonly bitDepth: 1 | 2;
  /** Hex digest of `png`. */
  readonly sha256: string;
}

/** Paints and encodes. Task and Node build decide every byte. */
export function paintFrame({ cells, columnsCells, widthPx, atlas, shape }: PaintTask): Frame {
  const painting = paintCells(cells, columnsCells, widthPx, atlas);
  const png = encodePng(painting, shape);
  return {
    png,
    widthPx: painting.widthPx,
    heightPx: painting.heightPx,
    bitDepth: painting.bitDepth,
    sha256: createHash('sha256').update(png).digest('hex'),
  };
}
