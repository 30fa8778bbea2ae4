/**
 * A frame's PNG file → packed pixels, the inverse of `png.ts`.
 *
 * Reads what the encoder writes: indexed colour, 1 or 2 bits, no interlace, filter 0 on every row. Any other file is a
 * clear error that says what it is.
 */
import { crc32, inflateSync } from 'node:zlib';
import { SnapcompactError } from '../errors.js';
import type { Painting } from './paint.js';
import { pngSignature, SHAPE_KEYWORD } from './png.js';

export interface ReadPainting extends Painting {
  /** The shape that the file names. */
  readonly shape?: string;
}

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Throws `undecodable-frame` for anything that is not an intact frame of ours; `where` names the file. */
export function readPng(png: Uint8Array, where?: string): ReadPainting {
  const fail = failureAt(where);
  if (!pngSignature.every((byte, i) => png[i] === byte)) throw fail('a PNG file', 'another kind of file');
  const chunks = readChunks(png, fail);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header?.length !== 13) throw fail('an IHDR chunk of 13 bytes', `${header?.length ?? 'no'} bytes`);
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const widthPx = view.getUint32(0);
  const heightPx = view.getUint32(4);
  const [bitDepth, colourType, , , interlace] = header.subarray(8);
  if (colourType !== 3 || (bitDepth !== 1 && bitDepth !== 2) || interlace !== 0) {
    throw fail(
      'indexed colour of 1 or 2 bits, not interlaced',
      `colour type ${colourType}, ${bitDepth} bits`,
    );
  }
  const stride = 1 + Math.ceil((widthPx * bitDepth) / 8);
  const rows = inflateRows(chunks, stride * heightPx, fail);
  for (let at = 0; at < rows.length; at += stride) {
    if (rows[at] !== 0) throw fail('filter 0 on every row', `filter ${rows[at]} on row ${at / stride}`);
  }
  const shape = shapeNamed(chunks);
  return { widthPx, heightPx, bitDepth, rows, ...(shape !== undefined && { shape }) };
}

function shapeNamed(chunks: readonly Chunk[]): string | undefined {
  const texts = chunks
    .filter(({ type }) => type === 'tEXt')
    .map(({ data }) => Buffer.from(data).toString('latin1'));
  const prefix = `${SHAPE_KEYWORD}\0`;
  return texts.find((text) => text.startsWith(prefix))?.slice(prefix.length);
}

type Fail = (expected: string, got: string) => SnapcompactError;

function failureAt(where: string | undefined): Fail {
  return (expected, got) =>
    new SnapcompactError('undecodable-frame', {
      expected,
      of: 'a frame',
      got,
      ...(where === undefined ? {} : { where }),
    });
}

function readChunks(png: Uint8Array, fail: Fail): Chunk[] {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const chunks: Chunk[] = [];
  let at = pngSignature.length;
  while (at < png.length) {
    const size = at + 12 <= png.length ? view.getUint32(at) : Number.POSITIVE_INFINITY;
    if (at + 12 + size > png.length)
      throw fail('whole chunks', `a file that ends in one, after ${png.length} bytes`);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (crc32(png.subarray(at + 4, at + 8 + size)) !== view.getUint32(at + 8 + size)) {
      throw fail('intact chunks', `a ${type} chunk with a wrong checksum`);
    }
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + size) });
    if (type === 'IEND') return chunks;
    at += 12 + size;
  }
  throw fail('an IEND chunk', 'none');
}

/** Frames are at most 16384 pixels on a side: more is not ours, and is refused before memory is asked for. */
const MAX_PIXEL_BYTES = 16384 * (1 + 16384 / 4);

function inflateRows(chunks: readonly Chunk[], expectedBytes: number, fail: Fail): Uint8Array {
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  if (expectedBytes > MAX_PIXEL_BYTES)
    throw fail('at most 16384 pixels a side', `${expectedBytes} bytes of pixels`);
  let rows: Uint8Array;
  try {
    rows = inflateSync(data, { maxOutputLength: expectedBytes + 1 });
  } catch (cause) {
    throw fail('pixels that inflate', cause instanceof Error ? cause.message : String(cause));
  }
  if (rows.length !== expectedBytes) throw fail(`${expectedBytes} bytes of pixels`, `${rows.length}`);
  return rows;
}
