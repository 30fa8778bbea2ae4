import { describe, expect, test } from 'vitest';
import { idleRules, liveRequest, pinnedSegments } from '../../src/archive/pins.js';
import type { Segment } from '../../src/text/segment.js';

const said = (entryId: string, text: string, more = {}): Segment => ({
  part: 'text',
  scope: 'user',
  entryId,
  text,
  ...more,
});
const call: Segment = {
  part: 'call',
  scope: 'call',
  entryId: 'c',
  name: 'run',
  args: [{ key: 'cmd', text: 'npm test', quoted: true }],
  answered: true,
};
const output: Segment = {
  part: 'output',
  scope: 'call',
  entryId: 'r',
  text: 'ok',
  failed: false,
  orphan: false,
};
const segments = [
  said('a', 'first rule'),
  said('h', 'from a hook', { injected: 'hook' }),
  call,
  output,
  said('b', 'now'),
];
const pins = (...rules: string[]) => [...pinnedSegments(segments, rules)].sort();

describe('pins', () => {
  test('say which rules name nothing', () => {
    expect(idleRules(segments, ['id:a', 'id:none', '/npm/', '/nope/i', 'no words'])).toEqual([
      'id:none',
      '/nope/i',
      'no words',
    ]);
  });

  test('take a pattern with any flags, and end one that does not end', () => {
    expect(pins('/FIRST/gi')).toEqual([0]);
    expect(pins('/usr/lib')).toEqual([]);
    const endless = [said('e', 'a'.repeat(40))];
    expect(() => pinnedSegments(endless, ['/(a+)+b/'])).toThrow(/done within 3 s/);
  });

  test('are named by entry, role, pattern or text', () => {
    expect(pins('id:a')).toEqual([0]);
    expect(pins('role:user')).toEqual([0, 4]);
    expect(pins('/^FIRST/i')).toEqual([0]);
    expect(pins('hook')).toEqual([1]);
    expect(pins()).toEqual([]);
  });

  test('take a call and its output together', () => {
    expect(pins('npm test')).toEqual([2, 3]);
    expect(pins('id:r')).toEqual([2, 3]);
  });

  test.each(['role:nobody', '/(/'])('refuse the rule %s', (rule) => {
    expect(() => pins(rule)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('the newest request', () => {
  test('is all that the user typed of the newest entry, and nothing that a program put there', () => {
    const mixed = [
      said('a', 'old'),
      said('b', 'reminder', { injected: 'hook' }),
      said('b', 'do'),
      said('b', 'this'),
      said('b', 'note', { injected: 'hook' }),
    ];
    expect(liveRequest(mixed)).toEqual({
      segment: 2,
      entryId: 'b',
      indices: new Set([2, 3]),
      text: 'do\nthis',
    });
    expect(liveRequest([said('x', 'task', { agent: 'helper' })])).toBeUndefined();
    expect(liveRequest([said('x', 'half \ud83d')])!.text).toBe('half \ufffd');
  });
});
