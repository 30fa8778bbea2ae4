import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeMarks } from '../../src/text/escape.js';
import { normalizeText } from '../../src/text/normalize.js';
import { visibleText } from '../../src/text/visible.js';
import { countLooks } from '../support/steps.js';
import { awkwardText, coverage } from '../support/text-samples.js';

const normal = (text: string, indented = false) => normalizeText(text, { coverage, indented });

describe('normalizeText', () => {
  test('collapses white space to one space and line breaks to one newline cell', () => {
    expect(normal('  a \t b\u00a0\u3000c \r\n\r\n \u2028 d\n').text).toBe('a b c█d');
  });

  test('drops escapes, control and zero-width characters, and composes pairs: B05', () => {
    const { text } = normal('\u001b[31mERR\u001b[0m\u0007 a\u200Bb e\u0301 \ud800 end\r\n\tx');
    expect(text).toBe('ERR ab é \ufffd end█x');
    expect(normal('\u009b31mERR2').text).toBe('ERR2');
  });

  test('drops whole OSC strings, and only the introducer of broken sequences', () => {
    expect(normal('\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b]torn text').text).toBe('link torn text');
    expect(normal('\x1b[31\nx \x1b(Bq \x9d0;title\x9cz').text).toBe('31█x q z');
  });

  test('keeps what it can print and spells the rest, never as a question mark: B04', () => {
    const { text, spelled } = normal('配置文件 server.port=8443 已更新 ✅ 🔥 𝔘 ½ ﬁ');
    expect(text).toContain('配置文件 server.port=8443 已更新');
    expect(text).toContain('[U+1F525]');
    expect(text).toContain('fi');
    expect(text).not.toContain('?');
    expect(spelled).toBeGreaterThanOrEqual(2);
    expect(normal(text).text).toBe(text);
  });

  test('composes Hangul and kana from their parts', () => {
    expect(normal('\u1112\u1161\u11ab か\u3099').text).toBe('한 が');
  });

  test('spells a mark that composes with nothing, and never composes across a mark of ours', () => {
    expect(normal('x\u0338\u0315').text).toBe('x[U+0338][U+0315]');
    expect(normal('a \u0301').text).toBe('a [U+0301]');
  });

  test('keeps indentation as cells on request', () => {
    expect(normal('  if x:\n\tgo\n      deep\n', true).text).toBe('if x:█    go█      deep');
  });

  test('keeps within its memory however much indentation grows a text', () => {
    for (let z = 4060; z < 4100; z++) {
      expect(normal(`${'z'.repeat(z)}\n${'\t'.repeat(6)}x`, true).text).toBe(
        `${'z'.repeat(z)}█${' '.repeat(24)}x`,
      );
    }
    const { text } = normal(`${'z'.repeat(70)}${`\n${'\t'.repeat(10)}x`.repeat(97)}`, true);
    expect(text).toBe(`${'z'.repeat(70)}${`█${' '.repeat(40)}x`.repeat(97)}`);
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(awkwardText, fc.boolean(), (source, indented) => {
        const once = normal(source, indented).text;
        expect(normal(once, indented).text).toBe(once);
      }),
      { numRuns: 1500 },
    );
  });

  test('gives nothing but covered characters, single spaces and newline cells', () => {
    fc.assert(
      fc.property(awkwardText, (source) => {
        const { text } = normal(source);
        for (const char of text) expect(coverage(char.codePointAt(0)!)).toBeGreaterThan(0);
        expect(text).not.toMatch(/^ | $| {2}|██| █|█ |^█|█$/);
      }),
      { numRuns: 1500 },
    );
  });

  test.each([
    ['one megabyte line', 'x'],
    ['nested brackets', '[<'],
    ['unterminated OSC strings', '\x1b]'],
    ['unterminated CSI sequences', '\x1b[1'],
    ['stacked combining marks', '\u0301'],
    ['marks full of zero-width characters', '<\u200bo\u200bu\u200b'],
    ['zero-width characters', '\u200b'],
    ['brackets before torn sequences', '[\x1b'],
    ['torn sequences', '\x1b['],
    ['brackets before 8-bit introducers', '[\x9b0;'],
    ['brackets before zero-width characters', '[\u200b'],
  ])('costs no more than linear time on %s', (_, unit) => {
    const steps = (units: number) =>
      countLooks(() => normal(escapeMarks(visibleText(unit.repeat(units)).text)));
    const small = steps(10_000);
    expect(steps(40_000)).toBeLessThan(small * 4.5);
  });
});
