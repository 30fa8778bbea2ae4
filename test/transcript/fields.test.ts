import { expect, it } from 'vitest';
import { defined, timeMsOf } from '../../src/transcript/fields.js';

it('reads a time without a zone as UTC', () => {
  const ms = Date.UTC(2026, 2, 30, 14, 22, 31);
  for (const text of [
    '2026-03-30T14:22:31',
    '2026-03-30T14:22:31Z',
    '2026-03-30T16:22:31+02:00',
    '2026-03-30T14:22:31.000',
  ])
    expect(timeMsOf(text)).toBe(ms);
  expect([timeMsOf(ms), timeMsOf(ms / 1000), timeMsOf('soon')]).toEqual([ms, ms, undefined]);
});

it('leaves out the keys that are undefined and no others', () => {
  const value = defined<{ a?: number; b?: null; c: string }>({ a: undefined, b: null, c: '' });
  expect(Object.entries(value)).toEqual([
    ['b', null],
    ['c', ''],
  ]);
});
