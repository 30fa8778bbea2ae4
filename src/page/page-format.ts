/** A shape on a frame: its grid, and the glyphs that fill it. What pagination, painting and printing all need. */
import { Atlas } from '../glyph/atlas.js';
import { loadFontChain } from '../glyph/font-chain.js';
import { type FrameSize, type Geometry, shapeGeometry } from './geometry.js';
import type { Shape } from './shapes.js';

export interface PageFormat {
  readonly shape: Shape;
  readonly geometry: Geometry;
  readonly atlas: Atlas;
  /** Cells that a character takes in this shape; 0 for one that must be spelled out. */
  coverage(codePoint: number): number;
}

const atlases = new Map<string, Atlas>();

/**
 * The format of `shape` on frames of at most `frame`. Formats of one shape share their glyphs. Throws as
 * `shapeGeometry` does.
 */
export function pageFormat(shape: Shape, frame: FrameSize): PageFormat {
  const geometry = shapeGeometry(shape, frame);
  let atlas = atlases.get(shape.id);
  if (atlas === undefined) {
    atlas = new Atlas(loadFontChain(shape.fonts), shape);
    atlases.set(shape.id, atlas);
  }
  const { chain } = atlas;
  return { shape, geometry, atlas, coverage: (codePoint) => chain.coverage(codePoint) };
}
