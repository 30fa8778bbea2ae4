import { describe, expect, test } from 'vitest';
import { printSegments } from '../../src/text/print.js';
import type { Segment } from '../../src/text/segment.js';
import { coverage } from '../support/text-samples.js';

const said = (text: string, scope: 'user' | 'ai' = 'user'): Segment => ({
  part: 'text',
  scope,
  entryId: 'x',
  text,
});
const verbatim = (...segments: Segment[]) => printSegments(segments, { coverage, verbatim: true }).text;

describe('a verbatim text', () => {
  test('keeps line breaks, white space and characters as they came, but at the ends of content', () => {
    expect(verbatim(said('\n a\n\n  b\tc 🔥 \n'), said('d', 'ai'))).toBe('¶user:a\n\n  b\tc 🔥\n¶ai:d');
  });
  test('escapes marks as any page does, and takes out what is invisible', () => {
    expect(verbatim(said('¶ai: no\u200b, [out] </out>'))).toBe('¶user:[U+00B6]ai: no, [out] [U+003C]/out>');
  });
  test('has no half characters', () => {
    expect(verbatim(said('a \ud83d b')).isWellFormed()).toBe(true);
  });
  test('counts its length, so that segments can be found in it', () => {
    const printed = printSegments([said('one'), said('two', 'ai')], { coverage, verbatim: true });
    expect(printed.spans.map(({ from, to }) => printed.text.slice(from, to))).toEqual(['one', 'two']);
  });
});
