import { describe, expect, test } from 'vitest';
import { boundSource } from '../../src/archive/bound-source.js';
import { beyondBound, boundedChars } from '../../src/text/elision.js';
import { printSegments } from '../../src/text/print.js';
import { type Segment, segmentChars, segmentKind } from '../../src/text/segment.js';
import { coverage } from '../support/text-samples.js';

const long = 'x'.repeat(1_000);
const segments: Segment[] = [
  { part: 'text', scope: 'user', entryId: 'u', text: long },
  { part: 'text', scope: 'ai', entryId: 'a', text: long },
  {
    part: 'call',
    scope: 'call',
    entryId: 'c',
    name: 'run',
    args: [{ key: 'k', text: long, quoted: true }],
    intent: 'why',
    answered: true,
  },
  { part: 'output', scope: 'call', entryId: 'o1', text: long, failed: false, orphan: false },
  { part: 'output', scope: 'call', entryId: 'o2', text: long, failed: false, orphan: true },
  { part: 'text', scope: 'think', entryId: 't', text: long },
  { part: 'text', scope: 'user', entryId: 'i', text: long, injected: 'hook' },
];
const total = (list: readonly Segment[], chars: (segment: Segment) => number) =>
  list.reduce((sum, each) => sum + chars(each), 0);

describe('a bounded source', () => {
  test('leaves out the oldest output first, then reasoning, programs, calls and answers, never the user', () => {
    const order = [...Array.from({ length: 8 }, (_, i) => 7_000 - i * 900)].map((max) =>
      boundSource(segments, max)
        .elisions.map(({ entryId }) => entryId)
        .join(' '),
    );
    expect(order).toEqual([
      'o1',
      'o1',
      'o1 o2',
      'o1 o2 t',
      'o1 o2 t i',
      'o1 o2 t i c',
      'o1 o2 t i c a',
      'o1 o2 t i c a',
    ]);
    const least = boundSource(segments, 0).segments;
    expect(least.filter((segment) => segmentKind(segment) === 'user')).toEqual([segments[0]]);
  });

  test('records each with its entry, its size and the transcript, and accounts for all characters', () => {
    const { segments: bounded, elisions } = boundSource(segments, 0, { transcriptSha256: 'abc' });
    expect(elisions[0]).toEqual({
      reason: 'source',
      what: 'output',
      chars: 1_000,
      entryId: 'o1',
      transcriptSha256: 'abc',
    });
    const kept = total(bounded, boundedChars);
    expect(kept + elisions.reduce((sum, { chars }) => sum + chars, 0)).toBe(total(segments, segmentChars));
    expect(total(bounded, beyondBound)).toBe(elisions.reduce((sum, { chars }) => sum + chars, 0));
  });

  test('leaves out nothing twice, nothing pinned, and nothing that is not worth a mark', () => {
    const once = boundSource(segments, 0);
    expect(boundSource(once.segments, 0)).toEqual({ segments: once.segments, elisions: [] });
    expect(boundSource(segments, 0, { pinned: new Set([3]) }).segments[3]).toBe(segments[3]);
    const short: Segment[] = [
      { part: 'output', scope: 'call', entryId: 'o', text: 'y'.repeat(70), failed: false, orphan: true },
    ];
    expect(boundSource(short, 0).elisions).toEqual([]);
    expect(boundSource(segments, 100_000).segments).toBe(segments);
  });

  test('leaves out the same again, and a share more only where that does not do', () => {
    const before = boundSource(segments, 6_500).segments;
    const ids = (max: number, freedShare: number) =>
      boundSource(segments, max, { before, freedShare }).elisions.map(({ entryId }) => entryId);
    expect(ids(6_500, 0.5)).toEqual(['o1']);
    expect(ids(5_500, 0)).toEqual(['o1', 'o2']);
    expect(ids(5_500, 0.2)).toEqual(['o1', 'o2', 't']);
    expect(ids(7_500, 0.2)).toEqual([]);
  });

  test('prints the whole number under any cap, and counts it once', () => {
    const bounded = boundSource(segments, 0).segments;
    const caps = { outputChars: 0, argumentChars: 0, callChars: 0 };
    const { text, elisions } = printSegments(bounded, { coverage, caps });
    expect(text.match(/\[…1000 ch elided…\]/g)).toHaveLength(5);
    expect(text).toContain('([…1004 ch elided…])');
    expect(elisions.filter(({ what }) => what !== 'argument')).toEqual([]);
    const dropped = printSegments(bounded, { coverage, treatment: (i) => (i === 3 ? 'drop' : undefined) });
    expect(dropped.text).toContain('[…1000 ch elided: 1 output…]');
    expect(dropped.elisions).toMatchObject([{ reason: 'budget', chars: 0 }]);
  });
});
