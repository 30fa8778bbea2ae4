import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../src/frame/decode.js';
import { paintFrame } from '../../src/frame/frame.js';
import { paintCells } from '../../src/frame/paint.js';
import { encodePng, palette } from '../../src/frame/png.js';
import { taskOf } from '../../src/frame/renderer.js';
import { type PageFormat, pageFormat } from '../../src/page/page-format.js';
import { type Page, paginate, type Span } from '../../src/page/paginate.js';
import { getShape, shapes } from '../../src/page/shapes.js';
import { escapeMarks } from '../../src/text/escape.js';
import { normalizeText } from '../../src/text/normalize.js';
import { awkwardText, coverage } from '../support/text-samples.js';

const small = { widthPx: 200, maxHeightPx: 132 };
const normalText = awkwardText.map((text) => normalizeText(text, { coverage }).text);
const spans = fc
  .array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 30 })), { maxLength: 4 })
  .map((gaps) => {
    let at = 0;
    return gaps.map(([gap, length]) => {
      const from = at + gap;
      at = from + length;
      return { from, to: at };
    });
  });

function framesOf(text: string, dim: readonly Span[], format: PageFormat): { page: Page; png: Uint8Array }[] {
  return [...paginate(text, dim, format)].map((page) => ({
    page,
    png: paintFrame(taskOf(page, format)).png,
  }));
}

describe.each(shapes().map(({ id }) => id))('a frame of %s', (id) => {
  const format = pageFormat(getShape(id), small);

  test('decodes to the page it was printed from, for any normal text, and pages join to the text', () => {
    fc.assert(
      fc.property(normalText, spans, (text, dim) => {
        const decoded = framesOf(text, dim, format).map(({ page, png }) => {
          const read = decodeFrame(png, { shape: id });
          expect(read.unread).toEqual([]);
          expect(read.text).toBe(page.text);
          return read.text;
        });
        expect(decoded.join('')).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  test('shows dim ink exactly where the text is dim, across page edges', () => {
    fc.assert(
      fc.property(normalText, spans, (text, dim) => {
        for (const { page, png } of framesOf(text, dim, format)) {
          const read = decodeFrame(png, { shape: id });
          expect(inkOf(page.text, read.dim)).toEqual(inkOf(page.text, page.dim));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('is a PNG that pngjs decodes to the painted pixels', () => {
    fc.assert(
      fc.property(normalText, spans, (text, dim) => {
        for (const page of paginate(text, dim, format)) {
          const task = taskOf(page, format);
          const painting = paintCells(task.cells, task.columnsCells, task.widthPx, task.atlas);
          const png = PNG.sync.read(Buffer.from(encodePng(painting, id)));
          expect([png.width, png.height]).toEqual([painting.widthPx, painting.heightPx]);
          expect(greysOf(png)).toEqual(greysOfPainting(painting));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('keeps zero and O apart: B07', () => {
    const { text } = normalizeText('ids: C0O0O00O CO0OO0 0xO0', { coverage });
    const [frame] = framesOf(text, [], format);
    expect(decodeFrame(frame!.png).text).toBe(text);
  });
});

/** Per inked character: whether it is dim. */
function inkOf(text: string, dim: readonly Span[]): boolean[] {
  return [...text.matchAll(/[^ ]/gu)].map(({ index }) =>
    dim.some(({ from, to }) => index >= from && index < to),
  );
}

function greysOf(png: PNG): number[] {
  return Array.from({ length: png.width * png.height }, (_, i) => png.data[i * 4]!);
}

function greysOfPainting({ widthPx, heightPx, bitDepth, rows }: ReturnType<typeof paintCells>): number[] {
  const stride = 1 + Math.ceil((widthPx * bitDepth) / 8);
  return Array.from({ length: widthPx * heightPx }, (_, i) => {
    const [x, y] = [i % widthPx, Math.floor(i / widthPx)];
    const bit = x * bitDepth;
    const byte = rows[y * stride + 1 + (bit >> 3)]!;
    return palette[(byte >> (8 - bitDepth - (bit & 7))) & (2 ** bitDepth - 1)]![0];
  });
}

describe('pages', () => {
  test('stay at 1 bit when nothing but white space is dim', () => {
    const format = pageFormat(getShape('8on16-bw'), small);
    const [page] = paginate('ab cd', [{ from: 2, to: 3 }], format);
    expect(paintFrame(taskOf(page!, format)).bitDepth).toBe(1);
  });

  test('are bounded by rows and columns, and lose no line and no dim span: B09', () => {
    const lines = [...Array.from({ length: 200 }, (_, i) => String(i).padStart(3, '0')), 'x'.repeat(5000)];
    const text = lines.join('█');
    const dim = [{ from: text.indexOf('090'), to: text.indexOf('131') }];
    const format = pageFormat(getShape('11on16-bw'), { widthPx: 110, maxHeightPx: 1600 });
    const read = framesOf(text, dim, format).map(({ png }) => decodeFrame(png, { shape: '11on16-bw' }));
    expect(read.length).toBeGreaterThan(4);
    expect(
      read
        .map((frame) => frame.text)
        .join('')
        .split('█'),
    ).toEqual(lines);
    const ink = read.flatMap((frame) => inkOf(frame.text, frame.dim));
    expect(ink).toEqual(inkOf(text, dim));
  });

  test('stay the same when text is added at the end', () => {
    const format = pageFormat(getShape('8on16-bw'), small);
    const base = normalizeText(escapeMarks('一二三 four five\n'.repeat(200)), { coverage }).text;
    const before = [...paginate(base, [], format)];
    const after = [...paginate(`${base}█more 文字`, [], format)];
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  });

  test('hold a row of wide characters that needs a pad, and hug the rows they use', () => {
    const format = pageFormat(getShape('8on16-bw'), { widthPx: 40, maxHeightPx: 160 });
    const [page] = paginate('漢字 漢字漢 a', [], format);
    expect(page).toMatchObject({ text: '漢字 漢字漢 a', rowsUsed: 3 });
    expect(decodeFrame(paintFrame(taskOf(page!, format)).png, { shape: '8on16-bw' }).text).toBe(
      '漢字 漢字漢 a',
    );
  });
});
