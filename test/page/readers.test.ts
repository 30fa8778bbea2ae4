import { assert, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPackageJson } from '../../src/package-files.js';
import { shapeGeometry } from '../../src/page/geometry.js';
import { type ReaderTarget, resolveReader } from '../../src/page/readers.js';
import { getShape } from '../../src/page/shapes.js';

interface RuleData {
  readonly id: string;
  readonly lines?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly apis?: readonly string[];
  readonly shape: string;
  readonly frame: { widthPx: number; maxHeightPx: number };
  readonly billing?: string;
  readonly details?: readonly { detail: string; billing: string }[];
  readonly limits: string;
  readonly routes?: Readonly<Record<string, string>>;
  readonly evidence: string;
  readonly source: string;
  readonly date: string;
}
const data = readPackageJson('shapes/readers.json') as {
  lines: readonly { line: string; patterns: readonly string[] }[];
  rules: readonly RuleData[];
};
const bills = (readPackageJson('src/billing/image-billing.json') as { records: Record<string, unknown> })
  .records;
const routes = (readPackageJson('src/billing/request-limits.json') as { routes: { route: string }[] }).routes;

/** Rule, shape and frame in one line, so that a table of them can be read. */
function brief(target: ReaderTarget): string {
  const { rule, shape, frame, vision } = resolveReader(target);
  return `${rule} ${shape} ${frame.widthPx}×${frame.maxHeightPx}${vision ? '' : ' no vision'}`;
}

const high = 'claude-high 11on16-bw 1932×1932';
const named = 'claude-high-named 11on16-bw 1932×1932';
const standard = 'claude-standard 11on16-bw 1568×784';
const standard1m = 'claude-standard-1m 11on16-bw 1568×784';
const gpt56 = 'gpt-original-30k 8on22-bw 1568×1568';
const gpt54 = 'gpt-original-10k 8on22-bw 1568×1568';
const kimi3 = 'kimi-3 8on22-bw 1568×1568';
const kimi2 = 'kimi-2 8on22-bw 1568×1568';
const grok = 'grok 8on16-bw 1568×1568';
const deepseek = 'deepseek 8on16-bw 1280×1260';
const unknown = 'unknown 8on22-bw 1568×1568';

describe('resolveReader by model', () => {
  it.each([
    ['claude-opus-4-7', high],
    ['claude-opus-4.8', high],
    ['claude-opus-4-8[1m]', high],
    ['claude-opus-4-12', high],
    ['claude-opus-5', high],
    ['claude-opus-5-5-20260922', high],
    ['claude-opus-5.5', high],
    ['claude-sonnet-5', high],
    ['claude-haiku-5.5', high],
    ['opus', high],
    ['claude-fable-5', named],
    ['claude-fable-5.1', named],
    ['claude-mythos-5-1', named],
    ['claude-opus-4-6', standard1m],
    ['claude-sonnet-4.6', standard1m],
    ['claude-opus-4-5-20251101', standard],
    ['claude-opus-4-1-20250805', standard],
    ['claude-opus-4-20250514', standard],
    ['claude-sonnet-4@20250514', standard],
    ['claude-haiku-4-5-20251001', standard],
    ['claude-3-5-sonnet-20241022', standard],
    ['claude-3.7-sonnet:thinking', standard],
    ['claude-3-opus', standard],
    ['claude-2.1', 'claude-text 11on16-bw 1568×784 no vision'],
    ['claude-saga-1', 'claude-other 11on16-bw 1568×784'],
    ['gemini-2.5-flash-lite', 'gemini-2 8on22-bw 2048×2048'],
    ['gemini-2.5-pro-preview-05-06', 'gemini-2 8on22-bw 2048×2048'],
    ['gemini-3-pro-preview', 'gemini-3 8on22-bw 2048×2048'],
    ['gemini-3.8-flash', 'gemini-3 8on22-bw 2048×2048'],
    ['gpt-6-astra', gpt56],
    ['gpt-6.2-sol', gpt56],
    ['gpt-5.6-luna', gpt56],
    ['gpt-5.5', gpt54],
    ['gpt-5.4', gpt54],
    ['gpt-5.4-mini-2026-03-17', gpt54],
    ['gpt-5.4-nano', gpt54],
    ['gpt-5.2', 'gpt-patch 8on22-bw 1248×1248'],
    ['gpt-5.3-codex', 'gpt-patch 8on22-bw 1248×1248'],
    ['gpt-5-mini', 'gpt-5-mini 8on22-bw 1248×1248'],
    ['gpt-5-nano', 'gpt-5-nano 8on22-bw 1248×1248'],
    ['gpt-4.1-mini', 'gpt-4-mini 8on22-bw 1248×1248'],
    ['gpt-4.1-nano', 'gpt-4-nano 8on22-bw 1248×1248'],
    ['o4-mini', 'o4-mini 8on22-bw 1248×1248'],
    ['gpt-4o-2024-08-06', 'gpt-4o 8on22-bw 768×1932'],
    ['chatgpt-4o-latest', 'gpt-4o 8on22-bw 768×1932'],
    ['gpt-4o-mini', 'gpt-4o-mini 8on22-bw 768×1932'],
    ['gpt-4.1', 'gpt-tile-85 8on22-bw 768×1932'],
    ['gpt-5', 'gpt-tile-70 8on22-bw 768×1932'],
    ['gpt-5-2025-08-07', 'gpt-tile-70 8on22-bw 768×1932'],
    ['gpt-5.1-codex', 'gpt-tile-70 8on22-bw 768×1932'],
    ['o1', 'o-tile 8on22-bw 768×1932'],
    ['o3-pro', 'o-tile 8on22-bw 768×1932'],
    ['computer-use-preview', 'computer-use 8on22-bw 768×1932'],
    ['kimi-k3', kimi3],
    ['kimi-k2.5', kimi2],
    ['kimi-k2.7-code', kimi2],
    ['accounts/fireworks/models/kimi-k2p6', kimi2],
    ['glm-4.6v', 'glm-vision 8on16-bw 1568×1568'],
    ['glm-4.5V', 'glm-vision 8on16-bw 1568×1568'],
    ['glm-5v-turbo', 'glm-vision 8on16-bw 1568×1568'],
    ['glm-5.3-flash', 'glm-flash 8on16-bw 1568×1568'],
    ['glm-5.4', 'glm 8on16-bw 1568×1568'],
    ['grok-4.5', grok],
    ['grok-4.20', grok],
    ['qwen3.8-max', 'qwen-max 8on16-bw 1568×1568'],
    ['qwen3.5-plus', 'qwen 8on16-bw 1568×1568'],
    ['qwen/qwen3-vl-235b-a22b-instruct', 'qwen-vl 8on16-bw 1568×1568'],
    ['qwen3-vl:32b', 'qwen-vl 8on16-bw 1568×1568'],
    ['qwen3.8-27b', 'qwen 8on16-bw 1568×1568'],
    ['deepseek-flash', deepseek],
    ['deepseek-v4.1-flash', deepseek],
    ['mistral-large-2512', 'mistral-large 8on22-bw 1568×1568'],
    ['mistral-medium-latest', 'mistral-medium 8on22-bw 1568×1568'],
    ['pixtral-12b-2409', 'pixtral 8on22-bw 1568×1568'],
    ['meta-llama/llama-4-scout-17b-16e-instruct', 'llama-4 8on22-bw 1568×1568'],
    ['some-model-nobody-knows', unknown],
    ['gpt-neox-20b', unknown],
  ])('%s is read by %s', (model, expected) => {
    expect(brief({ model })).toBe(expected);
  });

  it.each([
    ['claude-opus-6', high],
    ['Claude-Sonnet-7', high],
    ['claude-haiku-6', high],
    ['claude-fable-6', named],
    ['gpt-7', gpt56],
    ['gpt-7-mini', gpt56],
    ['gemini-4-pro', 'gemini-3 8on22-bw 2048×2048'],
    ['gemini-5-flash', 'gemini-3 8on22-bw 2048×2048'],
    ['kimi-k4', kimi3],
    ['glm-6', 'glm 8on16-bw 1568×1568'],
    ['grok-5', grok],
    ['qwen4-plus', 'qwen 8on16-bw 1568×1568'],
    ['deepseek-v5', deepseek],
    ['mistral-large-2701', 'mistral-large 8on22-bw 1568×1568'],
  ])('the newer %s gets the newest rule of its line', (model, expected) => {
    expect(brief({ model })).toBe(expected);
  });

  it.each([
    ['claude-opus-5', 'anthropic/claude-opus-5'],
    ['claude-opus-5', 'openrouter/anthropic/claude-opus-5'],
    ['claude-opus-5', 'us.anthropic.claude-opus-5-20260401-v1:0'],
    ['claude-opus-5', 'global.anthropic.claude-opus-5'],
    ['claude-opus-5', 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-5-v1:0'],
    ['claude-opus-5', 'anthropic:claude-opus-5'],
    ['claude-opus-5', ' CLAUDE-OPUS-5 '],
    ['claude-sonnet-4', 'us.anthropic.claude-sonnet-4-20250514-v1:0'],
    ['gemini-3-flash', 'models/gemini-3-flash'],
    ['gpt-5.5', 'openai/gpt-5.5:free'],
    ['gpt-4o', 'openai/gpt-4o-2024-11-20:nitro'],
  ])('%s is the same reader as %s', (plain, decorated) => {
    expect(brief({ model: decorated })).toBe(brief({ model: plain }));
  });

  it.each([
    'o3-mini',
    'o1-mini',
    'gpt-oss-120b',
    'gpt-4',
    'gpt-4-0613',
    'gpt-3.5-turbo',
    'codex-mini-latest',
    'gpt-5.3-codex-spark',
    'kimi-k2-0905-preview',
    'kimi-k2-thinking',
    'moonshot-v1-128k',
    'glm-5',
    'glm-5.1',
    'glm-5.2',
    'glm-5.3',
    'glm-5-turbo',
    'glm-4.5-air',
    'glm-4.7',
    'glm-4.7-flash',
    'grok-2',
    'grok-3-mini',
    'grok-4-0709',
    'grok-code-fast-1',
    'qwen3-max',
    'qwen3.7-max',
    'qwen3-coder-plus',
    'qwen3-235b-a22b',
    'qwen3-32b',
    'deepseek-v4-pro',
    'deepseek-v3.2',
    'deepseek-chat',
    'devstral-medium',
    'codestral-latest',
    'magistral-medium-2509',
    'mistral-large-2411',
    'MiniMax-M2.5',
  ])('%s takes no images', (model) => {
    expect(resolveReader({ model })).toMatchObject({ vision: false, measured: false });
  });

  it.each([
    'moonshot-v1-8k-vision-preview',
    'grok-2-vision',
    'grok-4-1-fast',
    'gpt-4-turbo',
    'o4-mini',
    'qvq-max',
  ])('%s takes images', (model) => {
    expect(resolveReader({ model }).vision).toBe(true);
  });
});

describe('resolveReader by API family and route', () => {
  it.each([
    [{ api: 'anthropic-messages' }, 'api-anthropic 11on16-bw 1568×784'],
    [{ model: 'house-model', api: 'anthropic-messages' }, 'api-anthropic 11on16-bw 1568×784'],
    [{ model: 'house-model', api: 'google-generative-ai' }, 'api-google 8on22-bw 2048×2048'],
    [{ model: 'house-model', api: 'openai-responses' }, 'api-openai 8on22-bw 1568×1568'],
    [{ model: 'house-model', api: 'openai-completions' }, unknown],
    [{ model: 'house-model', route: 'xai' }, 'api-xai 8on16-bw 1568×1568'],
    [
      { model: 'house-model', api: 'openai-completions', route: 'moonshot' },
      'api-moonshot 8on22-bw 1568×1568',
    ],
    [{ model: 'house-model', route: 'deepseek' }, 'api-deepseek 8on16-bw 1280×1260'],
    [{ model: 'gpt-5.5', api: 'anthropic-messages' }, gpt54],
    [{}, unknown],
    [{ model: '' }, unknown],
    [{ model: '/' }, unknown],
  ])('%j is read by %s', (target, expected) => {
    expect(brief(target)).toBe(expected);
  });

  it('calls Mistral, Groq and unknown readers unmeasured', () => {
    for (const model of [
      'mistral-medium-2604',
      'pixtral-large-latest',
      'llama-4-maverick',
      'who-knows',
      '',
    ]) {
      expect(resolveReader({ model })).toMatchObject({ measured: false, vision: true, shape: '8on22-bw' });
    }
    for (const model of ['claude-opus-5', 'gemini-3-pro', 'gpt-5.5', 'kimi-k3', 'glm-4.6v']) {
      expect(resolveReader({ model }).measured).toBe(true);
    }
  });

  it('sends detail original only on routes that take it', () => {
    const original = resolveReader({ model: 'gpt-5.5' });
    expect(original).toMatchObject({
      detail: 'original',
      billing: { family: 'openai-patch', maxPatches: 10_000 },
    });
    for (const target of [{ route: 'copilot' }, { route: 'github-copilot' }, { route: 'azure' }]) {
      const reader = resolveReader({ model: 'gpt-5.5', ...target });
      expect(reader).toMatchObject({ detail: 'high', billing: { maxPatches: 2500 } });
    }
    const relayed = resolveReader({ model: 'openrouter/openai/gpt-6-astra' });
    expect(relayed.detail).toBeUndefined();
    expect(relayed.billing['maxPatches']).toBe(2500);
    expect(resolveReader({ model: 'copilot/gpt-5.5' }).detail).toBe('high');
    expect(resolveReader({ model: 'gpt-5.2' }).detail).toBeUndefined();
  });

  it.each([
    [{ model: 'claude-opus-5' }, 'anthropic-1m', 96],
    [{ model: 'claude-opus-5', route: 'anthropic' }, 'anthropic-1m', 96],
    [{ model: 'claude-opus-5', route: 'Bedrock' }, 'bedrock', 20],
    [{ model: 'claude-opus-5', api: 'bedrock-converse-stream' }, 'bedrock', 20],
    [{ model: 'us.anthropic.claude-opus-5' }, 'bedrock', 20],
    [{ model: 'claude-opus-5', route: 'vertex' }, 'google-cloud-claude', 90],
    [{ model: 'gemini-3-pro', route: 'vertex' }, 'vertex-gemini', 200],
    [{ model: 'claude-haiku-4-5' }, 'anthropic-200k', 90],
    [{ model: 'openrouter/anthropic/claude-opus-5' }, 'openrouter', 8],
    [{ model: 'claude-opus-5', route: 'a-gateway-of-ours' }, 'unknown', 5],
    [{ model: 'house-model', api: 'anthropic-messages' }, 'anthropic-compatible', 5],
    [{ model: 'mistral-large-2512' }, 'mistral', 8],
    [{ model: 'qwen3.8-27b', route: 'groq' }, 'groq', 5],
    [{ model: 'house-model' }, 'unknown', 5],
  ])('%j is limited as route %s: %d images', (target, route, images) => {
    expect(resolveReader(target).limits).toMatchObject({ route, images });
  });

  it('bounds the sides of Claude frames for histories of more than twenty images', () => {
    expect(resolveReader({ model: 'claude-opus-5' }).limits.sidePx).toBe(2000);
  });
});

describe('resolveReader with overrides', () => {
  it('takes a shape and either side of the frame, and says so', () => {
    const reader = resolveReader({ model: 'claude-opus-5', shape: '8on16-bw', frame: { maxHeightPx: 800 } });
    expect(reader).toMatchObject({
      shape: '8on16-bw',
      frame: { widthPx: 1932, maxHeightPx: 800 },
      measured: false,
      billing: { family: 'claude-patch' },
    });
    expect(reader.explanation.join('\n')).toMatch(/8on16-bw, asked for instead of 11on16-bw/);
    expect(reader.explanation.join('\n')).toMatch(/1932×800, asked for instead of 1932×1932/);
  });

  it.each([
    [{ frame: { widthPx: 0 } }, 'usage'],
    [{ frame: { widthPx: 1.5 } }, 'usage'],
    [{ frame: { maxHeightPx: 20_000 } }, 'usage'],
    [{ frame: { maxHeightPx: 10 } }, 'usage'],
    [{ shape: '5x8' }, 'unknown-shape'],
  ])('refuses %j with %s', (target, code) => {
    expect(() => resolveReader({ model: 'gpt-5.5', ...target })).toThrowError(
      expect.objectContaining({ code }),
    );
  });

  it('explains itself step by step', () => {
    expect(resolveReader({ model: 'us.anthropic.claude-sonnet-4-20250514-v1:0' }).explanation).toEqual([
      '"us.anthropic.claude-sonnet-4-20250514-v1:0" reads as "claude-sonnet-4-20250514-v1:0": region and vendor of a Bedrock id',
      '"claude-sonnet-4-20250514-v1:0" reads as "claude-sonnet-4-20250514": revision of a Bedrock id',
      '"claude-sonnet-4-20250514" reads as "claude-sonnet-4": date of a snapshot',
      'line claude-sonnet, version 4.0: rule claude-standard',
      "shape 11on16-bw, the rule's",
      "frame 1568×784, the rule's",
      'bill claude-standard',
      'limits of route bedrock: 20 images are safe',
    ]);
  });

  it('never throws for a model, API or route, whatever they are', () => {
    assert(
      property(string(), string(), string(), (model, api, route) => {
        expect(resolveReader({ model, api, route }).rule).not.toBe('');
      }),
    );
    for (const piece of ['a', '-', '/', ':', '@', '[', '.', '1', 'qwen', 'claude-', '😀']) {
      const started = performance.now();
      const model = piece.repeat(200_000);
      resolveReader({ model, api: model, route: model });
      expect(performance.now() - started).toBeLessThan(200);
    }
  });
});

describe('shapes/readers.json', () => {
  it('names only shapes, bills and routes that exist, and gives evidence with source and date', () => {
    const known = new Set(routes.map(({ route }) => route));
    for (const rule of data.rules) {
      expect(() => shapeGeometry(getShape(rule.shape), rule.frame)).not.toThrow();
      for (const bill of rule.details?.map(({ billing }) => billing) ?? [rule.billing]) {
        expect(bills, rule.id).toHaveProperty([bill!]);
      }
      for (const route of [rule.limits, ...Object.entries(rule.routes ?? {}).flat()]) {
        expect(known, rule.id).toContain(route);
      }
      expect(rule.evidence.length * rule.source.length, rule.id).toBeGreaterThan(0);
      expect(rule.date, rule.id).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
  });

  it('has unique ids, and ends in the rule for the unknown', () => {
    expect(new Set(data.rules.map(({ id }) => id)).size).toBe(data.rules.length);
    expect(data.rules.at(-1)).toMatchObject({ id: 'unknown', limits: 'unknown' });
    expect(data.rules.at(-1)).not.toHaveProperty('lines');
  });

  it('uses every line and knows every line it uses', () => {
    const used = new Set(data.rules.flatMap(({ lines }) => lines ?? []));
    expect([...used].sort()).toEqual(data.lines.map(({ line }) => line).sort());
  });

  it('leaves no version of a known line without a rule', () => {
    const version = integer({ min: 0, max: 99 });
    const versioned = data.lines
      .flatMap(({ patterns }) => patterns)
      .filter((pattern) => /^[a-z-]*\{v\}$/.test(pattern));
    expect(versioned.length).toBeGreaterThan(8);
    assert(
      property(version, version, (major, minor) => {
        for (const pattern of versioned) {
          const model = pattern.replace('{v}', `${major}.${minor}`);
          expect(resolveReader({ model }).rule, model).not.toBe('unknown');
        }
      }),
    );
  });

  it('gives no default frame a side that its route would refuse', () => {
    for (const model of [
      'claude-opus-5',
      'claude-opus-4-5',
      'gpt-5.5',
      'kimi-k3',
      'grok-5',
      'deepseek-flash',
    ]) {
      const { frame, limits } = resolveReader({ model });
      expect(Math.max(frame.widthPx, frame.maxHeightPx)).toBeLessThanOrEqual(limits.sidePx ?? 16_384);
    }
  });
});
