/**
 * One segment for one block, however often its history is serialised: agents plan on the same history turn after turn,
 * and what is known of a segment (what it prints as, its tokens) is known by the segment.
 */
import type { Block } from '../history/history.js';
import type { Argument, Segment } from './segment.js';

/** What each block became last, as long as somebody has the block. */
const segments = new WeakMap<Block, Segment>();

/** `segment`, or the one that the block became before, where both say the same: a block may have been changed since. */
export function interned(block: Block, segment: Segment): Segment {
  const known = segments.get(block);
  if (known !== undefined && isSame(known, segment)) return known;
  segments.set(block, segment);
  return segment;
}

function isSame(a: Segment, b: Segment): boolean {
  const names = Object.keys(a) as (keyof Segment)[];
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [one, other]: unknown[] = [a[name], b[name]];
    return Array.isArray(one) && Array.isArray(other) ? areSame(one, other) : one === other;
  });
}

function areSame(a: readonly Argument[], b: readonly Argument[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ key, text, quoted }, i) => key === b[i]!.key && text === b[i]!.text && quoted === b[i]!.quoted)
  );
}
