import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foveate, layRuns, type PlannedPage, type Tiers } from '../../src/page/foveate.js';
import { pageFormat } from '../../src/page/page-format.js';
import { getShape } from '../../src/page/shapes.js';
import { normalizeText } from '../../src/text/normalize.js';
import { awkwardText, coverage } from '../support/text-samples.js';

const size = { widthPx: 176, maxHeightPx: 64 };
const hq = pageFormat(getShape('11on16-bw'), size);
const lq = pageFormat(getShape('8on16-bw'), size);
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

const plan = (text: string, maxPages: number, tiers: Tiers = { hq, lq }) =>
  foveate(text, [], tiers, maxPages);
const tiersOf = async (text: string, maxPages: number) =>
  (await plan(text, maxPages)).pages.map(({ tier }) => tier).join('');

/** Every text of the pages, joined: nothing may be lost or doubled. */
const joined = (pages: readonly PlannedPage[]) => pages.map(({ page }) => page.text).join('');

describe('foveate', () => {
  test('prints everything in the reader’s shape while that fits', async () => {
    const { pages, runs } = await plan(words(60), 12);
    expect(new Set(pages.map(({ tier }) => tier))).toEqual(new Set(['hq']));
    expect(runs).toEqual([{ tier: 'hq' }]);
  });

  test('keeps three sharp pages at each edge and prints the middle denser', async () => {
    expect(await tiersOf(words(140), 12)).toMatch(/^(hq){3}(lq)+(hq){3}$/);
  });

  test.each([
    [7, 3],
    [6, 2],
    [4, 1],
    [3, 1],
    [2, 0],
    [1, 0],
  ])('with room for %i pages keeps %i sharp ones at each edge', async (maxPages, edge) => {
    const tiers = await tiersOf(words(2000), maxPages);
    expect(tiers).toMatch(new RegExp(`^(hq){${edge}}(lq)+(hq){${edge}}$`));
  });

  test('leaves no page unfilled that a denser or a sharper one could have filled', async () => {
    for (let count = 120; count < 180; count++) {
      const { pages } = await plan(words(count), 12);
      const text = words(count);
      const chars = pages.map(({ page }) => page.text.length);
      expect(pages.map(({ tier }) => tier).slice(-3)).toEqual(['hq', 'hq', 'hq']);
      const full = (tier: string) => (tier === 'hq' ? hq : lq).geometry.capacityCells;
      const room = pages.reduce((sum, { tier }) => sum + full(tier), 0);
      // The last dense page gave its place to the sharp ones; all others are full.
      expect(room - text.length).toBeLessThan(lq.geometry.capacityCells + 8 * pages.length);
      expect(chars.slice(0, 3).every((units) => units >= hq.geometry.capacityCells - 8)).toBe(true);
    }
  });

  test('keeps one tier where there is no companion, and says how many pages the whole takes', async () => {
    const { pages, wholePages } = await plan(words(2000), 12, { hq });
    expect(pages.every(({ tier }) => tier === 'hq')).toBe(true);
    expect(pages).toHaveLength(wholePages);
    expect((await plan(words(2000), 300)).wholePages).toBe(wholePages);
    expect((await plan(words(2000), 12)).wholePages / wholePages).toBeCloseTo(1, 1);
  });

  test('accounts for every character of any text, once and in order', async () => {
    const texts = fc.array(awkwardText, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(' '));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 30 }), async (source, maxPages) => {
        const { text } = normalizeText(source, { coverage });
        const { pages } = await plan(text, maxPages);
        expect(joined(pages)).toBe(text);
        for (const { page } of pages) expect(page.text).toBe(text.slice(page.source.from, page.source.to));
        expect(pages.map(({ page }) => page.index)).toEqual(pages.map((_, i) => i));
      }),
      { numRuns: 300 },
    );
  });
});

describe('layRuns', () => {
  test('keeps every page but the last of a text that grows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: 400 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 7, max: 20 }),
        async (start, more, maxPages) => {
          const { pages, runs } = await plan(words(start), maxPages);
          const grown = words(start + more);
          const next = await layRuns(grown, [], { hq, lq }, runs);
          const before = pages.slice(0, -1).map(({ page, tier }) => ({ text: page.text, tier }));
          expect(next.slice(0, before.length).map(({ page, tier }) => ({ text: page.text, tier }))).toEqual(
            before,
          );
          expect(joined(next)).toBe(grown);
        },
      ),
      { numRuns: 100 },
    );
  });
});
