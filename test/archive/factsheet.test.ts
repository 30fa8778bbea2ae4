import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { contextBlocks } from '../../src/archive/context-blocks.js';
import { factsheetOf, factsheetText, factsIn } from '../../src/archive/factsheet.js';
import { estimateTextTokens } from '../../src/billing/text-tokens.js';

const tokenizer = 'claude-4.7';
const facts = (text: string, options = {}) => factsheetOf([factsIn(text)], { tokenizer, ...options });
const ofKind = (text: string, kind: string) =>
  facts(text)
    .facts.filter((fact) => fact.kind === kind)
    .map(({ value }) => value);

describe('factsheetOf', () => {
  test.each([
    ['uuid', 'session 8463c716-a2ea-4c14-9efa-87158ebd9f20.', '8463c716-a2ea-4c14-9efa-87158ebd9f20'],
    ['hash', 'commit 8cc42b0bd39d█next', '8cc42b0bd39d'],
    ['hash', 'at 0x7ffee3b1c', '0x7ffee3b1c'],
    ['id', 'id="toolu_01AbCdEfGhIj9"', 'toolu_01AbCdEfGhIj9'],
    ['number', 'took 1234567 bytes', '1234567'],
    ['version', 'node v20.20.2, ok', 'v20.20.2'],
    ['address', 'see https://example.com/a?b=1 now', 'https://example.com/a?b'],
    ['address', 'on localhost:8443.', 'localhost:8443'],
    ['path', 'read(path="src/text/normalize.ts")', 'src/text/normalize.ts'],
  ])('finds a %s in %j', (kind, text, value) => {
    expect(ofKind(text, kind)).toEqual([value]);
  });

  test('takes no words, short numbers or prose', () => {
    expect(facts('the deadbeef facade of 12 words in 2026, step 3: done.').facts).toEqual([]);
  });

  test('puts what is most at risk first, the newest first, and nothing twice', () => {
    const { facts: found } = facts('src/a.ts v1.2.3 abc1234 99999 def5678 abc1234');
    expect(found.map(({ value }) => value)).toEqual(['abc1234', 'def5678', '99999', 'v1.2.3', 'src/a.ts']);
  });

  test('keeps within its caps and counts what is left to pixels', () => {
    const text = Array.from({ length: 500 }, (_, i) => `a1b2c3d4e${String(i).padStart(3, '0')}`).join(' ');
    const byCount = facts(text, { maxFacts: 10 });
    expect(byCount.facts).toHaveLength(10);
    expect(byCount.pixelsOnly).toEqual({ hash: 490 });
    const byTokens = facts(text, { maxFacts: 500, maxTokens: 200 });
    expect(
      estimateTextTokens(byTokens.facts.map(({ value }) => value).join(', '), tokenizer),
    ).toBeLessThanOrEqual(220);
    expect(factsheetText(byTokens)).toMatch(/Only in the images: \d+ of kind hash\./);
  });

  test('says of any text only what stands in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        for (const { value } of facts(text).facts) expect(text).toContain(value);
      }),
    );
  });
});

describe('the factsheet of an archive', () => {
  test('follows the frames and repeats their exact values', async () => {
    const archive = await archiveHistory(
      {
        messages: [
          { id: 'm', role: 'assistant', blocks: [{ type: 'text', text: 'revert 8cc42b0bd39d in src/a.ts' }] },
        ],
      },
      { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 }, threads: 0 },
    );
    const blocks = contextBlocks(archive);
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(blocks[2]).toMatchObject({ text: expect.stringContaining('hash: 8cc42b0bd39d\npath: src/a.ts') });
  });
});
