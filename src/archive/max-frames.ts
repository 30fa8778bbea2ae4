/** How many frames at most: one default and one range for archives and rendered texts. */
import { SnapcompactError } from '../errors.js';

export const DEFAULT_MAX_FRAMES = 80;
/** No provider takes more images in one request: Claude's documented limit. */
const HIGHEST_MAX_FRAMES = 600;

/** Throws `usage` for anything but an integer from 1 to 600. */
export function checkMaxFrames(maxFrames: number): void {
  if (Number.isInteger(maxFrames) && maxFrames >= 1 && maxFrames <= HIGHEST_MAX_FRAMES) return;
  throw new SnapcompactError('usage', {
    expected: `an integer from 1 to ${HIGHEST_MAX_FRAMES}`,
    of: 'the most frames there may be',
    got: String(maxFrames),
  });
}
