/**
 * Long work in turns: the caller's event loop runs in between.
 *
 * Turns are counted in units of work, not in time, so that nothing depends on a clock.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Units of text between two turns: some milliseconds of the slowest work that is done in turns. */
const TURN_UNITS = 131_072;

/** Calls `work` for each item; it returns the units of work it did. */
export async function inTurns<T>(
  items: Iterable<T>,
  work: (item: T, index: number) => number,
): Promise<void> {
  let units = 0;
  let index = 0;
  for (const item of items) {
    units += work(item, index++);
    if (units < TURN_UNITS) continue;
    units = 0;
    await nextTurn();
  }
}
