import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { findLookalikes } from '../../src/glyph/find-lookalikes.js';
import { type FontChain, loadFontChain, type PlacedGlyph } from '../../src/glyph/font-chain.js';
import { loadFont } from '../../src/glyph/load-font.js';
import { readLookalikes } from '../../src/glyph/lookalikes.js';
import { packageFile, readPackageJson } from '../../src/package-files.js';

interface Shape {
  readonly id: string;
  readonly fonts: readonly string[];
  readonly cell: { readonly advancePx: number; readonly pitchPx: number };
  readonly offset: { readonly xPx: number; readonly wideXPx: number; readonly yPx: number };
}

// Every glyph of three fonts, several times over: seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const newlineCell = 0x2588;
const shapes: readonly Shape[] = readdirSync(packageFile('shapes/'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => readPackageJson(`shapes/${file}`) as Shape)
  .filter((shape) => Array.isArray(shape.fonts));
const name = (codePoint: number) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;

/** The cells that a glyph leaves on the page, each as text: all its rows, pixels outside the box included. */
function paint(codePoint: number, glyph: PlacedGlyph, { cell, offset }: Shape): string[] {
  const width = cell.advancePx * glyph.cells;
  const left = glyph.cells === 2 ? offset.wideXPx : offset.xPx;
  const page = Array.from({ length: cell.pitchPx }, (_, y) => {
    if (codePoint === newlineCell) return 2 ** cell.advancePx - 1;
    return (glyph.rows[y - offset.yPx] ?? 0) * 2 ** (width - left - glyph.widthPx);
  });
  if (glyph.cells === 1) return [page.join()];
  const cut = 2 ** cell.advancePx;
  return [page.map((row) => Math.floor(row / cut)).join(), page.map((row) => row % cut).join()];
}

function printed(chain: FontChain): (readonly [number, PlacedGlyph])[] {
  const glyphs = [...chain.codePoints()].map((codePoint) => [codePoint, chain.glyph(codePoint)!] as const);
  return [...glyphs, [-1, chain.padGlyph]];
}

it('knows the shapes it checks', () => {
  expect(shapes.length).toBeGreaterThanOrEqual(3);
});

describe.each(shapes)('on the cells of $id', (shape) => {
  const glyphs = printed(loadFontChain(shape.fonts));

  it('has room for the whole box', () => {
    const { boxHeightPx } = loadFontChain(shape.fonts);
    expect(shape.offset.yPx + boxHeightPx).toBeLessThanOrEqual(shape.cell.pitchPx);
    expect(shape.offset.xPx + 8).toBeLessThanOrEqual(shape.cell.advancePx);
    expect(shape.offset.wideXPx + 16).toBeLessThanOrEqual(2 * shape.cell.advancePx);
  });

  it('prints no two characters alike', () => {
    const seen = new Map<string, number>();
    const alike: string[] = [];
    for (const [codePoint, glyph] of glyphs) {
      const key = paint(codePoint, glyph, shape).join('|');
      const other = seen.get(key);
      if (other !== undefined) alike.push(`${name(other)} ${name(codePoint)}`);
      seen.set(key, codePoint);
    }
    expect(alike).toEqual([]);
  });

  it('prints no wide character that reads as two narrow ones', () => {
    const narrow = new Set<string>();
    const wide: [number, string, string][] = [];
    for (const [codePoint, glyph] of glyphs) {
      const [left, right] = paint(codePoint, glyph, shape);
      if (right === undefined) narrow.add(left!);
      else wide.push([codePoint, left!, right]);
    }
    const starts = new Set([...narrow, ...wide.map(([, left]) => left)]);
    const split = wide.filter(([, left, right]) => narrow.has(left) && starts.has(right));
    expect(split.map(([codePoint]) => name(codePoint))).toEqual([]);
  });
});

describe('the table of a chain', () => {
  const fonts = ['8x13', 'unifont', 'unifont-upper'];
  const chain = loadFontChain(fonts);
  const glyph = (character: string) => chain.glyph(character.codePointAt(0)!);
  const { unicode } = readPackageJson('fonts/lookalikes.json') as { readonly unicode: string };

  it.skipIf(unicode !== process.versions['unicode'])(
    'is what the rules give for the fonts and shapes at hand',
    () => {
      const geometries = shapes
        .filter((shape) => shape.fonts.join() === fonts.join())
        .map(({ cell, offset }) => ({ ...cell, ...offset }));
      const { table, printed: found } = findLookalikes(fonts.map(loadFont), geometries);
      expect(table).toEqual(readLookalikes(chain.id));
      expect([...chain.codePoints()].sort((a, b) => a - b)).toEqual([...found.keys()].sort((a, b) => a - b));
    },
  );

  it.each([
    'AΑА',
    'BΒВ',
    'CС',
    'EΕЕ',
    'HΗН',
    'IΙІ',
    'KΚК',
    'MΜМ',
    'NΝ',
    'OΟО',
    'PΡР',
    'SЅ',
    'TΤТ',
    'XΧХ',
    'YΥ',
    'ZΖ',
    'aа',
    'cс',
    'eе',
    'iі',
    'jј',
    'oοо',
    'pр',
    'sѕ',
    'vν',
    'xх',
    'yу',
  ])('prints each of %s in one cell with a glyph of its own', (letters) => {
    const rows = [...letters].map((letter) => glyph(letter)!.rows.join());
    expect([...letters].map((letter) => chain.coverage(letter.codePointAt(0)!))).toEqual(
      [...letters].map(() => 1),
    );
    expect(new Set(rows).size).toBe(letters.length);
  });

  it('marks a letter with at most two pixels more than the letter it looks like', () => {
    const ink = (character: string) =>
      glyph(character)!.rows.reduce((sum, row) => sum + row.toString(2).replaceAll('0', '').length, 0);
    for (const [plain, marked] of ['AΑ', 'AА', 'OО', 'xх', 'yу'] as const) {
      expect(ink(marked!) - ink(plain!)).toBe(2);
      expect(glyph(plain!)!.rows.every((row, y) => (row & glyph(marked!)!.rows[y]!) === row)).toBe(true);
    }
  });

  it('leaves the bitmap to ASCII, then to box drawing, then to Latin-1, then to the commoner character', () => {
    const plain = loadFont('8x13');
    for (const character of 'A-│─·×↑’') {
      const codePoint = character.codePointAt(0)!;
      expect(chain.glyph(codePoint)!.rows.slice(3)).toEqual(plain.glyph(codePoint)!.rows);
    }
  });

  it('spells out compatibility twins', () => {
    for (const twin of [0x212a, 0x2010, 0xfa70, 0x2ec1, 0x37e]) expect(chain.coverage(twin)).toBe(0);
  });

  it('stays small', () => {
    expect(readFileSync(packageFile('fonts/lookalikes.json')).length).toBeLessThan(32_000);
  });
});
