import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readCharacterMap } from '../../src/glyph/character-map.js';

/** A file that holds nothing but a character map of format 12 with the given groups. */
function fontWithGroups(
  groups: readonly (readonly [first: number, last: number, glyph: number])[],
): Uint8Array {
  const view = new DataView(new ArrayBuffer(56 + groups.length * 12));
  view.setUint16(4, 1);
  view.setUint32(12, 0x636d6170); // 'cmap', at byte 28
  view.setUint32(20, 28);
  view.setUint16(30, 1);
  view.setUint16(32, 3);
  view.setUint16(34, 10);
  view.setUint32(36, 12);
  view.setUint16(40, 12);
  view.setUint32(52, groups.length);
  for (const [at, group] of groups.entries()) {
    for (const [part, value] of group.entries()) view.setUint32(56 + at * 12 + part * 4, value);
  }
  return new Uint8Array(view.buffer);
}

it('reads the map of a real font', () => {
  const file = readFileSync(new URL('../fixtures/fonts/unifont-subset.otf', import.meta.url));
  const codePoints = readCharacterMap(file, 'the test font');
  expect(codePoints).toHaveLength(100);
  expect(codePoints.slice(-3)).toEqual([0x20ac, 0x2500, 0x4e2d]);
});

it('reads groups above the first plane and leaves out what maps to no glyph', () => {
  const file = fontWithGroups([
    [0x41, 0x43, 0],
    [0x1f600, 0x1f601, 7],
  ]);
  expect(readCharacterMap(file, 'a font')).toEqual([0x42, 0x43, 0x1f600, 0x1f601]);
});

it('walks all of Unicode once at most, however often a hostile file names it', () => {
  const everything = Array.from({ length: 50_000 }, () => [0, 0xffffffff, 1] as const);
  const start = performance.now();
  expect(readCharacterMap(fontWithGroups(everything), 'a font')).toHaveLength(0x110000);
  expect(performance.now() - start).toBeLessThan(3_000);
});

it('says which file has no map', () => {
  expect(() => readCharacterMap(new Uint8Array(64), 'the font file of mine')).toThrow(
    'expected a TrueType or OpenType font with a Unicode map for the font file of mine, got a file without one',
  );
});
