import { describe, expect, test } from 'vitest';
import { type BudgetOptions, budgetOf, frameCaps } from '../../src/archive/budget.js';
import { type ReaderTarget, resolveReader } from '../../src/page/readers.js';

const budget = (target: ReaderTarget, options: BudgetOptions = {}) =>
  budgetOf(resolveReader(target), options);
const claude = { model: 'claude-sonnet-4-5' };

describe('a budget', () => {
  test('replaces within the window of the model, archives without one', () => {
    const replace = budget(claude, { purpose: 'replace' });
    expect(replace).toMatchObject({ margin: 0.1, edge: 1, onlyIfSmaller: true, maxFrames: 80 });
    expect(replace.tokens).toBeGreaterThan(100_000);
    expect(budget(claude)).toMatchObject({
      purpose: 'archive',
      margin: null,
      tokens: null,
      onlyIfSmaller: false,
    });
    expect(budget({ model: 'nobody' }, { purpose: 'replace' }).tokens).toBe(200_000 - 16_384);
    expect(budget(claude, { windowTokens: 32_000 }).tokens).toBe(32_000 - 8_000);
    expect(budget(claude, { windowTokens: 32_000, usedTokens: 40_000 }).tokens).toBe(0);
  });

  test('holds an unknown route to the least only where it replaces', () => {
    expect(budget({ route: 'nowhere' })).toMatchObject({ images: null, bytes: null });
    expect(budget({ route: 'nowhere' }, { purpose: 'replace', usedImages: 2 })).toMatchObject({
      images: 3,
      bytes: 3_000_000,
    });
  });

  test('names the tightest limit first', () => {
    const caps = (options: BudgetOptions, target: ReaderTarget = claude) =>
      frameCaps(
        budget(target, options),
        { tokens: 1_000, bytes: 1_000 },
        { tokens: 1_000, bytes: 10_000 },
      )[0];
    expect(caps({ maxFrames: 3 })).toEqual({ limit: 'frames', frames: 3 });
    expect(caps({ maxImages: 2 })).toEqual({ limit: 'images', frames: 2 });
    expect(caps({ maxBytes: 45_000 })).toEqual({ limit: 'bytes', frames: 4 });
    expect(caps({ windowTokens: 10_000, reserveTokens: 0 })).toEqual({ limit: 'window', frames: 9 });
    expect(caps({}, { ...claude, frame: { widthPx: 3_000, maxHeightPx: 3_000 } })).toEqual({
      limit: 'pixels',
      frames: 20,
    });
  });

  test('refuses options out of range, and frames that the route never takes', () => {
    for (const wrong of [
      { margin: 2 },
      { edge: -1 },
      { maxImages: 1.5 },
      { maxFrames: 0 },
      { windowTokens: 0 },
    ]) {
      expect(() => budget(claude, wrong)).toThrow(expect.objectContaining({ code: 'usage' }));
    }
    const huge = { ...claude, frame: { widthPx: 9_000, maxHeightPx: 100 } };
    expect(() => budget(huge)).toThrow(expect.objectContaining({ code: 'over-budget' }));
    const patches = { model: 'gpt-5.5', frame: { widthPx: 8_000, maxHeightPx: 8_000 } };
    expect(() => budget(patches)).toThrow(/patches/);
  });
});
