import { createHash } from 'node:crypto';
import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentClasses, countClasses } from '../../src/billing/text-classes.js';
import { estimateTextTokens, explainTextTokens } from '../../src/billing/text-tokens.js';
import { packageFile, readPackageJson } from '../../src/package-files.js';
import { resolveReader } from '../../src/page/readers.js';

const table = readPackageJson('src/billing/text-tokens.json') as {
  fallback: string;
  tokenizers: Record<string, { charsPerToken: Record<string, number>; source: string; date: string }>;
};
const tokenizers = Object.keys(table.tokenizers);

const sha256 = (index: number) => createHash('sha256').update(String(index)).digest('hex');
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

const prose = lines(
  60,
  () => 'The archive keeps what the agent said in order, and every page can be read back without loss.',
);
const code = lines(
  60,
  (i) =>
    `  if (rows[index]!.width > limit) { total += measure(rows[index]!, options.scale); } // case ${'abc'[i % 3]}`,
);
const json = JSON.stringify(
  Array.from({ length: 60 }, () => ({ type: 'text', path: 'src/main.ts', role: 'user', ok: true })),
);
const hexIds = lines(200, (i) => sha256(i).slice(0, 12));
const base64 = lines(200, (i) => Buffer.from(sha256(i) + sha256(i + 1), 'hex').toString('base64'));
const digits = lines(200, (i) => String(1_000_000_007 * (i + 1)));
const log = lines(
  200,
  (i) => `2026-09-12T10:${10 + (i % 50)}:11.${100 + i}Z INFO worker-${i % 7} took ${(i * 7) % 991} ms`,
);
const chinese = '这个函数把会话历史渲染成像素字体的图片帧。'.repeat(50);
const samples = { prose, code, json, hexIds, base64, digits, log, chinese };

/** The class most of the text falls under. */
function mainClass(text: string): string {
  return Object.entries(explainTextTokens(text).classes).sort((a, b) => b[1] - a[1])[0]![0];
}

describe('explainTextTokens', () => {
  it.each([
    ['prose', prose],
    ['code', code],
    ['json', json],
    ['hex', hexIds],
    ['base64', base64],
    ['digits', digits],
    ['log', log],
    ['cjk', chinese],
    ['alphabet', 'Эта функция читает историю. '.repeat(20)],
    ['script', 'यह फलन इतिहास पढ़ता है। '.repeat(20)],
    ['symbol', '┌──────┐└──────┘'.repeat(20)],
    ['astral', '🚀🔥🎉'.repeat(20)],
    ['indented', lines(50, () => `${' '.repeat(24)}"key": value`)],
  ])('finds %s', (expected, text) => {
    expect(mainClass(text)).toBe(expected);
  });

  it('takes names with digits for words, and ids for hex or base64', () => {
    const classes = (text: string) => Object.keys(explainTextTokens(text).classes);
    for (const word of [
      'utf8ToBytes',
      'sha256sum',
      'x86',
      'Uint8Array',
      'deadbeef',
      'getElementsByTagNameNS',
    ]) {
      expect(
        classes(word).filter((name) => ['hex', 'base64', 'digits'].includes(name)),
        word,
      ).toEqual([]);
    }
    expect(classes('3f9c2ab81d04')).toEqual(['hex']);
    expect(classes('toolu 01A09q90qw90lq917835lq9')).toContain('base64');
  });

  it('books every unit once', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 400 }), (text) => {
        const counts = countClasses(text);
        expect(counts.reduce((sum, units) => sum + units, 0)).toBe(text.length);
        expect(counts.every((units) => units >= 0)).toBe(true);
      }),
    );
    const long = Object.values(samples).join('\n').repeat(20);
    expect(countClasses(long).reduce((sum, units) => sum + units, 0)).toBe(long.length);
  });

  it('takes lone surrogates and a pair cut by a chunk', () => {
    expect(explainTextTokens('\ud800')).toEqual({ tokens: 2, classes: { astral: 1 } });
    const text = `${'a'.repeat(16_383)}😀`;
    expect(explainTextTokens(text).classes['astral']).toBe(2);
  });
});

describe('estimateTextTokens', () => {
  it('is 0 for the empty text only', () => {
    for (const tokenizer of tokenizers) {
      expect(estimateTextTokens('', tokenizer)).toBe(0);
      expect(estimateTextTokens(' ', tokenizer)).toBe(1);
    }
  });

  // Characters per token of the table; the text is of one kind, so the estimate must come out at about that.
  it.each([
    ['gpt-o200k', prose, 4.72],
    ['claude-4.7', prose, 3.24],
    ['claude-4.6', code, 2.82],
    ['claude-4.7', code, 2.15],
    ['claude-4.7', json, 2.12],
    ['gpt-o200k', hexIds, 1.6],
    ['qwen-3.5', digits, 1.0],
    ['glm-5', digits, 1.61],
    ['kimi', log, 2.11],
  ])('%s: %.30j has about %d characters a token', (tokenizer, text, charsPerToken) => {
    const ratio = text.length / charsPerToken / estimateTextTokens(text, tokenizer);
    expect(ratio).toBeGreaterThan(0.85);
    expect(ratio).toBeLessThan(1.18);
  });

  // Counted with the package gpt-tokenizer, encoding o200k_base, on these very texts.
  it.each([
    ['prose', prose, 1200],
    ['code', code, 1619],
    ['json', json, 1082],
    ['hex', hexIds, 1616],
    ['base64', base64, 11_991],
    ['digits', digits, 999],
    ['log', log, 4799],
  ])('is within 15 %% of the real count of %s', (_, text, tokens) => {
    const ratio = estimateTextTokens(text, 'gpt-o200k') / tokens;
    expect(ratio).toBeGreaterThan(0.85);
    expect(ratio).toBeLessThan(1.15);
  });

  it('never counts Chinese below the real count', () => {
    expect(estimateTextTokens(chinese, 'gpt-o200k')).toBeGreaterThanOrEqual(900);
  });

  it('falls back to the stated default for a tokenizer it does not know', () => {
    for (const tokenizer of ['', 'nobody', 'constructor', '__proto__']) {
      expect(estimateTextTokens(code, tokenizer)).toBe(estimateTextTokens(code));
    }
    expect(estimateTextTokens(code)).toBe(estimateTextTokens(code, table.fallback));
  });

  it('makes the newer Claude dearest on every kind of ASCII text without many digits', () => {
    for (const text of [prose, code, json, hexIds, base64]) {
      for (const other of ['gpt-o200k', 'claude-4.6', 'deepseek', 'kimi', 'glm-5']) {
        expect(estimateTextTokens(text, 'claude-4.7')).toBeGreaterThan(estimateTextTokens(text, other));
      }
    }
  });

  const tokenizer = constantFrom(...tokenizers);
  const piece = string({ unit: constantFrom(...'aeZ 19f-{"\n,.é漢😀'), maxLength: 200 });

  it('does not fall when text is appended, but for the run at the seam', () => {
    assert(
      property(tokenizer, piece, piece, (name, head, tail) => {
        // A space closes the run. Within an open one, digits that turn out to be a word may become cheaper.
        expect(estimateTextTokens(`${head} ${tail}`, name)).toBeGreaterThanOrEqual(
          estimateTextTokens(`${head} `, name),
        );
        expect(estimateTextTokens(head + tail, name)).toBeGreaterThanOrEqual(
          estimateTextTokens(head, name) - 32,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('is linear: a text repeated costs as much as its copies, within 3 %', () => {
    for (const [name, text] of Object.entries(samples)) {
      const one = estimateTextTokens(`${text}\n`);
      const forty = estimateTextTokens(`${text}\n`.repeat(40));
      expect(forty / (40 * one), name).toBeGreaterThan(0.97);
      expect(forty / (40 * one), name).toBeLessThan(1.03);
    }
  });

  it('adds up: two texts together cost what they cost apart, but for the seam', () => {
    for (const head of Object.values(samples)) {
      for (const tail of Object.values(samples)) {
        const apart = estimateTextTokens(`${head}\n`) + estimateTextTokens(tail);
        expect(Math.abs(estimateTextTokens(`${head}\n${tail}`) - apart)).toBeLessThan(40);
      }
    }
  });

  it('takes long runs, one character over and over, and mixed garbage in time that grows with the length', () => {
    const length = 2_000_000;
    const hostile = [
      'a',
      '1',
      'a1',
      '"',
      ' ',
      '{',
      'é',
      '漢',
      '😀',
      '\ud800',
      `${'a'.repeat(40)}1`,
      '\\',
      'A1b2/+=',
    ];
    for (const pattern of hostile) {
      const text = pattern.repeat(Math.ceil(length / pattern.length));
      const started = performance.now();
      expect(estimateTextTokens(text)).toBeGreaterThan(0);
      expect(performance.now() - started, JSON.stringify(pattern)).toBeLessThan(2000);
    }
  });
});

describe('src/billing/text-tokens.json', () => {
  it.each(tokenizers)('%s has every class, a source and a date', (name) => {
    const { charsPerToken, source, date } = table.tokenizers[name]!;
    expect(Object.keys(charsPerToken).sort()).toEqual([...contentClasses].sort());
    expect(source).toMatch(/\S/);
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('has the vocabulary of every reader', () => {
    const rules = (readPackageJson('shapes/readers.json') as { rules: { tokenizer: string }[] }).rules;
    for (const { tokenizer } of rules) expect(tokenizers).toContain(tokenizer);
    expect(tokenizers).toContain(resolveReader({}).tokenizer);
    expect(packageFile('src/billing/text-tokens.json').pathname).toMatch(/text-tokens\.json$/);
  });
});
