import { assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceArchive } from '../../src/billing/price-archive.js';
import { findPrice, priceTable, priceTokens } from '../../src/billing/prices.js';
import { allRequestLimits } from '../../src/billing/request-limits.js';
import { rewriteTax } from '../../src/billing/rewrite-tax.js';
import { readPackageJson } from '../../src/package-files.js';

const { records, carriers, unpriced } = priceTable();
const million = 1_000_000;

/** Dollars for a million tokens of input, output, cache reads and cache writes in a prompt below every tier. */
function perMillion(model: string, contextTokens = 1000, route?: string): (number | undefined)[] {
  const price = (tokens: object) =>
    priceTokens(model, { contextTokens, ...tokens }, route === undefined ? {} : { route }).usd;
  return [
    price({ input: million }),
    price({ output: million }),
    price({ cacheRead: million }),
    price({ cacheWrite: million }),
  ];
}

describe('prices of Claude', () => {
  it.each([
    ['claude-fable-5.1', 10, 50, 0.25, 12.5],
    ['claude-mythos-5-1', 10, 50, 0.25, 12.5],
    ['claude-fable-5', 10, 50, 1, 12.5],
    ['claude-opus-5.5', 4, 20, 0.2, 5],
    ['claude-opus-5-5-20260922', 4, 20, 0.2, 5],
    ['claude-opus-5', 5, 25, 0.5, 6.25],
    ['claude-opus-4-8[1m]', 5, 25, 0.5, 6.25],
    ['claude-opus-4.7', 5, 25, 0.5, 6.25],
    ['claude-opus-4.6', 5, 25, 0.5, 6.25],
    ['claude-opus-4-5-20251101', 5, 25, 0.5, 6.25],
    ['claude-sonnet-5.5', 2, 10, 0.1, 2.5],
    ['claude-sonnet-5', 2, 10, 0.2, 2.5],
    ['claude-sonnet-4.6', 3, 15, 0.3, 3.75],
    ['claude-sonnet-4-5', 3, 15, 0.3, 3.75],
    ['claude-haiku-5.5', 0.1, 0.5, 0.01, 0.125],
    ['claude-haiku-4-5', 1, 5, 0.1, 1.25],
    ['anthropic/claude-opus-5', 5, 25, 0.5, 6.25],
    ['openrouter/anthropic/claude-opus-5', 5, 25, 0.5, 6.25],
    ['global.anthropic.claude-opus-5', 5, 25, 0.5, 6.25],
  ])('%s: input %d, output %d, cache read %d, cache write %d', (model, ...usd) => {
    expect(perMillion(model)).toEqual(usd);
  });

  it('multiplies Haiku 5.5 by five above 100,000 tokens', () => {
    expect(perMillion('claude-haiku-5.5', 100_000)).toEqual([0.1, 0.5, 0.01, 0.125]);
    expect(perMillion('claude-haiku-5.5', 100_001)).toEqual([0.5, 2.5, 0.05, 0.625]);
    expect(priceTokens('claude-haiku-5.5', { input: 60_000, cacheRead: 60_000 }).usd).toBeCloseTo(0.033, 10);
  });

  it('adds a tenth to regional ids of Bedrock', () => {
    for (const region of ['us', 'eu', 'au', 'jp']) {
      expect(perMillion(`${region}.anthropic.claude-opus-5-20260401-v1:0`)).toEqual([5.5, 27.5, 0.55, 6.875]);
    }
    expect(perMillion('arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-5')[0]).toBe(
      5.5,
    );
    expect(perMillion('anthropic.claude-opus-5')[0]).toBe(5);
  });

  it('writes for an hour at twice the input price', () => {
    expect(priceTokens('claude-opus-5', { longCacheWrite: million }).usd).toBe(10);
  });
});

describe('prices of other vendors', () => {
  it.each([
    ['gpt-6-astra', 10, 50, 1, 12.5],
    ['gpt-5.6-sol', 4, 20, 0.4, 5],
    ['gpt-5.5', 5, 30, 0.5, 5],
    ['gpt-5.4-mini-2026-03-17', 0.75, 4.5, 0.075, 0.75],
    ['gpt-5.1-codex', 1.25, 10, 0.125, 1.25],
    ['gpt-4.1', 2, 8, 0.5, 2],
    ['gpt-4o', 2.5, 10, 1.25, 2.5],
    ['o3', 2, 8, 0.5, 2],
    ['o4-mini', 1.1, 4.4, 0.275, 1.1],
    ['gemini-3.8-flash', 0.75, 3.75, 0.075, 0.75],
    ['gemini-3.6-flash', 0.75, 3.75, 0.075, 0.75],
    ['gemini-3.5-flash', 1.5, 9, 0.15, 1.5],
    ['gemini-3.5-flash-lite', 0.3, 2.5, 0.03, 0.3],
    ['gemini-3.1-pro-preview', 2, 12, 0.2, 2],
    ['gemini-3-flash-preview', 0.5, 3, 0.05, 0.5],
    ['gemini-3.1-flash-lite', 0.25, 1.5, 0.025, 0.25],
    ['grok-4.6', 2, 6, 0.5, 2],
    ['grok-4.5', 2, 6, 0.3, 2],
    ['kimi-k3', 3, 15, 0.3, 3],
    ['deepseek-flash', 0.3, 1.2, 0.006, 0.3],
    ['glm-5.3', 1.4, 4.4, 0.26, 1.4],
    ['MiniMax-M2.7', 0.3, 1.2, 0.06, 0.375],
  ])('%s: input %d, output %d, cache read %d, cache write %d', (model, ...usd) => {
    expect(perMillion(model)).toEqual(usd);
  });

  it('raises long prompts as the vendors do', () => {
    expect(perMillion('gpt-5.5', 272_000)[0]).toBe(5);
    expect(perMillion('gpt-5.5', 272_001)).toEqual([10, 45, 1, 10]);
    expect(perMillion('grok-4.5', 199_999)[0]).toBe(2);
    expect(perMillion('grok-4.5', 200_000)).toEqual([4, 12, 0.6, 4]);
  });

  it('bills what no cache holds as input', () => {
    expect(perMillion('gpt-5-pro')).toEqual([15, 120, 15, 15]);
    expect(perMillion('mistral-large-2512')).toEqual([0.5, 1.5, 0.5, 0.5]);
  });
});

describe('what has no price', () => {
  it.each([
    ['some-model-nobody-knows', /no price is known for "some-model/],
    ['', /no model/],
    ['claude-opus-6', /claude-opus-6/],
    ['claude-opus', /claude-opus/],
    ['opus', /opus/],
    ['claude-opus-5-fast', /fast/],
    ['gpt-7', /gpt-7/],
    ['gpt-6.2-sol', /gpt-6.2-sol/],
    ['gemini-4-pro', /gemini-4/],
    ['gemini-3-ultra', /ultra/],
    ['gpt-5.5:free', /another price/],
    ['anthropic/claude-opus-5:batch', /another price/],
    ['copilot/gpt-5.5', /route copilot/],
    ['accounts/fireworks/models/kimi-k3', /route fireworks/],
    ['ollama/gpt-5.5', /route ollama/],
  ])('%j has none, and says why', (model, why) => {
    expect(priceTokens(model, { input: million })).toEqual({
      usd: undefined,
      parts: undefined,
      record: undefined,
      why: expect.stringMatching(why),
    });
    expect(priceArchive(model, { imageTokens: 1000, textTokens: 10 })).toMatchObject({
      uncachedUsd: undefined,
      writeUsd: undefined,
      readUsd: undefined,
      cached: false,
    });
  });

  it('has a price on a named route only where that route bills it', () => {
    expect(perMillion('claude-opus-5', 1000, 'anthropic')[0]).toBe(5);
    expect(perMillion('claude-opus-5', 1000, 'Bedrock')[0]).toBe(5);
    expect(perMillion('gemini-3.5-flash', 1000, 'vertex')[0]).toBe(1.5);
    expect(perMillion('claude-opus-5', 1000, 'copilot')[0]).toBeUndefined();
    expect(perMillion('claude-opus-5', 1000, 'a-gateway-of-ours')[0]).toBeUndefined();
  });

  it('refuses counts that are no counts, and never throws for a model', () => {
    for (const input of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => priceTokens('claude-opus-5', { input })).toThrowError(
        expect.objectContaining({ code: 'usage' }),
      );
    }
    assert(
      property(string(), string(), (model, route) => {
        expect(() => priceTokens(model, { input: 1 }, { route })).not.toThrow();
      }),
    );
  });
});

describe('priceTokens', () => {
  it('adds up its parts, and says by which record', () => {
    const models = constantFrom('claude-opus-5', 'gpt-5.5', 'grok-4.6', 'claude-haiku-5.5');
    const count = integer({ min: 0, max: 2_000_000 });
    assert(
      property(models, count, count, count, count, (model, input, output, cacheRead, cacheWrite) => {
        const { usd, parts, record } = priceTokens(model, { input, output, cacheRead, cacheWrite });
        expect(Object.values(parts!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(usd!, 9);
        expect(usd).toBeGreaterThanOrEqual(0);
        expect(record!.source).toMatch(/\S/);
      }),
    );
  });

  it('takes a price from the overrides by record or by model, on any route', () => {
    const overrides = {
      prices: {
        'claude-opus-4.5': { outputUsdPerMillion: 26 },
        'anthropic/claude-opus-4-6': { inputUsdPerMillion: 6 },
        'house-model': { inputUsdPerMillion: 1, outputUsdPerMillion: 2 },
        'claude-haiku-5.5': { inputUsdPerMillion: 0.2 },
        'half-said': { inputUsdPerMillion: 1 },
      },
    };
    const usd = (model: string, tokens: object, route = 'anywhere') =>
      priceTokens(model, tokens, { route, overrides }).usd;
    expect(usd('claude-opus-4-5', { output: million })).toBe(26);
    expect(usd('claude-opus-4.6', { output: million })).toBe(26);
    expect(usd('claude-opus-4-6', { input: million })).toBe(6);
    expect(usd('claude-opus-4.6', { input: million })).toBe(6);
    expect(usd('gateway/house-model', { input: million, output: million, cacheRead: million })).toBe(4);
    expect(usd('claude-haiku-5.5', { input: million })).toBe(0.2);
    expect(usd('half-said', { input: 1 })).toBeUndefined();
    expect(findPrice('house-model', { overrides }).record!.source).toBe('configuration');
    expect(priceTokens('claude-opus-4-5', { output: million }).usd).toBe(25);
  });
});

describe('priceArchive', () => {
  it('prices an archive of 20 frames once plain, once written and again read', () => {
    const price = priceArchive('claude-opus-5', { imageTokens: 95_220, textTokens: 4_780 });
    expect(price).toMatchObject({ tokens: 100_000, cached: true });
    expect(price.uncachedUsd).toBeCloseTo(0.5, 10);
    expect(price.writeUsd).toBeCloseTo(0.625, 10);
    expect(price.readUsd).toBeCloseTo(0.05, 10);
    expect(price.imageUsd! + price.textUsd!).toBeCloseTo(price.uncachedUsd!, 10);
  });

  it('writes for the long lifetime at its own price, where there is one', () => {
    const tokens = { imageTokens: million, textTokens: 0, contextTokens: 1000 };
    expect(priceArchive('claude-opus-5', tokens, { lifetime: 'long' }).writeUsd).toBe(10);
    expect(priceArchive('gpt-6-astra', tokens, { lifetime: 'long' }).writeUsd).toBe(12.5);
  });

  it.each([
    ['claude-opus-4-5', 4096],
    ['claude-haiku-4-5', 4096],
    ['claude-opus-4.7', 2048],
    ['claude-opus-4.8', 1024],
    ['claude-opus-5', 512],
    ['gpt-5.5', 1024],
    ['gemini-3.5-flash', 4096],
  ])('%s caches nothing below %d tokens', (model, minimum) => {
    const below = priceArchive(model, { imageTokens: minimum - 1, textTokens: 0 });
    expect(below.cached).toBe(false);
    expect(below.readUsd).toBe(below.uncachedUsd);
    const at = priceArchive(model, { imageTokens: minimum, textTokens: 0 });
    expect(at.cached).toBe(true);
    expect(at.readUsd).toBeLessThan(at.uncachedUsd!);
  });

  it('takes the tier of the prompt around the archive', () => {
    const tokens = { imageTokens: 50_000, textTokens: 0 };
    const small = priceArchive('claude-haiku-5.5', tokens).uncachedUsd!;
    expect(priceArchive('claude-haiku-5.5', { ...tokens, contextTokens: 150_000 }).uncachedUsd).toBeCloseTo(
      5 * small,
      10,
    );
  });
});

describe('rewriteTax', () => {
  // 20 frames of 1932×1932 on the high tier: 95,220 tokens.
  it.each([
    ['Claude, 5 minutes', 1.25, 0.1, 109_503, 11.5],
    ['Claude, an hour', 2, 0.1, 180_918, 19],
    ['Fable 5.1', 1.25, 0.025, 116_645, 49],
    ['Opus 5.5', 1.25, 0.05, 114_264, 24],
    ['GPT up to 5.5', 1, 0.1, 85_698, 9],
    ['Grok', 1, 0.25, 71_415, 3],
    ['DeepSeek', 1, 0.02, 93_316, 49],
  ])(
    '%s: a change of the first frame costs %d, %d: %d tokens, %d warm turns',
    (_, writeFactor, readFactor, tokens, turns) => {
      const tax = rewriteTax({ writeFactor, readFactor }, 95_220);
      expect(tax.tokenEquivalents).toBe(tokens);
      expect(tax.warmTurns).toBeCloseTo(turns, 8);
    },
  );

  it('is half a dollar of Opus 5', () => {
    const price = priceArchive('claude-opus-5', { imageTokens: 95_220, textTokens: 0 });
    expect(price.writeUsd! - price.readUsd!).toBeCloseTo(0.55, 2);
  });
});

describe('src/billing/prices.json', () => {
  it.each(records)('$id has a source, a date, ascending tiers and no cache dearer than input', (record) => {
    expect(record.source).toMatch(/\S/);
    expect(record.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(record.from === undefined).toBe(record.to === undefined);
    for (const rates of [record, ...record.above]) {
      expect(rates.inputUsdPerMillion).toBeGreaterThan(0);
      expect(rates.outputUsdPerMillion).toBeGreaterThanOrEqual(rates.inputUsdPerMillion);
      expect(rates.cacheReadUsdPerMillion ?? 0).toBeLessThan(rates.inputUsdPerMillion);
      expect(rates.cacheWriteUsdPerMillion).toBeGreaterThanOrEqual(rates.inputUsdPerMillion);
    }
    const steps = record.above.map(({ contextTokens }) => contextTokens);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  });

  // The cache factors of the vendors: write and read as multiples of the input price.
  it.each([
    ['claude-opus-5', 1.25, 0.1],
    ['claude-fable-5.1', 1.25, 0.025],
    ['claude-opus-5.5', 1.25, 0.05],
    ['claude-sonnet-5.5', 1.25, 0.05],
    ['gpt-5.6-sol', 1.25, 0.1],
    ['gpt-6-astra', 1.25, 0.1],
    ['gpt-5.5', 1, 0.1],
    ['gpt-4.1', 1, 0.25],
    ['o3', 1, 0.25],
    ['o4-mini', 1, 0.25],
    ['gpt-4o', 1, 0.5],
    ['o1', 1, 0.5],
    ['gemini-3.5-flash', 1, 0.1],
    ['grok-4.6', 1, 0.25],
    ['grok-4.5', 1, 0.15],
    ['kimi-k3', 1, 0.1],
    ['kimi-k2.7-code', 1, 0.2],
    ['deepseek-flash', 1, 0.02],
    ['glm-5', 1, 0.2],
    ['minimax-m3', 1.25, 0.2],
  ])('%s writes at %d and reads at %d times the input price', (model, write, read) => {
    const { record } = findPrice(model);
    const { inputUsdPerMillion: input } = record!;
    expect(record!.cacheWriteUsdPerMillion / input).toBeCloseTo(write, 8);
    expect(record!.cacheReadUsdPerMillion! / input).toBeCloseTo(read, 8);
  });

  it('has unique ids, lines that exist, and a carrier with source and date for each', () => {
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    const { lines } = readPackageJson('shapes/readers.json') as { lines: { line: string }[] };
    const known = lines.map(({ line }) => line);
    const routes = allRequestLimits().map(({ route }) => route);
    const carried = carriers.flatMap((carrier) => carrier.lines);
    for (const line of records.flatMap((record) => record.lines)) {
      expect(known).toContain(line);
      expect(carried).toContain(line);
    }
    for (const carrier of carriers) {
      expect(routes).toEqual(expect.arrayContaining([...carrier.routes]));
      expect(carrier.source).toMatch(/\S/);
      expect(carrier.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
    expect(unpriced).toMatchObject({
      source: expect.stringMatching(/\S/),
      date: expect.stringMatching(/^20/),
    });
  });

  it('finds each record by its own id, or by a model of its range', () => {
    const found = new Set(records.map(({ id }) => findPrice(id, { overrides: {} }).record?.id));
    for (const { id } of records) expect(found, id).toContain(id);
  });
});
