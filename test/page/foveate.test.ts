import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foveate } from '../../src/page/foveate.js';
import { pageFormat } from '../../src/page/page-format.js';
import { getShape } from '../../src/page/shapes.js';
import { normalizeText } from '../../src/text/normalize.js';
import { awkwardText, coverage } from '../support/text-samples.js';

const size = { widthPx: 176, maxHeightPx: 64 };
const hq = pageFormat(getShape('11on16-bw'), size);
const lq = pageFormat(getShape('8on16-bw'), size);
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

const tiersOf = (text: string, maxPages: number) =>
  foveate(text, [], { hq, lq, maxPages })
    .pages.map(({ tier }) => tier)
    .join('');

describe('foveate', () => {
  test('prints everything in the reader’s shape while that fits', () => {
    const plan = foveate(words(60), [], { hq, lq, maxPages: 12 });
    expect(new Set(plan.pages.map(({ tier }) => tier))).toEqual(new Set(['hq']));
    expect(plan.dropped).toEqual([]);
  });

  test('keeps three sharp pages at each edge and prints the middle denser', () => {
    expect(tiersOf(words(140), 12)).toMatch(/^(hq){3}(lq)+(hq){3}$/);
  });

  test('drops the oldest of the middle when even that is too long, and says which stretch', () => {
    const text = words(2000);
    const { pages, dropped } = foveate(text, [], { hq, lq, maxPages: 12 });
    expect(pages).toHaveLength(12);
    expect(dropped).toEqual([{ from: pages[2]!.page.source.to, to: pages[3]!.page.source.from }]);
    expect(pages.at(-1)!.page.text.endsWith('word1999')).toBe(true);
    expect(pages[0]!.page.text.startsWith('word0')).toBe(true);
  });

  test('keeps one tier where there is no companion or no room for two edges', () => {
    const alone = foveate(words(2000), [], { hq, maxPages: 12 });
    expect(alone.pages.every(({ tier }) => tier === 'hq')).toBe(true);
    expect(alone.dropped[0]!.from).toBe(0);
    expect(tiersOf(words(2000), 6)).toBe('hq'.repeat(6));
  });

  test('accounts for every character of any text, once and in order', () => {
    const texts = fc.array(awkwardText, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (source, maxPages) => {
        const { text } = normalizeText(source, { coverage });
        const { pages, dropped } = foveate(text, [], { hq, lq, maxPages });
        expect(pages.length).toBeLessThanOrEqual(maxPages);
        const pieces = [...pages.map(({ page }) => page.source), ...dropped].sort((a, b) => a.from - b.from);
        expect(pieces.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text);
        for (const { page } of pages) expect(page.text).toBe(text.slice(page.source.from, page.source.to));
        expect(pages.map(({ page }) => page.index)).toEqual(pages.map((_, i) => i));
      }),
      { numRuns: 300 },
    );
  });
});
