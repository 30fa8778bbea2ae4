import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../src/frame/decode.js';
import { paintFrame } from '../../src/frame/frame.js';
import { paintCells } from '../../src/frame/paint.js';
import { encodePng } from '../../src/frame/png.js';
import { taskOf } from '../../src/frame/renderer.js';
import { pageFormat } from '../../src/page/page-format.js';
import { paginate } from '../../src/page/paginate.js';
import { getShape } from '../../src/page/shapes.js';

const format = pageFormat(getShape('11on16-bw'), { widthPx: 440, maxHeightPx: 320 });
const [page] = paginate('the quick brown fox█jumps over 13 lazy dogs', [{ from: 4, to: 9 }], format);
const task = () => taskOf(page!, format);
const { png } = paintFrame(task());

describe('decodeFrame', () => {
  test('finds the shape from the picture when none is given', () => {
    expect(decodeFrame(png)).toMatchObject({
      text: page!.text,
      shape: '11on16-bw',
      dim: [{ from: 4, to: 9 }],
    });
  });

  test('reports cells that are no glyph with their place, and reads the rest', () => {
    const painting = paintCells(task().cells, 40, 440, format.atlas.image);
    const stride = 1 + Math.ceil((440 * painting.bitDepth) / 8);
    painting.rows[8 * stride + 1]! ^= 0b0110_0000;
    const read = decodeFrame(encodePng(painting), { shape: '11on16-bw' });
    expect(read.unread).toEqual([{ row: 0, column: 0 }]);
    expect(read.text).toBe(`\ufffd${page!.text.slice(1)}`);
  });

  test.each([
    ['no bytes', new Uint8Array(0), /got another kind of file/],
    ['a file cut in half', png.subarray(0, png.length >> 1), /whole chunks/],
    ['a flipped byte', png.map((byte, i) => (i === 60 ? byte ^ 1 : byte)), /wrong checksum/],
    ['an RGBA picture', PNG.sync.write(new PNG({ width: 44, height: 32 })), /indexed colour/],
  ])('refuses %s with a clear error', (_, file, message) => {
    expect(() => decodeFrame(file, { where: 'x.png' })).toThrow(message);
    expect(() => decodeFrame(file, { where: 'x.png' })).toThrow(/x\.png/);
  });

  test('refuses a frame that no shape reads', () => {
    const painting = paintCells(task().cells, 40, 440, format.atlas.image);
    for (let i = 0; i < painting.rows.length; i++)
      if (i % 111 !== 0) painting.rows[i] = (i * 2654435761) >>> 24;
    expect(() => decodeFrame(encodePng(painting))).toThrow(/match none/);
  });

  test('names the shapes when asked for one that does not exist', () => {
    expect(() => decodeFrame(png, { shape: '11on16' })).toThrow(/11on16-bw/);
  });
});
