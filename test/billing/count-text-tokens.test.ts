import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countPieces, countTextTokens } from '../../src/billing/count-text-tokens.js';
import { estimateTextTokens, vocabularyNames } from '../../src/billing/text-tokens.js';
import { maxPartUnits, tokenPieces } from '../../src/billing/token-pieces.js';
import { type Encoding, loadEncoding } from '../../src/billing/tokenizers.js';

const o200k = await loadEncoding('o200k_base')!;
const words =
  'The archive keeps what the agent said, e.g. {"path":"src/a.ts","n":1234} — naïve 漢字 don\'t\n\n  x';

/** Stands in for the tokenizer and books what merging would cost: the square of each part. */
function bookkeeper() {
  const book = { work: 0, longestPart: 0, forgotten: 0 };
  const encoding: Encoding = {
    by: 'a test',
    pattern: o200k.pattern,
    count(text) {
      const parts = text.match(o200k.pattern) ?? [];
      for (const part of parts) {
        book.work += part.length ** 2;
        book.longestPart = Math.max(book.longestPart, part.length);
      }
      return parts.length;
    },
    forget() {
      book.forgotten++;
    },
  };
  return { book, encoding };
}

describe('countTextTokens', () => {
  // Counted with another implementation of the same vocabulary, js-tiktoken 1.0.21.
  it.each([
    ['', 0],
    ['hello world', 2],
    ['hello 👋 world 🌍', 6],
    ['    if (x !== y) {\n        return 0x1F;\n    }\n', 18],
    ['这个函数把会话历史渲染成像素字体的图片帧。', 18],
    ['<|endoftext|>', 7],
    ['\ud800', 1],
    [words, 33],
  ])('counts %j by the vocabulary of o200k: %d', async (text, tokens) => {
    expect(await countTextTokens(text, 'gpt-o200k')).toEqual({
      tokens,
      method: 'tokenizer',
      by: 'gpt-tokenizer, o200k_base',
    });
  });

  it('says that it estimates where no vocabulary is public, and by which column', async () => {
    for (const tokenizer of vocabularyNames().filter((name) => name !== 'gpt-o200k')) {
      expect(await countTextTokens(words, tokenizer)).toEqual({
        tokens: estimateTextTokens(words, tokenizer),
        method: 'estimate',
        by: `characters per token of ${tokenizer}`,
      });
    }
    expect(await countTextTokens(words)).toMatchObject({ by: 'characters per token of default' });
    expect(await countTextTokens(words, '__proto__')).toMatchObject({
      by: 'characters per token of default',
    });
  });

  it('lets overrides change estimates and leaves a real count alone', async () => {
    const overrides = { charsPerToken: { 'claude-4.7': { prose: 1 }, 'gpt-o200k': { prose: 1 } } };
    const prose = 'the archive keeps what was said '.repeat(20);
    expect((await countTextTokens(prose, 'claude-4.7', overrides)).tokens).toBeGreaterThan(
      2 * (await countTextTokens(prose, 'claude-4.7')).tokens,
    );
    expect(await countTextTokens(prose, 'gpt-o200k', overrides)).toEqual(
      await countTextTokens(prose, 'gpt-o200k'),
    );
  });

  it('counts a long ordinary text in windows as the tokenizer counts it whole', async () => {
    const text = Array.from({ length: 3000 }, (_, i) => `${words} ${i}`).join('');
    expect(text.length).toBeGreaterThan(4 * 65_536);
    expect((await countTextTokens(text, 'gpt-o200k')).tokens).toBe(o200k.count(text));
    o200k.forget();
  });

  it('counts any short text as the tokenizer does', async () => {
    const { encoding } = bookkeeper();
    await assert(
      property(string({ unit: constantFrom(...'aZ 1\'.\n\r\t/é漢😀_"'), maxLength: 100 }), (text) => {
        expect([...tokenPieces(text, encoding.pattern)].join('')).toBe(text);
        expect(
          [...tokenPieces(text, encoding.pattern)].reduce((sum, piece) => sum + o200k.count(piece), 0),
        ).toBe(o200k.count(text));
      }),
    );
  });

  it('counts runs without a break at most one token a piece above the whole', async () => {
    for (const unit of ['a', ' ', '\n', '=', 'é', '漢', 'xyz']) {
      const text = unit.repeat(Math.ceil(2000 / unit.length));
      const { tokens } = await countTextTokens(text, 'gpt-o200k');
      expect(tokens, JSON.stringify(unit)).toBeGreaterThanOrEqual(o200k.count(text));
      expect(tokens, JSON.stringify(unit)).toBeLessThanOrEqual(
        o200k.count(text) + Math.ceil(text.length / maxPartUnits),
      );
    }
  });
});

describe('the work of counting', () => {
  it.each(['a', 'A', ' ', '\n', '=', '1', 'é', '漢', '😀', '\ud800', 'a1', '\t\n', 'Aa', "a'", ' \r'])(
    'grows with the length of %j over and over, not with its square',
    async (unit) => {
      const work = async (units: number) => {
        const { book, encoding } = bookkeeper();
        await countPieces(unit.repeat(units / unit.length), encoding);
        expect(book.longestPart).toBeLessThanOrEqual(maxPartUnits);
        expect(book.forgotten).toBe(1);
        return book.work;
      };
      const [one, eight] = [await work(60_000), await work(480_000)];
      expect(eight).toBeLessThan(8.2 * one + 10_000);
      expect(eight).toBeLessThanOrEqual(maxPartUnits * 480_000);
    },
  );

  it('hands on every character once, and never half of a pair', () => {
    const text = `${'😀'.repeat(40_000)}${'a'.repeat(70_001)}😀 ${'b '.repeat(40_000)}`;
    const pieces = [...tokenPieces(text, o200k.pattern)];
    expect(pieces.join('')).toBe(text);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });
});

describe('loadEncoding', () => {
  it('knows the encodings of the table and no other', async () => {
    expect(loadEncoding('p50k_base')).toBeUndefined();
    expect(loadEncoding('constructor')).toBeUndefined();
    expect(await loadEncoding('o200k_base')).toBe(o200k);
  });

  it('splits by the pattern of the package', async () => {
    // The file is no part of the package's documented door; only this comparison reaches for it.
    const file = 'gpt-tokenizer/encodingParams/constants';
    const { O200K_TOKEN_SPLIT_REGEX: theirs } = (await import(file)) as Record<string, RegExp>;
    expect(o200k.pattern.source).toBe(theirs!.source);
    expect(o200k.pattern.flags).toBe(theirs!.flags);
  });
});
