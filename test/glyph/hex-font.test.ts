import { expect, it } from 'vitest';
import { HexFont } from '../../src/glyph/hex-font.js';

const font = (text: string) =>
  new HexFont({ name: 'tiny', heightPx: 2, ascentPx: 2, bytes: Buffer.from(text), overrides: new Map() });

it('reads narrow and wide glyphs of any plane', () => {
  const tiny = font('0041:1824\n4E2D:FFFF8001\n01F600:0102\n');
  expect([...tiny.codePoints()]).toEqual([0x41, 0x4e2d, 0x1f600]);
  expect(tiny.glyph(0x41)).toEqual({ widthPx: 8, rows: [0x18, 0x24] });
  expect(tiny.glyph(0x4e2d)).toEqual({ widthPx: 16, rows: [0xffff, 0x8001] });
  expect(tiny.glyph(0x42)).toBeUndefined();
});

it.each([
  ['ends inside a glyph', '0041:1824\n0042:18'],
  ['ends without a newline', '0041:1824'],
  ['holds a line of another height', '0041:1824\n0042:182\n0043:1824\n'],
  ['is no font', 'hello world, this is text\n'],
])('says so when the file %s', (_, text) => {
  expect(() => font(text)).toThrow(/expected lines CODE:ROWS with 2 rows for the font tiny, got .*byte \d+/);
});
