import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeGeometry } from '../../src/page/geometry.js';
import { getShape, shapes } from '../../src/page/shapes.js';

const geometry = (id: string, widthPx: number, maxHeightPx: number) =>
  shapeGeometry(getShape(id), { widthPx, maxHeightPx });

describe('shapeGeometry', () => {
  it.each([
    ['11on16-bw', 1932, 1932, 175, 120, 21_000],
    ['11on16-bw', 1568, 784, 142, 49, 6_958],
    ['8on22-bw', 2048, 2048, 256, 93, 23_808],
    ['8on22-bw', 1568, 1568, 196, 71, 13_916],
    ['8on16-bw', 1568, 1568, 196, 98, 19_208],
    ['8on16-bw', 1280, 1260, 160, 78, 12_480],
    ['11on16-bw', 22, 16, 2, 1, 2],
  ])('%s on %d×%d holds %d columns and %d rows', (id, width, height, columns, rows, capacity) => {
    const got = geometry(id, width, height);
    expect(got).toMatchObject({ columnsCells: columns, rowsCells: rows, capacityCells: capacity });
    expect(got).toMatchObject({ frameWidthPx: width, maxHeightPx: height });
  });

  it('cuts a frame to the rows it prints', () => {
    const { heightPx, rowsCells } = geometry('8on22-bw', 1568, 1568);
    expect(heightPx(1)).toBe(22);
    expect(heightPx(rowsCells)).toBe(1562);
  });

  it.each([0, -1, 1.5, 72, Number.NaN])('refuses a frame of %d rows', (rows) => {
    const { heightPx } = geometry('8on22-bw', 1568, 1568);
    expect(() => heightPx(rows)).toThrowError(expect.objectContaining({ code: 'usage' }));
  });

  it.each([
    [0, 100],
    [100, -1],
    [100.5, 100],
    [100, 16_385],
    [Number.NaN, 100],
    ['1568' as unknown as number, 100],
    [21, 16],
    [22, 15],
  ])('refuses a frame of %s×%s', (width, height) => {
    expect(() => geometry('11on16-bw', width, height)).toThrowError(
      expect.objectContaining({ code: 'usage', exitCode: 2 }),
    );
  });

  it('uses every whole cell and never a pixel more than there is', () => {
    const side = integer({ min: 22, max: 16_384 });
    assert(
      property(side, side, (widthPx, maxHeightPx) => {
        for (const shape of shapes()) {
          const { columnsCells, rowsCells, heightPx } = shapeGeometry(shape, { widthPx, maxHeightPx });
          const spareX = widthPx - columnsCells * shape.cell.advancePx;
          const spareY = maxHeightPx - heightPx(rowsCells);
          expect(spareX >= 0 && spareX < shape.cell.advancePx).toBe(true);
          expect(spareY >= 0 && spareY < shape.cell.pitchPx).toBe(true);
        }
      }),
    );
  });
});
