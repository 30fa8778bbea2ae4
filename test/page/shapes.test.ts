import { describe, expect, it } from 'vitest';
import { getShape, shapes } from '../../src/page/shapes.js';

describe('shapes', () => {
  it('lists every shape file once, sorted, and always the same list', () => {
    const ids = shapes().map((shape) => shape.id);
    expect(ids).toEqual(['11on16-bw', '8on16-bw', '8on22-bw']);
    expect(shapes()).toBe(shapes());
  });

  it('takes the rules for readers for no shape', () => {
    expect(shapes().some((shape) => shape.id === 'readers')).toBe(false);
  });

  it.each([
    ['11on16-bw', 11, 16],
    ['8on16-bw', 8, 16],
    ['8on22-bw', 8, 22],
  ])('%s has the cell its name says', (id, advancePx, pitchPx) => {
    expect(getShape(id).cell).toEqual({ advancePx, pitchPx });
  });

  it('names a denser companion that exists and holds at least as many cells', () => {
    for (const shape of shapes()) {
      if (shape.dense === null) continue;
      const dense = getShape(shape.dense);
      const area = (of: typeof shape) => of.cell.advancePx * of.cell.pitchPx;
      expect(area(dense)).toBeLessThan(area(shape));
    }
  });

  it('keeps a glyph of eight pixels inside its cell', () => {
    for (const { cell, offset } of shapes()) {
      expect(offset.xPx + 8).toBeLessThanOrEqual(cell.advancePx);
      expect(offset.wideXPx + 16).toBeLessThanOrEqual(2 * cell.advancePx);
      expect(offset.yPx + 16).toBeLessThanOrEqual(cell.pitchPx);
    }
  });

  it('suggests the near name and lists all for an unknown one', () => {
    expect(() => getShape('8on16')).toThrowError(
      expect.objectContaining({
        code: 'unknown-shape',
        message: expect.stringMatching(/11on16-bw, 8on16-bw, 8on22-bw.*did you mean 8on16-bw/),
      }),
    );
  });

  it.each(['', 'readers', 'x'.repeat(100_000), '../shapes/8on16-bw', '__proto__'])('refuses %.20j', (id) => {
    expect(() => getShape(id)).toThrowError(expect.objectContaining({ code: 'unknown-shape', exitCode: 2 }));
  });
});
