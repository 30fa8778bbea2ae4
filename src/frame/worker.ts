/**
 * The pool's worker: one task in, one frame out.
 *
 * Runs as JavaScript from `dist`. The message on load tells the pool that a later death is a task's doing and not the
 * module's. PNG bytes are moved, so `png` must own exactly its buffer.
 */
import { parentPort } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { type Frame, type PaintTask, paintFrame } from './frame.js';

parentPort?.postMessage('loaded');

/** Piscina's handler. */
export function paint(task: PaintTask): unknown {
  const frame: Frame = paintFrame(task);
  return move({ [valueSymbol]: frame, [transferableSymbol]: [frame.png.buffer] });
}
