import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageFamilies } from '../../src/billing/image-families.js';
import { estimateImageTokens, type ImageBillingRecord } from '../../src/billing/image-tokens.js';
import { readPackageJson } from '../../src/package-files.js';
import { resolveReader } from '../../src/page/readers.js';

const { records } = readPackageJson('src/billing/image-billing.json') as {
  records: Record<string, ImageBillingRecord>;
};
const estimate = (bill: string, widthPx: number, heightPx: number) =>
  estimateImageTokens(records[bill]!, { widthPx, heightPx });

describe('Claude patches', () => {
  it.each([
    ['claude-high', 200, 200, 64],
    ['claude-high', 1000, 1000, 1296],
    ['claude-high', 1092, 1092, 1521],
    ['claude-high', 1920, 1080, 2691],
    ['claude-high', 2000, 1500, 3888],
    ['claude-high', 1932, 1932, 4761],
    ['claude-high', 1568, 1568, 3136],
    ['claude-high', 1960, 1904, 4760],
    ['claude-standard', 200, 200, 64],
    ['claude-standard', 1000, 1000, 1296],
    ['claude-standard', 1092, 1092, 1521],
    ['claude-standard', 1568, 784, 1568],
    ['claude-standard', 784, 1568, 1568],
    ['claude-standard', 1568, 728, 1456],
  ])('%s keeps %d×%d: %d tokens', (bill, width, height, tokens) => {
    expect(estimate(bill, width, height)).toEqual({
      tokens,
      budgetTokens: tokens + 4,
      seenWidthPx: width,
      seenHeightPx: height,
      shrunk: false,
    });
  });

  it.each([
    ['claude-high', 3840, 2160, 2576, 1449, 4784],
    ['claude-high', 2048, 2048, 1932, 1932, 4761],
    ['claude-standard', 1920, 1080, 1456, 819, 1560],
    // The table of the documentation prints 1269; the reference code gives 1270. The tokens agree.
    ['claude-standard', 2000, 1500, 1270, 952, 1564],
    ['claude-standard', 3840, 2160, 1456, 819, 1560],
    ['claude-standard', 1075, 1520, 924, 1307, 1551],
    ['claude-standard', 1568, 1568, 1092, 1092, 1521],
    ['claude-standard', 1932, 1932, 1092, 1092, 1521],
  ])('%s shrinks %d×%d to %d×%d: %d tokens', (bill, width, height, seenWidthPx, seenHeightPx, tokens) => {
    expect(estimate(bill, width, height)).toMatchObject({ seenWidthPx, seenHeightPx, tokens, shrunk: true });
  });

  it.each([
    [1092, 1092, 1525],
    [1568, 1568, 1525],
    [1568, 728, 1460],
  ])('counts %d×%d with the surcharge measured on Sonnet 4.5', (width, height, tokens) => {
    expect(estimate('claude-standard', width, height).budgetTokens).toBe(tokens);
  });
});

describe('the table of predicted tokens per frame', () => {
  const bills = [
    'claude-high',
    'claude-standard',
    'openai-original-30k',
    'openai-original-10k',
    'openai-high',
    'openai-tile-85',
    'gemini-3',
    'grok',
    'kimi-k2',
    'kimi-k3',
    'qwen-3',
    'mistral-3',
  ];
  it.each([
    [1024, 1024, [1369, 1369, 1229, 1229, 1229, 765, 1089, 1028, 1369, 1369, 1026, 1406]],
    [1092, 1092, [1521, 1521, 1470, 1470, 1470, 765, 1089, 1229, 1521, 1521, 1158, 1560]],
    [768, 1932, [1932, 1288, 1757, 1757, 1757, 1445, 1113, 1468, 1932, 1932, 1442, 1265]],
    [1568, 728, [1456, 1456, 1353, 1353, 1353, 1445, 1078, 1131, 1456, 1456, 1129, 1456]],
    [1568, 784, [1568, 1568, 1470, 1470, 1470, 1105, 1081, 1229, 1568, 1568, 1178, 1568]],
    [1568, 1568, [3136, 1521, 2882, 2882, 2882, 765, 1089, 2405, 3136, 3136, 2403, 3080]],
    [1600, 1600, [3364, 1521, 3000, 3000, 3000, 765, 1089, 2504, 3364, 3364, 2502, 3080]],
    [1932, 1932, [4761, 1521, 4466, 4466, 2882, 765, 1089, 3725, 4096, 4761, 2502, 3080]],
    [2048, 2048, [4761, 1521, 4916, 4916, 3000, 765, 1089, 4100, 4225, 5476, 2502, 3080]],
  ])('%d×%d', (width, height, tokens) => {
    expect(bills.map((bill) => estimate(bill, width, height).tokens)).toEqual(tokens);
  });

  it('marks what the provider resizes', () => {
    const shrunk = (width: number, height: number) =>
      bills.filter((bill) => estimate(bill, width, height).shrunk);
    expect(shrunk(1568, 1568)).toEqual(['claude-standard', 'openai-tile-85', 'mistral-3']);
    expect(shrunk(1932, 1932)).toEqual([
      'claude-standard',
      'openai-high',
      'openai-tile-85',
      'kimi-k2',
      'qwen-3',
      'mistral-3',
    ]);
    expect(shrunk(768, 1932)).not.toContain('openai-tile-85');
    expect(shrunk(1792, 1792)).not.toContain('kimi-k2');
    expect(shrunk(1600, 1600)).not.toContain('qwen-3');
  });
});

describe('measured requests', () => {
  it('leaves the same text on three receipts of gpt-5.6-sol only with the factor 1.2', () => {
    const tokens = (width: number, height: number) => estimate('openai-original-30k', width, height).tokens;
    expect(1748 - tokens(764, 1724)).toBe(192);
    expect(1143 - tokens(768, 1040)).toBe(192);
    expect(Math.abs(tokens(1568, 1568) - 2881)).toBeLessThanOrEqual(1);
  });

  it.each([
    [1000, 1000, 1089],
    [1568, 728, 1078],
    [768, 1932, 1113],
    [768, 512, 1080],
    [1920, 1080, 1100],
    [2048, 512, 1056],
    [2048, 256, 1034],
    [100, 100, 1089],
  ])('Gemini 3 bills %d×%d by aspect: %d', (width, height, tokens) => {
    expect(estimate('gemini-3', width, height).tokens).toBe(tokens);
  });

  it('meets the two Grok figures and the difference of two more', () => {
    expect(estimate('grok', 768, 336).tokens - 4).toBe(264);
    expect(estimate('grok', 768, 336).tokens).toBe(268);
    expect(estimate('grok', 764, 980).tokens).toBe(748);
    expect(estimate('grok', 764, 413).tokens - estimate('grok', 768, 360).tokens).toBe(24);
    expect(estimate('grok', 764, 64).tokens).toBe(52);
  });

  it('meets two Kimi figures up to the same 236 tokens of text', () => {
    expect(4394 - estimate('kimi-k2', 3509, 4963).tokens).toBe(236);
    expect(4396 - estimate('kimi-k2', 1654, 4343).tokens).toBe(236);
  });

  it('meets the one GLM figure', () => {
    expect(estimate('glm-v', 1785, 2526).tokens).toBe(5760);
  });

  it.each([
    [512, 187],
    [640, 277],
    [896, 511],
    [1024, 655],
    [1152, 817],
    [1280, 997],
    [1932, 997],
  ])('DeepSeek V4.1 bills a square of %d as %d', (side, tokens) => {
    expect(estimate('deepseek-4.1', side, side).tokens).toBe(tokens);
  });

  it('predicts the one oblong of DeepSeek V4.1 two tokens high', () => {
    expect(estimate('deepseek-4.1', 1280, 1260).tokens - 963).toBe(2);
  });
});

describe('other tile and patch bills', () => {
  it.each([
    ['openai-tile-70', 768, 1932, 70 + 8 * 140],
    ['openai-tile-75', 768, 1932, 75 + 8 * 150],
    ['openai-tile-2833', 768, 768, 2833 + 4 * 5667],
    ['openai-tile-65', 512, 512, 65 + 129],
    ['openai-patch-1.2', 1248, 1248, 1826],
    ['openai-patch-1.62', 1248, 1248, 2465],
    ['openai-patch-1.72', 1248, 1248, 2617],
    ['openai-patch-2.46', 1248, 1248, 3742],
    ['gemini-2.5', 2048, 2048, 2304],
    ['gemma-4', 768, 768, 256],
  ])('%s bills %d×%d as %d', (bill, width, height, tokens) => {
    expect(estimate(bill, width, height)).toMatchObject({ tokens, shrunk: false });
  });
});

describe('estimateImageTokens', () => {
  const anyBill = constantFrom(...Object.keys(records));
  const side = integer({ min: 1, max: 16_384 });

  it('is a positive whole number for any size under any bill, and never sees an empty image', () => {
    assert(
      property(anyBill, side, side, (bill, width, height) => {
        const got = estimate(bill, width, height);
        expect(Number.isInteger(got.tokens) && got.tokens >= 1).toBe(true);
        expect(Number.isInteger(got.seenWidthPx) && got.seenWidthPx >= 1).toBe(true);
        expect(Number.isInteger(got.seenHeightPx) && got.seenHeightPx >= 1).toBe(true);
        expect(got.budgetTokens).toBeGreaterThanOrEqual(got.tokens);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(Object.keys(records))('%s bills the extremes', (bill) => {
    for (const [width, height] of [
      [1, 1],
      [16_384, 1],
      [1, 16_384],
      [1932, 16],
      [16_384, 16_384],
    ] as const) {
      const got = estimate(bill, width, height);
      expect(got.tokens, `${width}×${height}`).toBeGreaterThanOrEqual(1);
      expect(got.tokens, `${width}×${height}`).toBeLessThan(500_000);
    }
  });

  it('bills a short last frame less than a full one, except where the aspect alone counts', () => {
    for (const bill of ['claude-high', 'openai-original-30k', 'grok', 'kimi-k3', 'qwen-3', 'deepseek-4.1']) {
      expect(estimate(bill, 1280, 160).tokens).toBeLessThan(estimate(bill, 1280, 1280).tokens);
    }
  });

  it('bills an upright image like the same one lying, where the formula has no rows', () => {
    const symmetric = [
      'claude-high',
      'claude-standard',
      'openai-high',
      'openai-tile-85',
      'gemini-3',
      'grok',
      'kimi-k2',
    ];
    assert(
      property(constantFrom(...symmetric), side, side, (bill, width, height) => {
        expect(estimate(bill, width, height).tokens).toBe(estimate(bill, height, width).tokens);
      }),
    );
  });

  it('never exceeds the caps of Claude', () => {
    assert(
      property(side, side, (width, height) => {
        const high = estimate('claude-high', width, height);
        expect(high.tokens).toBeLessThanOrEqual(4784);
        expect(Math.max(high.seenWidthPx, high.seenHeightPx)).toBeLessThanOrEqual(2576);
        expect(estimate('claude-standard', width, height).tokens).toBeLessThanOrEqual(1568);
      }),
    );
  });

  it.each([
    [0, 10],
    [10, -1],
    [1.5, 10],
    [Number.NaN, 10],
    [65_537, 1],
    ['10' as unknown as number, 10],
  ])('refuses an image of %s×%s', (width, height) => {
    expect(() => estimate('grok', width, height)).toThrowError(expect.objectContaining({ code: 'usage' }));
  });

  it.each([
    [{ family: 'nobody' }, /one of claude-patch.*family/],
    [{ family: 'constructor' }, /one of claude-patch/],
    [{ family: 'grok-patch', patchPx: 32 }, /imageTokens, got nothing/],
    [{ family: 'grok-patch', patchPx: 0, imageTokens: 4 }, /above 0 for the image bill's grok-patch.patchPx/],
    [{ family: 'flat', tokens: Number.NaN }, /flat.tokens/],
    [{ family: 'flat', tokens: 1, perImageTokens: -1 }, /perImageTokens/],
  ])('refuses the record %j', (record, message) => {
    expect(() => estimateImageTokens(record as ImageBillingRecord, { widthPx: 1, heightPx: 1 })).toThrowError(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) }),
    );
  });
});

describe('src/billing/image-billing.json', () => {
  it.each(Object.entries(records))('%s names a known family, a source and a date', (_, record) => {
    expect(imageFamilies).toHaveProperty([record.family]);
    expect(record['source']).toMatch(/\S/);
    expect(record['date']).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(['documented', 'measured', 'inferred', 'assumed']).toContain(record['confidence']);
  });

  it('bills every family', () => {
    expect(new Set(Object.values(records).map(({ family }) => family))).toEqual(
      new Set(Object.keys(imageFamilies)),
    );
  });

  it.each([
    ['claude-opus-5', 4761],
    ['claude-opus-4-5', 1568],
    ['gemini-3-pro', 1089],
    ['gpt-5.5', 2882],
    ['gpt-5.2', 1826],
    ['gpt-4o', 1445],
    ['kimi-k3', 3136],
    ['glm-4.6v', 3136],
    ['grok-4.6', 2405],
    ['qwen3.8-max', 2403],
    ['deepseek-flash', 965],
  ])('the frame of %s reaches it unshrunk for %d tokens', (model, tokens) => {
    const { billing, frame } = resolveReader({ model });
    const got = estimateImageTokens(billing, { widthPx: frame.widthPx, heightPx: frame.maxHeightPx });
    expect(got).toMatchObject({ tokens, shrunk: false });
  });
});
