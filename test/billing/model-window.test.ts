import { describe, expect, it } from 'vitest';
import { modelWindow, windowRecords } from '../../src/billing/model-window.js';
import { readPackageJson } from '../../src/package-files.js';

describe('modelWindow', () => {
  it.each([
    ['claude-fable-5.1', 1_000_000, 128_000],
    ['claude-mythos-5', 1_000_000, 128_000],
    ['claude-opus-5.5', 1_000_000, 128_000],
    ['us.anthropic.claude-opus-5-20260401-v1:0', 1_000_000, 128_000],
    ['claude-opus-4-8', 1_000_000, 128_000],
    ['claude-opus-4.6', 1_000_000, 128_000],
    ['claude-opus-4-5-20251101', 200_000, 64_000],
    ['claude-sonnet-5.5', 1_000_000, 128_000],
    ['claude-sonnet-4.6', 1_000_000, 128_000],
    ['claude-sonnet-4-5', 200_000, 64_000],
    ['claude-haiku-5.5', 1_000_000, 128_000],
    ['claude-haiku-4-5', 200_000, 64_000],
    ['gpt-6-astra', 1_050_000, 128_000],
    ['gpt-6.2-sol', 1_050_000, undefined],
    ['gpt-5.6-luna', 1_050_000, 128_000],
    ['openai/gpt-5.5:free', 1_050_000, 128_000],
    ['gpt-5.4', 1_050_000, 128_000],
    ['gpt-5.4-mini', 400_000, 128_000],
    ['gpt-5.2', 400_000, 128_000],
    ['gpt-5-nano', 400_000, 128_000],
    ['gpt-5.3-codex', 272_000, 128_000],
    ['gpt-5.1-codex-mini', 272_000, 128_000],
    ['gpt-5.2-chat-latest', 128_000, 16_384],
    ['gpt-4o-mini', 128_000, 16_384],
    ['gpt-4.1-nano', 1_047_576, 32_768],
    ['o1', 200_000, 100_000],
    ['o4-mini', 200_000, 100_000],
    ['gemini-3.8-flash', 1_048_576, 65_536],
    ['gemini-2.5-pro', 1_048_576, 65_536],
    ['grok-4.6', 500_000, undefined],
    ['grok-4.3', 1_000_000, 30_000],
    ['grok-4.20-0309-reasoning', 1_000_000, 30_000],
    ['grok-4-1-fast', 2_000_000, 30_000],
    ['kimi-k3', 1_048_576, 131_072],
    ['kimi-k2.7-code', 262_144, 262_144],
    ['qwen3.8-max', 1_000_000, undefined],
    ['qwen3.6-plus', 1_000_000, undefined],
    ['deepseek-flash', 1_000_000, 384_000],
    ['glm-5.3-flash', 1_000_000, 131_072],
    ['glm-5v-turbo', 200_000, 131_072],
    ['glm-4.6v', 128_000, 32_768],
    ['glm-4.5v', 64_000, 16_384],
  ])('%s takes %d tokens and gives at most %s', (model, contextTokens, maxOutputTokens) => {
    const window = modelWindow(model)!;
    expect(window.contextTokens).toBe(contextTokens);
    expect(window.maxOutputTokens).toBe(maxOutputTokens);
    expect(window.source).toMatch(/; 20\d\d-\d\d-\d\d$/);
  });

  it.each(['', 'who-knows', 'claude-opus-6', 'gpt-7', 'opus', 'gemini-4-pro', 'grok-4.20-beta-latest'])(
    '%j has no window that anybody knows',
    (model) => {
      expect(modelWindow(model)).toBeUndefined();
    },
  );

  it('takes a window from the overrides by record or by model', () => {
    const overrides = {
      windows: {
        'claude-sonnet-4.5': { contextTokens: 1_000_000 },
        'house/house-model': { contextTokens: 32_000, maxOutputTokens: 4_000 },
        'no-context': { maxOutputTokens: 4_000 },
      },
    };
    expect(modelWindow('claude-sonnet-4-5', overrides)).toMatchObject({
      contextTokens: 1_000_000,
      maxOutputTokens: 64_000,
      source: expect.stringMatching(/^configuration; else /),
    });
    expect(modelWindow('house-model', overrides)).toEqual({
      contextTokens: 32_000,
      maxOutputTokens: 4_000,
      source: 'configuration',
    });
    expect(modelWindow('no-context', overrides)).toBeUndefined();
    expect(modelWindow('claude-sonnet-4-5')!.contextTokens).toBe(200_000);
  });
});

describe('src/billing/windows.json', () => {
  it.each(windowRecords())('$id has figures, a source and a date', (record) => {
    expect(record.contextTokens).toBeGreaterThanOrEqual(64_000);
    expect(record.maxOutputTokens ?? 1).toBeGreaterThan(0);
    expect(record.maxOutputTokens ?? 1).toBeLessThanOrEqual(record.contextTokens);
    expect(record.source).toMatch(/\S/);
    expect(record.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('has unique ids and lines that exist', () => {
    const ids = windowRecords().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const { lines } = readPackageJson('shapes/readers.json') as { lines: { line: string }[] };
    expect(lines.map(({ line }) => line)).toEqual(
      expect.arrayContaining(windowRecords().flatMap((record) => [...record.lines])),
    );
  });
});
