import { expect, it } from 'vitest';
import type { Glyph } from '../../src/glyph/font.js';
import { loadFont } from '../../src/glyph/load-font.js';

const font = loadFont('8x13');
const glyph = (character: string): Glyph => font.glyph(character.codePointAt(0)!)!;
const picture = ({ widthPx, rows }: Glyph) =>
  rows.map((row) => row.toString(2).padStart(widthPx, '0').replaceAll('0', '.').replaceAll('1', '#'));

function distance(a: string, b: string): number {
  const [left, right] = [picture(glyph(a)).join(''), picture(glyph(b)).join('')];
  return [...left].filter((pixel, at) => pixel !== right[at]).length;
}

/** Pixels of `inner` that lie strictly inside the outline of `outer`: between its first and last ink of their row. */
function inkInside(inner: string, outer: string): number {
  const outline = picture(glyph(outer));
  return picture(glyph(inner)).reduce((sum, row, y) => {
    const [from, to] = [outline[y]!.indexOf('#'), outline[y]!.lastIndexOf('#')];
    return (
      sum +
      [...row].filter((pixel, x) => pixel === '#' && x > from && x < to && outline[y]![x] === '.').length
    );
  }, 0);
}

it('draws zero with a slash inside its outline, where O and Q have none', () => {
  expect(inkInside('0', 'O')).toBeGreaterThanOrEqual(2);
  expect(picture(glyph('0'))).toEqual([
    '........',
    '........',
    '...##...',
    '..#..#..',
    '.#....#.',
    '.#...##.',
    '.#..#.#.',
    '.#.#..#.',
    '.##...#.',
    '..#..#..',
    '...##...',
    '........',
    '........',
  ]);
  expect(distance('0', 'O')).toBe(16);
});

it.each(['1l', 'lI', 'l|', '0D', '0O', '0Q', '08', '!|'])(
  'keeps the characters of %s at least 4 pixels apart',
  (pair) => {
    expect(distance(pair[0]!, pair[1]!)).toBeGreaterThanOrEqual(4);
  },
);

it('leaves every other glyph as published', () => {
  expect(picture(glyph('A'))).toEqual([
    '........',
    '........',
    '...##...',
    '..#..#..',
    '.#....#.',
    '.#....#.',
    '.#....#.',
    '.######.',
    '.#....#.',
    '.#....#.',
    '.#....#.',
    '........',
    '........',
  ]);
});

it('takes the width from the line of the glyph', () => {
  const unifont = loadFont('unifont');
  expect(unifont.widthPx(0x41)).toBe(8);
  expect(unifont.widthPx(0x4e2d)).toBe(16);
  expect(unifont.widthPx(0xd800)).toBe(0);
  expect(unifont.glyph(0x4e2d)!.rows).toHaveLength(16);
  expect(unifont.glyph(0xd800)).toBeUndefined();
});

it('reads planes above the first', () => {
  expect(loadFont('unifont-upper').widthPx(0x10000)).toBe(8);
  expect(loadFont('unifont-upper').widthPx(0x41)).toBe(0);
});

it('reads a font once', () => {
  expect(loadFont('8x13')).toBe(font);
});
