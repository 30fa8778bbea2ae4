import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configFiles, loadConfig } from '../../src/billing/config.js';
import type { ConfigData } from '../../src/billing/config-schema.js';
import { countTextTokens } from '../../src/billing/count-text-tokens.js';
import { imageBill } from '../../src/billing/image-bill.js';
import { estimateImageTokens } from '../../src/billing/image-tokens.js';
import { mergeConfigs } from '../../src/billing/merge-configs.js';
import { modelWindow } from '../../src/billing/model-window.js';
import { parseSetting } from '../../src/billing/parse-setting.js';
import { priceTokens } from '../../src/billing/prices.js';
import { requestLimits } from '../../src/billing/request-limits.js';
import { estimateTextTokens } from '../../src/billing/text-tokens.js';
import { resolveReader } from '../../src/page/readers.js';

let folder: string;
let cwd: string;
let home: string;
const name = 'snapcompact.config.json';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snapcompact-config-'));
  cwd = join(folder, 'work');
  home = join(folder, 'home');
  await mkdir(cwd, { recursive: true });
  await mkdir(join(home, '.config', 'snapcompact'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const writeHere = (data: unknown) => writeFile(join(cwd, name), asText(data));
const writeAtHome = (data: unknown) => writeFile(join(home, '.config', 'snapcompact', name), asText(data));
const asText = (data: unknown) => (typeof data === 'string' ? data : JSON.stringify(data));
const load = (options?: ConfigData, env: Record<string, string> = {}) =>
  loadConfig({ cwd, home, env, platform: 'linux', ...(options !== undefined && { options }) });

describe('loadConfig', () => {
  it('is empty without files and options', async () => {
    expect(await load()).toEqual({ settings: {}, overrides: {}, files: [] });
    expect(await load({})).toEqual({ settings: {}, overrides: {}, files: [] });
  });

  it('lets options win over the working folder, and that over the user folder, field by field', async () => {
    await writeAtHome({
      model: 'gpt-5.5',
      threads: 3,
      maxFrames: 10,
      limits: { bedrock: { images: 90, sidePx: 1900 } },
    });
    await writeHere({ maxFrames: 20, threads: 2, limits: { bedrock: { images: 40 } } });
    const config = await load({ maxFrames: 30, limits: { openai: { images: 7 } } });
    expect(config.settings).toEqual({ model: 'gpt-5.5', threads: 2, maxFrames: 30 });
    expect(config.overrides).toEqual({
      limits: { bedrock: { images: 40, sidePx: 1900 }, openai: { images: 7 } },
    });
    expect(config.files).toEqual([join(cwd, name), join(home, '.config', 'snapcompact', name)]);
  });

  it('reads the folder that XDG_CONFIG_HOME names, but no relative one', async () => {
    await writeAtHome({ threads: 1 });
    const elsewhere = join(folder, 'xdg');
    await mkdir(join(elsewhere, 'snapcompact'), { recursive: true });
    await writeFile(join(elsewhere, 'snapcompact', name), '{"threads":2}');
    expect((await load({}, { XDG_CONFIG_HOME: elsewhere })).settings.threads).toBe(2);
    expect((await load({}, { XDG_CONFIG_HOME: 'relative' })).settings.threads).toBe(1);
    expect((await load({}, { XDG_CONFIG_HOME: '' })).settings.threads).toBe(1);
  });

  it('looks under APPDATA on Windows', () => {
    const at = (env: Record<string, string>) =>
      configFiles({ cwd: 'D:\\work', home: 'C:\\Users\\me', env, platform: 'win32' });
    expect(at({ APPDATA: 'C:\\Roaming' })).toEqual([
      `D:\\work\\${name}`,
      `C:\\Roaming\\snapcompact\\${name}`,
    ]);
    expect(at({})[1]).toBe(`C:\\Users\\me\\AppData\\Roaming\\snapcompact\\${name}`);
  });

  it('takes a file with a byte order mark and a $schema', async () => {
    await writeHere('\ufeff{"$schema":"https://example.org/s.json","threads":1}');
    expect(await load()).toMatchObject({ settings: { threads: 1 }, overrides: {} });
  });

  it.each([
    ['{', 'the configuration file', /expected JSON/],
    ['[]', '$', /an object/],
    ['null', '$', /an object/],
    [{ maxFrame: 3 }, '$.maxFrame', /did you mean maxFrames\?/],
    [{ maxFrames: '3' }, '$.maxFrames', /an integer from 1 to 600.*got "3"/],
    [{ maxFrames: 601 }, '$.maxFrames', /from 1 to 600.*got 601/],
    [{ threads: 1.5 }, '$.threads', /an integer from 0 to 64/],
    [{ reasoning: 'of' }, '$.reasoning', /one of on, off.*did you mean/],
    [{ model: ' ' }, '$.model', /a text that is not empty/],
    [{ images: { 'claude-hihg': {} } }, '$.images["claude-hihg"]', /did you mean claude-high\?/],
    [{ images: { 'claude-high': { maxEdge: 1 } } }, '$.images["claude-high"].maxEdge', /maxEdgePx/],
    [{ images: { grok: { patchPx: -1 } } }, '$.images.grok.patchPx', /a number from 0/],
    [{ charsPerToken: { 'claude-4.7': { prose: 0 } } }, '$.charsPerToken["claude-4.7"].prose', /from 0.01/],
    [
      { charsPerToken: { 'claude-4.7': { prosa: 2 } } },
      '$.charsPerToken["claude-4.7"].prosa',
      /did you mean prose/,
    ],
    [
      { prices: { 'claude-opus-5': { inputUsd: 1 } } },
      '$.prices["claude-opus-5"].inputUsd',
      /inputUsdPerMillion/,
    ],
    [
      { prices: { mine: { inputUsdPerMillion: 1 } } },
      '$.prices.mine.outputUsdPerMillion',
      /a value.*got nothing/,
    ],
    [{ prices: { o3: { above: [{}] } } }, '$.prices.o3.above[0].contextTokens', /a value/],
    [{ windows: { mine: {} } }, '$.windows.mine.contextTokens', /a value/],
    [{ windows: { o3: { contextTokens: '200k' } } }, '$.windows.o3.contextTokens', /an integer from 1/],
    [{ limits: { antropic: { sidePx: 9 } } }, '$.limits.antropic.images', /a value/],
    [{ limits: { bedrock: { manyImages: { above: 1 } } } }, '$.limits.bedrock.manyImages.sidePx', /a value/],
    [{ readers: { 'claude-hi': {} } }, '$.readers["claude-hi"]', /one of claude-high/],
    [{ readers: { grok: { frame: { widthPx: 0 } } } }, '$.readers.grok.frame.widthPx', /from 1 to 16384/],
    ['{"__proto__":{"threads":1}}', '$.__proto__', /one of the keys/],
  ])('refuses %j at %s', async (data, of, message) => {
    await writeHere(data);
    await expect(load()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
      complaint: { of, where: join(cwd, name) },
    });
  });

  it('names the options where the fault is theirs', async () => {
    await expect(load({ threads: 99 })).rejects.toMatchObject({
      code: 'usage',
      complaint: { of: '$.threads', where: 'options' },
    });
    expect((await load({ threads: undefined } as unknown as ConfigData)).settings).toEqual({});
  });

  it('says when a file is there and cannot be read', async () => {
    await mkdir(join(cwd, name));
    await expect(load()).rejects.toMatchObject({ code: 'unreadable-input' });
    await rm(join(cwd, name), { recursive: true });
    if (process.getuid?.() === 0) return;
    await writeHere({});
    await chmod(join(cwd, name), 0o000);
    await expect(load()).rejects.toMatchObject({ code: 'unreadable-input' });
  });
});

describe('mergeConfigs', () => {
  it('merges objects, replaces lists and single values, and changes no layer', () => {
    const tier = (contextTokens: number) => ({
      contextTokens,
      inputUsdPerMillion: 1,
      outputUsdPerMillion: 1,
      cacheReadUsdPerMillion: null,
      cacheWriteUsdPerMillion: 1,
    });
    const low: ConfigData = Object.freeze({
      threads: 1,
      prices: Object.freeze({ o3: { outputUsdPerMillion: 2, above: [tier(1), tier(2)] } }),
    });
    const high: ConfigData = { threads: 2, prices: { o3: { above: [tier(3)] } } };
    expect(mergeConfigs(low, high)).toEqual({
      settings: { threads: 2 },
      overrides: { prices: { o3: { outputUsdPerMillion: 2, above: [tier(3)] } } },
    });
    expect(mergeConfigs(high, low).settings.threads).toBe(1);
    expect(mergeConfigs()).toEqual({ settings: {}, overrides: {} });
  });

  it('cannot be made to touch a prototype', () => {
    const layer = JSON.parse('{"limits":{"__proto__":{"images":1}}}') as ConfigData;
    const { overrides } = mergeConfigs(layer, layer);
    expect(Object.keys(overrides.limits!)).toEqual(['__proto__']);
    expect(({} as { images?: number }).images).toBeUndefined();
  });
});

describe('parseSetting', () => {
  it.each([
    ['threads=2', { threads: 2 }],
    ['model=claude-opus-5', { model: 'claude-opus-5' }],
    ['limits.bedrock.images=40', { limits: { bedrock: { images: 40 } } }],
    ['limits.bedrock.sidePx=null', { limits: { bedrock: { sidePx: null } } }],
    [
      'prices["claude-opus-5.5"].inputUsdPerMillion=4.5',
      { prices: { 'claude-opus-5.5': { inputUsdPerMillion: 4.5 } } },
    ],
    [
      'readers.claude-high.frame={"widthPx":800}',
      { readers: { 'claude-high': { frame: { widthPx: 800 } } } },
    ],
  ])('%s', (setting, data) => {
    expect(parseSetting(setting)).toEqual(data);
  });

  it.each(['', '=1', 'threads', 'a..b=1', 'a[1]=2', 'a["b=1', '["\\q"'])('refuses %j', (setting) => {
    expect(() => parseSetting(setting)).toThrowError(expect.objectContaining({ code: 'usage' }));
  });
});

describe('overrides as an argument', () => {
  it('reach every function that reads a table, and leave the next call alone', async () => {
    await writeHere({
      images: { 'claude-high': { maxPatches: 100, perImageTokens: 0 } },
      charsPerToken: { 'claude-4.7': { prose: 1, markdown: 1 } },
      prices: { 'claude-opus-5': { inputUsdPerMillion: 50 } },
      windows: { 'claude-opus-5': { contextTokens: 500_000 } },
      limits: { 'anthropic-1m': { images: 3 } },
      readers: { 'claude-high': { shape: '8on16-bw', frame: { widthPx: 800 } } },
    });
    const { overrides } = await load();
    const model = 'claude-opus-5';
    const prose = 'what the agent said in order '.repeat(20);

    const reader = resolveReader({ model }, overrides);
    expect(reader).toMatchObject({
      shape: '8on16-bw',
      frame: { widthPx: 800, maxHeightPx: 1932 },
      limits: { route: 'anthropic-1m', images: 3 },
      measured: false,
    });
    expect(reader.billing).toEqual(imageBill('claude-high', overrides));
    const square = { widthPx: 1000, heightPx: 1000 };
    expect(estimateImageTokens(reader.billing, square)).toMatchObject({ tokens: 100, budgetTokens: 100 });
    expect(estimateTextTokens(prose, 'claude-4.7', overrides)).toBe(prose.length);
    expect((await countTextTokens(prose, 'claude-4.7', overrides)).tokens).toBe(prose.length);
    expect(requestLimits('anthropic-1m', overrides).images.safe).toBe(3);
    expect(priceTokens(model, { input: 1_000_000 }, { overrides }).usd).toBe(50);
    expect(modelWindow(model, overrides)!.contextTokens).toBe(500_000);

    expect(resolveReader({ model })).toMatchObject({ shape: '11on16-bw', limits: { images: 96 } });
    expect(estimateImageTokens(imageBill('claude-high'), square).tokens).toBe(1296);
    expect(estimateTextTokens(prose, 'claude-4.7')).toBeLessThan(prose.length / 2);
    expect(requestLimits('anthropic-1m').images.safe).toBe(96);
    expect(priceTokens(model, { input: 1_000_000 }).usd).toBe(5);
    expect(modelWindow(model)!.contextTokens).toBe(1_000_000);
  });

  it('give a gateway of the user limits of its own', async () => {
    const { overrides } = await load({ limits: { 'our-gateway': { images: 40, requestBytes: 9_000_000 } } });
    expect(resolveReader({ model: 'claude-opus-5', route: 'Our-Gateway' }, overrides).limits).toEqual({
      route: 'our-gateway',
      images: 40,
      imageBytes: 5_000_000,
      requestBytes: 9_000_000,
      sidePx: null,
    });
    expect(resolveReader({ model: 'claude-opus-5', route: 'our-gateway' }).limits.route).toBe('unknown');
  });

  it('yield to what a target asks for', () => {
    const overrides = {
      readers: { 'claude-high': { shape: '8on16-bw', frame: { widthPx: 800 }, vision: false } },
    };
    const target = { model: 'claude-opus-5', shape: '8on22-bw', frame: { widthPx: 900 } };
    expect(resolveReader(target, overrides)).toMatchObject({
      shape: '8on22-bw',
      frame: { widthPx: 900 },
      vision: false,
    });
  });

  it('name a bill that exists', () => {
    expect(() => imageBill('nobody')).toThrowError(expect.objectContaining({ code: 'usage' }));
    expect(() => imageBill('constructor')).toThrowError(expect.objectContaining({ code: 'usage' }));
  });
});
