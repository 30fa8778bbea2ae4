/**
 * How many cells of a shape fit a frame, and how tall a frame of some rows is.
 *
 * The only place that divides pixels by cells: planner, renderer, decoder and price all ask here.
 */
import { SnapcompactError } from '../errors.js';
import type { Shape } from './shapes.js';

export interface FrameSize {
  readonly widthPx: number;
  /** A frame is never taller; one with fewer rows is cut to the rows it prints. */
  readonly maxHeightPx: number;
}

/** Largest side of a frame. Every provider that states a limit is below it. */
export const maxFrameSidePx = 16384;

export interface Geometry {
  readonly columnsCells: number;
  readonly rowsCells: number;
  /** `columnsCells · rowsCells`: narrow characters on a full frame. */
  readonly capacityCells: number;
  /** Width of every frame; pixels right of the last whole cell stay white. */
  readonly frameWidthPx: number;
  readonly maxHeightPx: number;
  /** Height of a frame that prints `rowsUsed` rows, 1 to `rowsCells`; throws `usage` outside. */
  heightPx(rowsUsed: number): number;
}

/**
 * The grid of `shape` on a frame: whole cells only, so both divisions round down.
 * Throws `usage` when a side is not an integer from 1 to 16384, or when not even two cells fit.
 */
export function shapeGeometry(shape: Shape, frame: FrameSize): Geometry {
  checkSide(frame.widthPx, 'the frame width in pixels');
  checkSide(frame.maxHeightPx, 'the maximum frame height in pixels');
  const { advancePx, pitchPx } = shape.cell;
  const columnsCells = Math.floor(frame.widthPx / advancePx);
  const rowsCells = Math.floor(frame.maxHeightPx / pitchPx);
  // A wide character needs two columns.
  if (columnsCells < 2 || rowsCells < 1) {
    throw new SnapcompactError('usage', {
      expected: `a frame of at least ${advancePx * 2}×${pitchPx} pixels, two cells`,
      of: `shape ${shape.id}`,
      got: `${frame.widthPx}×${frame.maxHeightPx}`,
    });
  }
  return {
    columnsCells,
    rowsCells,
    capacityCells: columnsCells * rowsCells,
    frameWidthPx: frame.widthPx,
    maxHeightPx: frame.maxHeightPx,
    heightPx(rowsUsed) {
      if (!Number.isInteger(rowsUsed) || rowsUsed < 1 || rowsUsed > rowsCells) {
        throw new SnapcompactError('usage', {
          expected: `an integer from 1 to ${rowsCells}`,
          of: 'the rows of a frame',
          got: String(rowsUsed),
        });
      }
      return rowsUsed * pitchPx;
    },
  };
}

function checkSide(sidePx: number, of: string): void {
  if (Number.isInteger(sidePx) && sidePx >= 1 && sidePx <= maxFrameSidePx) return;
  throw new SnapcompactError('usage', {
    expected: `an integer from 1 to ${maxFrameSidePx}`,
    of,
    got: String(sidePx),
  });
}
