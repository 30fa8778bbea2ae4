import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadFont } from '../../src/glyph/load-font.js';
import { rasteriseFont } from '../../src/glyph/rasterise.js';

const file = readFileSync(new URL('../fixtures/fonts/unifont-subset.otf', import.meta.url));
const cell = { name: 'subset', cellWidthPx: 8, cellHeightPx: 16, ascentPx: 14 };

describe('an OpenType font whose outlines are pixels', () => {
  it('gives back exactly the bitmaps it was made from', async () => {
    const font = await rasteriseFont(file, cell);
    const unifont = loadFont('unifont');
    const codePoints = [...font.codePoints()];
    expect(codePoints).toHaveLength(100);
    for (const codePoint of codePoints) expect(font.glyph(codePoint)).toEqual(unifont.glyph(codePoint));
  });

  it('takes two cells for an advance wider than one', async () => {
    const font = await rasteriseFont(file, cell);
    expect([font.widthPx(0x41), font.widthPx(0x4e2d), font.widthPx(0x6587)]).toEqual([8, 16, 0]);
  });

  it('draws nothing for a character the font lacks, instead of another font of the machine', async () => {
    const font = await rasteriseFont(file, cell);
    expect(font.glyph(0x42f)).toBeUndefined();
  });
});

it('inks more pixels at a lower threshold', async () => {
  const half = { ...cell, cellWidthPx: 4, cellHeightPx: 8, ascentPx: 7, sizePx: 8 };
  const ink = async (threshold: number) => {
    const font = await rasteriseFont(file, { ...half, threshold });
    const rows = [...'ABCabc'].flatMap((character) => font.glyph(character.codePointAt(0)!)!.rows);
    return rows.reduce((sum, row) => sum + row.toString(2).replaceAll('0', '').length, 0);
  };
  expect(await ink(64)).toBeGreaterThan(await ink(200));
});

it.each([
  ['an empty file', new Uint8Array(0)],
  ['text', new TextEncoder().encode('not a font at all, and longer than a header')],
  ['a font cut short', file.subarray(0, 600)],
  ['a font without its outlines', file.subarray(0, 4000)],
])('refuses %s as broken input', async (_, bytes) => {
  await expect(rasteriseFont(bytes, cell)).rejects.toMatchObject({ code: 'broken-input' });
});

it.each([
  [{ cellWidthPx: 0 }, 'cellWidthPx'],
  [{ cellHeightPx: 65 }, 'cellHeightPx'],
  [{ ascentPx: 17 }, 'ascentPx'],
  [{ threshold: 0 }, 'threshold'],
  [{ threshold: 12.5 }, 'threshold'],
])('refuses the option %o by name', async (option, name) => {
  await expect(rasteriseFont(file, { ...cell, ...option })).rejects.toMatchObject({
    code: 'usage',
    complaint: { of: name },
  });
});
