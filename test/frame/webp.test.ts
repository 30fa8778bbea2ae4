import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../src/frame/decode.js';
import { paintFrame } from '../../src/frame/frame.js';
import { encodePng } from '../../src/frame/png.js';
import { readPng } from '../../src/frame/read-png.js';
import { taskOf } from '../../src/frame/renderer.js';
import { fromWebp, toWebp } from '../../src/frame/webp.js';
import { pageFormat } from '../../src/page/page-format.js';
import { paginate, type Span } from '../../src/page/paginate.js';
import { getShape, shapes } from '../../src/page/shapes.js';
import { printSegments } from '../../src/text/print.js';
import { serializeHistory } from '../../src/text/serialize.js';
import { readTranscript } from '../../src/transcript/read-transcript.js';

const text = 'the quick brown fox█jumps over 13 lazy dogs 漢字 0O1l';
const inks: [string, readonly Span[]][] = [
  ['black ink', []],
  ['dim ink', [{ from: 4, to: 30 }]],
];
function frameOf(shape: string, dim: readonly Span[], widthPx = 331): Uint8Array {
  const format = pageFormat(getShape(shape), { widthPx, maxHeightPx: 352 });
  return paintFrame(taskOf([...paginate(text, dim, format)][0]!, format)).png;
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error) => error.code,
  );

describe.each(shapes().map(({ id }) => id))('a frame of %s as WebP', (shape) => {
  test.each(inks)('comes back byte for byte in %s, with its shape', async (_, dim) => {
    const png = frameOf(shape, dim);
    const webp = await toWebp(png);
    expect(Buffer.from(webp.subarray(0, 4)).toString()).toBe('RIFF');
    const back = await fromWebp(webp);
    expect(Buffer.compare(back, png)).toBe(0);
    expect(readPng(back).shape).toBe(shape);
    expect(decodeFrame(back)).toEqual(decodeFrame(png));
  });

  test.each(inks)('shows any viewer the pixels of the PNG in %s', async (_, dim) => {
    const png = frameOf(shape, dim);
    const [seen, own] = await Promise.all(
      [await toWebp(png), png].map((file) => sharp(file).raw().toBuffer()),
    );
    expect(Buffer.compare(seen!, own!)).toBe(0);
  });

  test('is read from its pixels where its metadata was lost', async () => {
    for (const [, dim] of inks) {
      const png = frameOf(shape, dim);
      const bare = await sharp(await toWebp(png))
        .webp({ lossless: true })
        .toBuffer();
      const back = await fromWebp(bare);
      expect(readPng(back).rows).toEqual(readPng(png).rows);
      expect(decodeFrame(back, { shape }).text).toBe(decodeFrame(png).text);
    }
  });
});

describe('toWebp', () => {
  test('gives the same bytes every time, whatever the number of threads', async () => {
    const png = frameOf('11on16-bw', inks[1]![1]);
    const before = sharp.concurrency();
    const files: Uint8Array[] = [];
    for (const threads of [1, 4]) {
      sharp.concurrency(threads);
      files.push(...(await Promise.all([toWebp(png), toWebp(png), toWebp(png)])));
    }
    sharp.concurrency(before);
    expect(files.every((file) => Buffer.compare(file, files[0]!) === 0)).toBe(true);
  });

  test('makes real frames smaller, and gives them back', async () => {
    const session = new URL('../fixtures/transcripts/claude-code/session.jsonl', import.meta.url);
    const { history } = await readTranscript(fileURLToPath(session));
    const segments = serializeHistory(history);
    for (const [shape, widthPx] of [
      ['11on16-bw', 1932],
      ['8on22-bw', 1568],
    ] as const) {
      const format = pageFormat(getShape(shape), { widthPx, maxHeightPx: 1568 });
      const printed = printSegments(segments, { coverage: format.coverage });
      for (const page of [...paginate(printed.text, printed.dim, format)].slice(2, 4)) {
        const { png } = paintFrame(taskOf(page, format));
        const webp = await toWebp(png);
        expect(webp.length / png.length).toBeGreaterThan(0.6);
        expect(webp.length / png.length).toBeLessThan(0.85);
        expect(Buffer.compare(await fromWebp(webp), png)).toBe(0);
      }
    }
  });

  test('refuses what is no intact frame, and a frame larger than WebP can hold', async () => {
    const png = frameOf('11on16-bw', []);
    expect(await codeOf(toWebp(png.subarray(0, 80)))).toBe('undecodable-frame');
    expect(await codeOf(toWebp(new Uint8Array(0)))).toBe('undecodable-frame');
    const wide = { widthPx: 16384, heightPx: 1, bitDepth: 1, rows: new Uint8Array(2049) } as const;
    await expect(toWebp(encodePng(wide, 'x'), 'wide.png')).rejects.toMatchObject({ code: 'over-budget' });
  });

  test('refuses a picture whose palette is another', async () => {
    const png = frameOf('11on16-bw', []);
    const inverted = Buffer.from(png);
    const plte = inverted.indexOf('PLTE');
    inverted.set([0, 0, 0, 255, 255, 255], plte + 4);
    inverted.writeUInt32BE(crc32(inverted.subarray(plte, plte + 10)), plte + 10);
    expect(await codeOf(toWebp(inverted))).toBe('undecodable-frame');
  });
});

describe('fromWebp', () => {
  const png = frameOf('11on16-bw', inks[1]![1]);

  test('finds a flipped bit anywhere in the pixels', async () => {
    const webp = await toWebp(png);
    const start = Buffer.from(webp).indexOf('VP8L') + 8;
    const codes = new Set<string>();
    for (let at = start; at < webp.length - 700; at += 97) {
      const flipped = webp.map((byte, i) => (i === at ? byte ^ 4 : byte));
      codes.add(await codeOf(fromWebp(flipped)));
    }
    expect([...codes]).toEqual(['undecodable-frame']);
  });

  test('refuses a file cut anywhere', async () => {
    const webp = await toWebp(png);
    for (const bytes of [0, 3, 11, 12, 20, 200, webp.length >> 1, webp.length - 1]) {
      expect(await codeOf(fromWebp(webp.subarray(0, bytes)))).toBe('undecodable-frame');
    }
  });

  test('refuses other pictures, and names the file', async () => {
    const blank = { create: { width: 22, height: 16, channels: 3, background: '#ff8000' } } as const;
    await expect(fromWebp(png, 'a.webp')).rejects.toThrow(/a WebP file.*\(a\.webp\)/);
    const orange = await sharp(blank).webp({ lossless: true }).toBuffer();
    await expect(fromWebp(orange, 'a.webp')).rejects.toThrow(/white, black and grey.*\(a\.webp\)/);
    const lossy = await sharp(png).webp({ quality: 50 }).toBuffer();
    expect(await codeOf(fromWebp(lossy))).toBe('undecodable-frame');
    const clear = await sharp({ create: { ...blank.create, channels: 4, background: '#0000' } })
      .webp({ lossless: true })
      .toBuffer();
    await expect(fromWebp(clear)).rejects.toThrow(/without transparency/);
  });

  test('refuses a small file that would open into a huge picture', async () => {
    const huge = Buffer.alloc(64);
    huge.write('RIFF\0\0\0\0WEBPVP8L', 'latin1');
    huge.writeUInt32LE(huge.length - 8, 4);
    huge.writeUInt32LE(huge.length - 20, 16);
    huge[20] = 0x2f;
    huge.writeUInt32LE(16382 | (16382 << 14), 21);
    await expect(fromWebp(huge)).rejects.toThrow(/at most 67108864 pixels/);
  });
});
