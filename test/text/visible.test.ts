import { describe, expect, test } from 'vitest';
import { classOf, INVISIBLE } from '../../src/text/characters.js';
import { visibleText } from '../../src/text/visible.js';

describe('visibleText', () => {
  test('takes out every character that takes no cell, and no other', () => {
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const isLoneSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
      const isControl = codePoint === 0x1b || (codePoint >= 0x80 && codePoint <= 0x9f);
      if (isLoneSurrogate || isControl) continue;
      const char = String.fromCodePoint(codePoint);
      const isInvisible = classOf(codePoint) === INVISIBLE;
      const { text, dropped } = visibleText(char);
      if (text !== (isInvisible ? '' : char) || dropped !== Number(isInvisible))
        expect.fail(`U+${codePoint.toString(16)} as ${JSON.stringify(text)}`);
    }
  });

  test('takes a terminal escape sequence out whole, and counts it once', () => {
    expect(visibleText('a\x1b[31mb\u009b0mc')).toEqual({ text: 'abc', dropped: 2 });
  });
});
