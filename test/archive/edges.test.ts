import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  headEnd,
  isBefore,
  isPlaceOf,
  type Position,
  regionOf,
  START,
  tailStart,
} from '../../src/archive/edges.js';
import { defaultCaps } from '../../src/text/caps.js';
import type { Segment } from '../../src/text/segment.js';

const text = (value: string): Segment => ({ part: 'text', scope: 'ai', entryId: 'a', text: value });
const call: Segment = {
  part: 'call',
  scope: 'call',
  entryId: 'c',
  name: 'run',
  args: [{ text: 'x'.repeat(80), quoted: true }],
  answered: true,
};
const output: Segment = {
  part: 'output',
  scope: 'call',
  entryId: 'r',
  text: 'y'.repeat(300),
  failed: false,
  orphan: false,
};
const end = (segments: readonly Segment[]): Position => ({ segment: segments.length, unit: 0 });

describe('edges', () => {
  test('keep a call and its output on one side', () => {
    const segments = [text('a'.repeat(200)), call, output, text('b'.repeat(200))];
    expect(headEnd(segments, 400, defaultCaps)).toEqual({ segment: 1, unit: 0 });
    expect(tailStart(segments, 400, defaultCaps)).toEqual({ segment: 3, unit: 0 });
  });

  test('end at a line break, else at a space, else between two characters', () => {
    const at = ({ segment, unit }: Position, list: readonly Segment[]) =>
      (list[segment] as { text: string }).text.slice(unit, unit + 2);
    const broken = [text(`${'a'.repeat(300)}\n${'b'.repeat(300)}`)];
    expect(at(headEnd(broken, 400, defaultCaps), broken)).toBe('\nb');
    const spaced = [text(`${'a'.repeat(300)} ${'b'.repeat(300)}`)];
    expect(at(headEnd(spaced, 400, defaultCaps), spaced)).toBe(' b');
    const emoji = [text('🔥'.repeat(300))];
    expect(headEnd(emoji, 401, defaultCaps).unit % 2).toBe(0);
  });

  test('never cut a note', () => {
    const note = `\ufdd0[image: image/png, ${'9'.repeat(300)} bytes]\ufdd1`;
    const segments = [text(`${'a'.repeat(100)}${note}${'b'.repeat(100)}`)];
    const { unit } = headEnd(segments, 300, defaultCaps);
    expect(unit).toBeLessThanOrEqual(100);
  });

  test('cut any history into regions that hold all of it, once', () => {
    const segment = fc.oneof(fc.string({ maxLength: 400 }).map(text), fc.constant(call), fc.constant(output));
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 30 }),
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 1, max: 3_000 }),
        (segments, head, tail) => {
          const first = headEnd(segments, head, defaultCaps);
          const found = tailStart(segments, tail, defaultCaps);
          const second = isBefore(found, first) ? first : found;
          for (const place of [first, second]) expect(isPlaceOf(segments, place)).toBe(true);
          const regions = [
            regionOf(segments, START, first),
            regionOf(segments, first, second),
            regionOf(segments, second, end(segments)),
          ];
          const joined = regions
            .flatMap((region) => region.segments.map((each) => ('text' in each ? each.text : 'call')))
            .join('');
          expect(joined).toBe(segments.map((each) => ('text' in each ? each.text : 'call')).join(''));
        },
      ),
    );
  });

  test('know a place that is there no longer', () => {
    expect(isPlaceOf([text('abc')], { segment: 0, unit: 3 })).toBe(true);
    expect(isPlaceOf([text('abc')], { segment: 0, unit: 4 })).toBe(false);
    expect(isPlaceOf([call], { segment: 0, unit: 1 })).toBe(false);
    expect(isPlaceOf([call], { segment: 2, unit: 0 })).toBe(false);
  });
});
