/** Why what the user said does not fit, in the words of the options. */
import { SnapcompactError } from '../errors.js';
import type { FrameCap } from './budget.js';

export function tooManyPins(tokens: number, limit: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${limit} tokens`,
    of: 'pins, and what the user said that fits no frame',
    got: String(tokens),
    hint: 'raise the limits on frames (--max-frames, --max-images, --max-bytes, --window), or pin less',
  });
}

const options = {
  frames: '--max-frames (option maxFrames)',
  images: '--max-images (option maxImages)',
  bytes: '--max-bytes (option maxBytes)',
  pixels: '--max-images (option maxImages), or choose smaller frames',
  window: '--window (option windowTokens)',
} as const;

export function noRoom({ limit, frames }: FrameCap, needed: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: frames < 1 ? 'room for one frame at least' : `what the user said to fit ${frames} frames`,
    of: `the limit on ${limit}`,
    got:
      frames < 1
        ? 'none left'
        : `a history of ${needed} full frames, and too much in it that may not be dropped`,
    hint: `raise ${options[limit]}`,
  });
}
