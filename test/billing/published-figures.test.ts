/** Figures that vendors and others published of images and text, beyond the tables of `image-tokens.test.ts`. */
import { describe, expect, it } from 'vitest';
import { imageBill } from '../../src/billing/image-bill.js';
import { estimateImageTokens } from '../../src/billing/image-tokens.js';
import { readPackageJson } from '../../src/package-files.js';
import { shapeGeometry } from '../../src/page/geometry.js';
import { getShape } from '../../src/page/shapes.js';

const { tokenizers } = readPackageJson('src/billing/text-tokens.json') as {
  tokenizers: Record<string, { charsPerToken: Record<string, number> }>;
};
const estimate = (bill: string, widthPx: number, heightPx: number, changes = {}) =>
  estimateImageTokens({ ...imageBill(bill), ...changes }, { widthPx, heightPx });

/** Characters that a full frame carries for each token it costs. */
function charsPerImageToken(shape: string, bill: string, widthPx: number, heightPx: number): number {
  const { capacityCells } = shapeGeometry(getShape(shape), { widthPx, maxHeightPx: heightPx });
  return capacityCells / estimate(bill, widthPx, heightPx).tokens;
}

describe('sizes of frames', () => {
  it.each([
    ['claude-standard', 1960, 1904, 1560, true],
    ['claude-standard', 2048, 2048, 1521, true],
    ['claude-high', 1960, 1904, 4760, false],
    ['claude-high', 784, 1568, 1568, false],
    ['kimi-k2', 1792, 1792, 4096, false],
    ['kimi-k3', 3584, 3584, 16_384, false],
    ['qwen-3', 1600, 1600, 2502, false],
    ['mistral-3', 1540, 1540, 3080, false],
    ['pixtral', 1024, 1024, 64 * 65, false],
    ['openai-tile-85', 768, 1932, 1445, false],
    ['openai-tile-85', 1568, 1568, 765, true],
  ])('%s sees %d×%d for %d tokens, shrunk: %s', (bill, widthPx, heightPx, tokens, shrunk) => {
    expect(estimate(bill, widthPx, heightPx)).toMatchObject({ tokens, shrunk });
  });

  it('shrinks 1568×1568 on the standard tier of Claude to 0.70 of its side, 1932×1932 to 0.57', () => {
    expect(estimate('claude-standard', 1568, 1568).seenWidthPx / 1568).toBeCloseTo(0.7, 2);
    expect(estimate('claude-standard', 1932, 1932).seenWidthPx / 1932).toBeCloseTo(0.57, 2);
  });

  it('lets Qwen see more where the larger budget is asked for', () => {
    const large = estimate('qwen-3', 4096, 4096, { maxPixels: 16_777_216 });
    expect(large).toMatchObject({ tokens: 16_386, shrunk: false });
    expect(estimate('qwen-3', 4096, 4096).tokens).toBe(2502);
  });

  it('bills Gemini by the level of resolution, and a sliver as one row', () => {
    const square = (budgetTokens: number) => estimate('gemini-3', 1000, 1000, { budgetTokens }).tokens;
    expect([280, 560, 1120, 2240].map(square)).toEqual([256, 529, 1089, 2209]);
    expect(estimate('gemini-3', 16_000, 10).tokens).toBe(1120);
    expect(estimate('gemini-3', 1, 2000).tokens).toBe(1120);
  });

  it('meets a request of 950 small images on Gemini within a token in a hundred thousand', () => {
    expect(Math.abs(950 * estimate('gemini-3', 100, 100).tokens - 1_034_558)).toBeLessThan(11);
  });

  it('keeps the older rule of Claude, width times height by 750, out: 4.5 % too high', () => {
    const older = (1568 * 1568) / 750;
    expect(older / estimate('claude-high', 1568, 1568).tokens).toBeCloseTo(1.045, 3);
  });
});

describe('characters per token', () => {
  // Columns: o200k, Claude up to 4.6, Claude 4.7 and later, Qwen 3.5, DeepSeek, Kimi, GLM 5.
  const columns = ['gpt-o200k', 'claude-4.6', 'claude-4.7', 'qwen-3.5', 'deepseek', 'kimi', 'glm-5'];
  it.each([
    ['markdown', [3.62, 3.19, 2.44, 3.35, 3.56, 3.68, 3.61]],
    ['prose', [4.72, 4.48, 3.24, 4.6, 4.65, 4.71, 4.72]],
    ['code', [3.57, 2.82, 2.15, 3.28, 3.37, 3.59, 3.58]],
    ['json', [3.56, 2.95, 2.12, 3.05, 3.1, 3.58, 3.4]],
    ['indented', [4.25, 3.46, 3.01, 3.44, 3.92, 4.26, 4.13]],
    ['log', [2.11, 1.98, 1.74, 1.55, 2.06, 2.11, 2.01]],
    ['hex', [1.6, 1.57, 1.43, 1.11, 1.58, 1.61, 1.42]],
    ['base64', [1.45, 1.15, 1.05, 1.35, 1.42, 1.47, 1.38]],
    ['digits', [2.83, 2.83, 2.83, 1, 2.83, 2.83, 1.61]],
  ])('of %s in each vocabulary', (content, expected) => {
    expect(columns.map((column) => tokenizers[column]!.charsPerToken[content])).toEqual(expected);
  });

  it.each([
    ['11on16-bw', 'claude-high', 1932, 1932, 4.4],
    ['11on16-bw', 'claude-standard', 1568, 784, 4.4],
    ['8on16-bw', 'claude-high', 1932, 1932, 6.1],
    ['8on16-bw', 'claude-standard', 1568, 784, 6.1],
    ['8on22-bw', 'openai-original-10k', 1568, 1568, 4.8],
    ['8on16-bw', 'openai-original-10k', 1568, 1568, 6.7],
    ['8on22-bw', 'gemini-3', 2048, 2048, 22],
    ['8on16-bw', 'gemini-3', 2048, 2048, 30],
    ['8on22-bw', 'grok', 1568, 1568, 5.8],
    ['8on16-bw', 'grok', 1568, 1568, 8],
    ['8on22-bw', 'kimi-k2', 1568, 1568, 4.4],
    ['8on22-bw', 'qwen-3', 1568, 1568, 5.8],
  ])('%s on %s, %d×%d: about %d a token', (shape, bill, widthPx, heightPx, expected) => {
    expect(charsPerImageToken(shape, bill, widthPx, heightPx) / expected).toBeGreaterThan(0.98);
    expect(charsPerImageToken(shape, bill, widthPx, heightPx) / expected).toBeLessThan(1.02);
  });
});

describe('what a full frame saves against the same text, in percent', () => {
  const readers: Record<string, [string, string, number, number, string]> = {
    'Claude 4.7, 11on16': ['11on16-bw', 'claude-high', 1932, 1932, 'claude-4.7'],
    'Claude 4.7, 8on16': ['8on16-bw', 'claude-high', 1932, 1932, 'claude-4.7'],
    'Claude 4.6, 11on16': ['11on16-bw', 'claude-standard', 1568, 784, 'claude-4.6'],
    'GPT 5, 8on22': ['8on22-bw', 'openai-original-10k', 1568, 1568, 'gpt-o200k'],
    'GPT 5, 8on16': ['8on16-bw', 'openai-original-10k', 1568, 1568, 'gpt-o200k'],
    'Kimi, 8on22': ['8on22-bw', 'kimi-k2', 1568, 1568, 'kimi'],
    'Qwen 3.5, 8on22': ['8on22-bw', 'qwen-3', 1568, 1568, 'qwen-3.5'],
  };
  it.each([
    ['markdown', [45, 60, 28, 25, 46, 17, 42]],
    ['prose', [27, 47, -1, 2, 29, -6, 21]],
    ['code', [51, 65, 36, 26, 46, 19, 43]],
    ['json', [52, 65, 34, 26, 47, 19, 47]],
    ['log', [61, 71, 55, 56, 68, 52, 73]],
    ['hex', [68, 76, 65, 67, 76, 64, 81]],
  ])('of %s for each reader', (content, expected) => {
    const savings = Object.values(readers).map(([shape, bill, widthPx, heightPx, tokenizer]) => {
      const text = tokenizers[tokenizer]!.charsPerToken[content]!;
      return 100 * (1 - text / charsPerImageToken(shape, bill, widthPx, heightPx));
    });
    for (const [index, saving] of savings.entries()) {
      // The published figures were rounded from rounded ones.
      expect(Math.abs(saving - expected[index]!), Object.keys(readers)[index]!).toBeLessThan(1.6);
    }
  });
});
