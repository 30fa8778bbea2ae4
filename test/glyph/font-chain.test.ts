import { expect, it } from 'vitest';
import type { SnapcompactError } from '../../src/errors.js';
import { type FontChain, loadFontChain } from '../../src/glyph/font-chain.js';

const chain = loadFontChain(['8x13', 'unifont', 'unifont-upper']);
const cells = (text: string) => [
  ...new Set([...text].map((character) => chain.coverage(character.codePointAt(0)!))),
];
const rowsOf = (character: string) => chain.glyph(character.codePointAt(0)!)!.rows;

it('prints every ASCII character in one cell', () => {
  const ascii = Array.from({ length: 95 }, (_, at) => 0x20 + at);
  expect(ascii.filter((codePoint) => chain.coverage(codePoint) !== 1)).toEqual([]);
});

it.each([
  ['Latin, Greek and Cyrillic', 'éßŁžΑΩλπАЯжёїґ', 1],
  ['box drawing and blocks', '─│┌┐└┘├┤┬┴┼═║╔░▒▓▄▀█', 1],
  ['the signs of terminals and tools', '→←↑↓…•●○–—−’‘“”×÷±≤≥≠∞√§', 1],
  ['Chinese, Japanese and Korean', '中文长门龙あア한국、。「」，！', 2],
])('prints %s', (_, text, expected) => {
  expect(cells(text)).toEqual([expected]);
});

it('keeps characters that are emoji only on request as text', () => {
  expect(cells('©®™0123456789#*☀♥')).toEqual([1]);
  expect(cells('✓✔☐')).toEqual([2]);
});

it.each([
  ['controls', [0, 7, 9, 10, 13, 27, 0x7f, 0x85, 0x9f]],
  ['lone surrogates', [0xd800, 0xdbff, 0xdc00, 0xdfff]],
  ['private use', [0xe000, 0xf8ff, 0xf0000, 0x10fffd]],
  ['unassigned code points and noncharacters', [0x378, 0xfdd0, 0xfffe, 0xffff, 0x10ffff]],
  ['invisible characters', [0xad, 0x200b, 0x200d, 0x202e, 0x2066, 0xfe0f, 0xfeff, 0xe0041]],
  ['blanks other than the space', [0xa0, 0x2003, 0x202f, 0x2028, 0x2800, 0x3000, 0x3164]],
  ['non-spacing and enclosing marks', [0x301, 0x483, 0x5b0, 0x94d, 0x20dd, 0x1d167]],
  ['emoji', [0x1f600, 0x1f4a9, 0x1f5a5, 0x2705, 0x274c, 0x26a1, 0x1f1e9, 0x1f3fb]],
  ['what is no code point', [-1, 0x110000, Number.NaN]],
])('has no glyph for %s', (_, codePoints) => {
  expect(codePoints.filter((codePoint) => chain.coverage(codePoint) !== 0)).toEqual([]);
  expect(codePoints.filter((codePoint) => chain.glyph(codePoint) !== undefined)).toEqual([]);
});

it('prints spacing marks, which stand in a cell of their own', () => {
  expect(chain.coverage(0x93f)).toBeGreaterThan(0);
});

it('stands all fonts on one baseline in a box of 16 rows', () => {
  expect(chain.boxHeightPx).toBe(16);
  // The feet of A and of the ideograph for "ten" end within the row above the baseline, row 13.
  expect(rowsOf('A').findLastIndex((row) => row !== 0)).toBe(13);
  expect(rowsOf('A').findIndex((row) => row !== 0)).toBe(5);
  expect(rowsOf('中')).toHaveLength(16);
});

it('has a glyph exactly where it has coverage, as wide as its cells', () => {
  for (const codePoint of chain.codePoints()) {
    const glyph = chain.glyph(codePoint)!;
    const fits = glyph.rows.length === 16 && glyph.rows.every((row) => row >= 0 && row < 2 ** glyph.widthPx);
    if (glyph.cells !== chain.coverage(codePoint) || glyph.widthPx !== glyph.cells * 8 || !fits) {
      expect.fail(`U+${codePoint.toString(16)} has the glyph ${JSON.stringify(glyph)}`);
    }
  }
});

it('gives the same object for the same character and the same list of fonts', () => {
  expect(chain.glyph(0x41)).toBe(chain.glyph(0x41));
  expect(loadFontChain(['8x13', 'unifont', 'unifont-upper'])).toBe(chain);
  expect(chain.id).toBe('8x13+unifont+unifont-upper');
});

it('lists each printable code point once, those of the first fonts before the others', () => {
  const first = [...chain.codePoints(1)];
  const all = [...chain.codePoints()];
  expect(new Set(all).size).toBe(all.length);
  expect(all.slice(0, first.length)).toEqual(first);
  expect(first).toContain(0x41);
  expect(first).not.toContain(0x4e2d);
  expect(all.length).toBeGreaterThan(60_000);
});

it('fills the newline cell with ink and leaves the pad light', () => {
  expect(chain.glyph(0x2588)).toEqual({ cells: 1, widthPx: 8, rows: new Array(16).fill(0xff) });
  const ink = chain.padGlyph.rows.flatMap((row) => [...row.toString(2)]).filter((bit) => bit === '1').length;
  expect(ink).toBe(4);
});

it('names the fonts and chains there are when it is asked for others', () => {
  const failure = (names: string[]): SnapcompactError => {
    try {
      loadFontChain(names);
    } catch (error) {
      return error as SnapcompactError;
    }
    return expect.fail('expected an error');
  };
  expect(failure(['9x99']).code).toBe('unknown-font');
  expect(failure(['9x99']).message).toContain('8x13, unifont');
  expect(failure(['unifont', '8x13']).message).toContain('8x13+unifont+unifont-upper');
  expect(failure([]).code).toBe('unknown-font');
});

it('answers coverage and glyph a million times a second or better', () => {
  const text = [...'The quick brown fox — съешь же — 中文字符 → done. '].map((c) => c.codePointAt(0)!);
  const work = (times: number, subject: FontChain) => {
    let sum = 0;
    for (let round = 0; round < times; round++) {
      for (const codePoint of text) sum += subject.coverage(codePoint) + subject.glyph(codePoint)!.widthPx;
    }
    return sum;
  };
  work(100, chain);
  const start = performance.now();
  expect(work(20_000, chain)).toBeGreaterThan(0);
  expect(performance.now() - start).toBeLessThan(20 * text.length);
});
