/**
 * Packed pixels → a PNG file.
 *
 * Indexed colour, no interlace, filter 0 on every row, one IDAT. Filters other than 0 make bitmap text larger: glyph
 * rows repeat across a frame, and zlib finds the repeats best in the bytes as they are.
 */
import { crc32, deflateSync } from 'node:zlib';
import type { Painting } from './paint.js';

/** Paper, ink, dim ink. */
export const palette: readonly (readonly [number, number, number])[] = [
  [255, 255, 255],
  [0, 0, 0],
  [128, 128, 128],
];

export const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Keyword of the text chunk that names the shape, so that a frame can be read without being told. */
export const SHAPE_KEYWORD = 'snapcompact';

/** Room for the data of a full frame, so that zlib neither stops on the way nor copies the parts together. */
const ONE_CHUNK_BYTES = 1 << 18;

/** Encodes one frame. The same painting gives the same bytes on one build of Node. */
export function encodePng(
  { widthPx, heightPx, bitDepth, rows }: Painting,
  shape: string,
): Uint8Array<ArrayBuffer> {
  const colours = bitDepth === 1 ? palette.slice(0, 2) : palette;
  const data = deflateSync(rows, { level: 6, memLevel: 9, chunkSize: ONE_CHUNK_BYTES });
  return joinChunks([
    ['IHDR', header(widthPx, heightPx, bitDepth)],
    ['PLTE', Uint8Array.from(colours.flat())],
    ['tEXt', Buffer.from(`${SHAPE_KEYWORD}\0${shape}`, 'latin1')],
    ['IDAT', data],
    ['IEND', new Uint8Array(0)],
  ]);
}

function header(widthPx: number, heightPx: number, bitDepth: number): Uint8Array {
  const bytes = new Uint8Array(13);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, widthPx);
  view.setUint32(4, heightPx);
  const indexedColour = 3;
  bytes.set([bitDepth, indexedColour, 0, 0, 0], 8);
  return bytes;
}

/** A chunk is its length, its type, its data, and the CRC of type and data. */
function joinChunks(chunks: readonly (readonly [string, Uint8Array])[]): Uint8Array<ArrayBuffer> {
  const total = chunks.reduce((sum, [, data]) => sum + data.length + 12, pngSignature.length);
  const file = new Uint8Array(total);
  const view = new DataView(file.buffer);
  file.set(pngSignature);
  let at = pngSignature.length;
  for (const [type, data] of chunks) {
    view.setUint32(at, data.length);
    for (let i = 0; i < 4; i++) file[at + 4 + i] = type.charCodeAt(i);
    file.set(data, at + 8);
    view.setUint32(at + 8 + data.length, crc32(file.subarray(at + 4, at + 8 + data.length)));
    at += data.length + 12;
  }
  return file;
}
