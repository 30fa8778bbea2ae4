import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachInRanges, formatRanges } from '../../src/glyph/code-ranges.js';

function parse(text: string): number[] {
  const found: number[] = [];
  eachInRanges(text, (codePoint) => found.push(codePoint));
  return found;
}

it('writes neighbours as one range, in order', () => {
  expect(formatRanges([0x1f600, 0x42, 0x41, 0x43, 0x378])).toBe('0041-0043 0378 1F600');
});

it('gives back every set of code points', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 0x10ffff })), (codePoints) => {
      expect(parse(formatRanges(codePoints))).toEqual([...codePoints].sort((a, b) => a - b));
    }),
  );
});
