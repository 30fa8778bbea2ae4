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

/** What formats of one shape share. */
type Glyphs = Pick<PageFormat, 'atlas' | 'coverage'>;

const glyphs = new Map<string, Glyphs>();

/**
 * The format of `shape` on frames of at most `frame`. Formats of one shape share their glyphs and have one `coverage`.
 * Throws as `shapeGeometry` does.
 */
export function pageFormat(shape: Shape, frame: FrameSize): PageFormat {
  return { shape, geometry: shapeGeometry(shape, frame), ...glyphsOf(shape) };
}

function glyphsOf(shape: Shape): Glyphs {
  const known = glyphs.get(shape.id);
  if (known !== undefined) return known;
  const atlas = new Atlas(loadFontChain(shape.fonts), shape);
  const { chain } = atlas;
  const made = { atlas, coverage: (codePoint: number) => chain.coverage(codePoint) };
  glyphs.set(shape.id, made);
  return made;
}
