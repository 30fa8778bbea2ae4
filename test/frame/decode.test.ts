import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../src/frame/decode.js';
import { paintFrame } from '../../src/frame/frame.js';
import { paintCells } from '../../src/frame/paint.js';
import { encodePng } from '../../src/frame/png.js';
import { taskOf } from '../../src/frame/renderer.js';
import { pageFormat } from '../../src/page/page-format.js';
import { paginate } from '../../src/page/paginate.js';
import { getShape, shapes } from '../../src/page/shapes.js';

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

  test.each(shapes().map(({ id }) => id))(
    'finds %s from the pixels alone, also for text of wide characters',
    (id) => {
      const wide = pageFormat(getShape(id), { widthPx: 704, maxHeightPx: 352 });
      for (const text of [
        '漢字'.repeat(300),
        `ab ${'配置文件已更新'.repeat(40)}`,
        'plain words '.repeat(20).trim(),
      ]) {
        const [first] = paginate(text, [], wide);
        const own = taskOf(first!, wide);
        const unnamed = encodePng(paintCells(own.cells, own.columnsCells, own.widthPx, own.atlas), 'none');
        expect(decodeFrame(unnamed)).toMatchObject({ text: first!.text, shape: id });
        expect(decodeFrame(paintFrame(own).png)).toMatchObject({ text: first!.text, shape: id });
      }
    },
  );

  test('trusts the shape that the picture names where its pixels read as two', () => {
    const dense = pageFormat(getShape('8on16-bw'), { widthPx: 704, maxHeightPx: 352 });
    const [first] = paginate('│ │', [], dense);
    expect(decodeFrame(paintFrame(taskOf(first!, dense)).png)).toMatchObject({
      text: '│ │',
      shape: '8on16-bw',
    });
  });

  test('sees dim ink in either half of a wide character', () => {
    const text = 'a（b';
    const [first] = paginate(text, [{ from: 1, to: 2 }], format);
    expect(decodeFrame(paintFrame(taskOf(first!, format)).png)).toMatchObject({
      text,
      dim: [{ from: 1, to: 2 }],
    });
  });

  test('reports cells that are no glyph with their place, and reads the rest', () => {
    const painting = paintCells(task().cells, 40, 440, format.atlas.image);
    const stride = 1 + Math.ceil((440 * painting.bitDepth) / 8);
    painting.rows[8 * stride + 1]! ^= 0b0110_0000;
    const read = decodeFrame(encodePng(painting, ''), { shape: '11on16-bw' });
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
    expect(() => decodeFrame(encodePng(painting, ''))).toThrow(/match none/);
  });

  test('names the shapes when asked for one that does not exist', () => {
    expect(() => decodeFrame(png, { shape: '11on16' })).toThrow(/11on16-bw/);
  });
});
