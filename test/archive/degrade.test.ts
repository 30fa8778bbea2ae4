import { describe, expect, test } from 'vitest';
import { degrade, treatments } from '../../src/archive/degrade.js';
import type { Segment } from '../../src/text/segment.js';

const text = (scope: 'user' | 'ai' | 'think', more = {}): Segment => ({
  part: 'text',
  scope,
  entryId: scope,
  text: 'x',
  ...more,
});
const call: Segment = { part: 'call', scope: 'call', entryId: 'c', name: 'run', args: [], answered: true };
const output: Segment = {
  part: 'output',
  scope: 'call',
  entryId: 'r',
  text: 'x',
  failed: false,
  orphan: false,
};
const orphan: Segment = { ...output, orphan: true };
/** Two of each kind, all of 2,000 characters; the second round is new. */
const round = [text('user'), text('think'), text('ai'), call, output, text('user', { injected: 'hook' })];
const segments = [...round, ...round];
const chars = segments.map(() => 2_000);
const cut = (savedChars: number, oldEnd = 6) =>
  degrade({ segments, printedChars: chars, oldEnd, savedChars });

describe('degrade', () => {
  test('takes nothing more than is asked for, in the order of the steps, the old before the new', () => {
    expect(cut(1_400).degradation).toEqual({ 'output-500': 5 });
    expect(cut(1_800).degradation).toEqual({ 'output-500': 6, 'output-100': 5 });
    expect(cut(1_950).degradation).toEqual({ 'output-500': 6, 'output-100': 6, 'output-name': 5 });
    expect(cut(3_900).degradation).toEqual({
      'output-500': 6,
      'output-100': 6,
      'output-name': 6,
      reasoning: 2,
    });
    expect(cut(5_900).degradation).toMatchObject({ reasoning: 6, call: 5 });
    expect(cut(7_900).degradation).toMatchObject({ call: 6, answer: 3 });
    // All of the old is gone: now the new, from the first step on.
    expect(cut(10_500).degradation).toMatchObject({ answer: 6, 'output-500': 11 });
  });

  test('moves what the user typed last of all, and says when that does not do either', () => {
    expect(cut(20_100)).toMatchObject({ isAll: false, degradation: { answer: 12, pin: 1 } });
    expect(cut(24_001)).toMatchObject({ isAll: true, degradation: { pin: 12 } });
    expect(cut(Number.POSITIVE_INFINITY).isAll).toBe(true);
  });

  test('drops a call and its output together, an orphan on its own', () => {
    const pair = degrade({
      segments: [call, output, call, orphan],
      printedChars: [900, 900, 900, 900],
      oldEnd: 4,
      savedChars: 3_600 - 900 - 60,
    });
    expect(pair.degradation.call).toBeGreaterThanOrEqual(2);
    const treated = treatments([call, output, call, orphan], { call: 2 }, new Set());
    expect([0, 1, 2, 3].map(treated)).toEqual(['drop', 'drop', undefined, undefined]);
  });
});

describe('treatments', () => {
  test('are those of the furthest step, and never touch a pinned segment', () => {
    const all = {
      'output-500': 12,
      'output-100': 12,
      'output-name': 6,
      reasoning: 12,
      call: 3,
      answer: 3,
      pin: 1,
    };
    const treated = treatments(segments, all, new Set([2]));
    expect(segments.map((_, i) => treated(i))).toEqual([
      'pin',
      'drop',
      'pin',
      undefined,
      0,
      undefined,
      undefined,
      'drop',
      undefined,
      undefined,
      100,
      undefined,
    ]);
  });

  test('never drop what the user typed', () => {
    const all = cut(Number.POSITIVE_INFINITY).degradation;
    const treated = treatments(segments, all, new Set());
    expect(segments.map((_, i) => treated(i)).filter((each) => each === 'pin')).toHaveLength(2);
    expect(treated(0)).toBe('pin');
  });
});
