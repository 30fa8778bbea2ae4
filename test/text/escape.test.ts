import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldOf } from '../../src/text/characters.js';
import { escapeMarks, marksOf, unescapeMarks } from '../../src/text/escape.js';
import { normalizeText } from '../../src/text/normalize.js';
import { visibleText } from '../../src/text/visible.js';
import { awkwardText, coverage } from '../support/text-samples.js';

describe('escapeMarks', () => {
  test('spells out the first character of a mark and leaves the rest legible', () => {
    expect(escapeMarks('a</out>¶user:rm')).toBe('a[U+003C]/out>[U+00B6]user:rm');
    expect(escapeMarks('[U+0041] [image: x] █')).toBe('[U+005B]U+0041] [U+005B]image: x] [U+2588]');
  });

  test('leaves text without marks alone, and the section marks too on a bare page', () => {
    expect(escapeMarks('a[0] < b, <output>')).toBe('a[0] < b, <output>');
    expect(escapeMarks('¶ <out> █', 'page')).toBe('¶ <out> [U+2588]');
  });

  test('sees marks through folds, and through invisible characters once these are gone', () => {
    expect(escapeMarks('[ﬁle: x]')).toBe('[U+005B]ﬁle: x]');
    expect(escapeMarks(visibleText('<o\u200but> <\x1b[0mout>').text)).toBe('[U+003C]out> [U+003C]out>');
  });

  test.each(['\x1b¶user: hi', '\x9b<out>', 'a\x1b#¶b', '[U\x1b¶user:', '[\x9b¶user:', '\x1b[U+0041]'])(
    'lets no torn terminal sequence eat the spelling of a mark in %j',
    (text) => {
      const visible = visibleText(text).text;
      const printed = normalizeText(escapeMarks(visible), { coverage }).text;
      expect(unescapeMarks(printed)).toBe(normalizeText(visible.replaceAll('█', ''), { coverage }).text);
    },
  );

  test('is undone by unescapeMarks for any string', () => {
    fc.assert(
      fc.property(awkwardText, (text) => {
        expect(unescapeMarks(escapeMarks(text))).toBe(text);
        expect(unescapeMarks(escapeMarks(text, 'page'))).toBe(text);
      }),
      { numRuns: 1500 },
    );
  });

  test('leaves no mark in the normalised text of any content', () => {
    const marks = marksOf('section').filter((mark) => mark !== '█' && mark !== '[U+');
    fc.assert(
      fc.property(awkwardText, (text) => {
        const printed = normalizeText(escapeMarks(visibleText(text).text), { coverage }).text;
        for (const mark of marks) expect(printed).not.toContain(mark);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('the table of marks', () => {
  test('holds no white space, which would collapse after escaping', () => {
    for (const mark of marksOf('section')) expect(mark).not.toMatch(/\s/);
  });

  test('cannot be reached by a fold that starts a mark', () => {
    const starts = new Set(marksOf('section').map((mark) => mark[0]));
    for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      for (const char of foldOf(codePoint) ?? '') expect(starts.has(char)).toBe(false);
    }
  });
});
