/**
 * The stored pictures of an Oh-My-Pi archive → PNG files that are whole, or the reason why there is none.
 *
 * Stores have damaged them: a limit on strings cut the base64 and set a notice behind it, base64 was encoded a second
 * time, and a reference to a blob stood where data should. Nothing passes that is not a complete PNG.
 */
import { createHash } from 'node:crypto';
import { crc32, inflateSync } from 'node:zlib';

export type OmpFrame =
  | {
      readonly kind: 'image';
      /** A complete PNG file. */
      readonly data: Uint8Array<ArrayBuffer>;
      readonly widthPx: number;
      readonly heightPx: number;
    }
  | { readonly kind: 'missing'; readonly reason: string };

/** Bytes of a blob by its hex digest; undefined when there is none. */
export type BlobSource = (sha256: string) => Uint8Array | undefined;

/** What Oh-My-Pi sets behind a string that it cut. */
export const TRUNCATION_NOTICE = '[Session persistence truncated large content]';

export interface ReadFrame {
  readonly frame: OmpFrame;
  /** What was wrong, also where it could be repaired. */
  readonly problem?: string;
}

/** The picture in a frame's `data`. */
export function readOmpFrame(data: string, blobs: BlobSource | undefined): ReadFrame {
  if (data.trimEnd().endsWith(TRUNCATION_NOTICE))
    return missing('its data was cut when the session was stored');
  const reference = /^blob:sha256:([0-9a-f]{64})$/i.exec(data)?.[1]?.toLowerCase();
  if (reference !== undefined) return fromBlob(reference, blobs);
  if (data.startsWith('blob:')) return missing('it is a reference of an unknown form');
  const bytes = decodeBase64(data);
  return bytes === undefined ? missing('its data is no base64') : fromBytes(bytes);
}

function missing(reason: string): ReadFrame {
  return { frame: { kind: 'missing', reason }, problem: reason };
}

function fromBlob(sha256: string, blobs: BlobSource | undefined): ReadFrame {
  const bytes = blobs?.(sha256);
  if (bytes === undefined) return missing(`blob ${sha256} is not at hand`);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return digest === sha256
    ? fromBytes(bytes)
    : missing(`blob ${sha256} holds other bytes, with sha256 ${digest}`);
}

function fromBytes(bytes: Uint8Array): ReadFrame {
  const inner = decodeBase64(Buffer.from(bytes).toString('latin1'));
  const found = inspectPng(inner ?? bytes);
  if (typeof found === 'string') return missing(found);
  const frame: OmpFrame = { kind: 'image', data: Uint8Array.from(inner ?? bytes), ...found };
  return inner === undefined ? { frame } : { frame, problem: 'its data was base64 of base64; repaired' };
}

/** Strict: `Buffer` alone passes over what is no base64. A PNG is never base64 itself, as its first byte shows. */
function decodeBase64(text: string): Uint8Array | undefined {
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

const signature = '\x89PNG\r\n\x1a\n';

/** Size of a complete PNG, or what is wrong with it. */
function inspectPng(png: Uint8Array): { widthPx: number; heightPx: number } | string {
  const file = Buffer.from(png.buffer, png.byteOffset, png.length);
  if (file.toString('latin1', 0, 8) !== signature) return 'its data is no PNG';
  const pixels: Buffer[] = [];
  let at = 8;
  for (let type = ''; type !== 'IEND'; ) {
    const size = at + 12 <= file.length ? file.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    const end = at + 12 + size;
    if (end > file.length) return 'its PNG is cut';
    type = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 4, end - 4);
    if (crc32(body) !== file.readUInt32BE(end - 4)) return `its PNG has a damaged ${type} chunk`;
    if (at === 8 && (type !== 'IHDR' || size !== 13)) return 'its PNG has no header';
    if (type === 'IDAT') pixels.push(body.subarray(4));
    at = end;
  }
  if (at !== file.length) return 'its PNG has bytes behind its end';
  return inspectPixels(file.subarray(16, 29), pixels);
}

const channelsOfColour: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const MAX_SIDE_PX = 16384;
/** More than any frame has in colour: refused before memory is asked for. */
const MAX_PIXEL_BYTES = 1 << 27;

function inspectPixels(
  header: Buffer,
  parts: readonly Buffer[],
): { widthPx: number; heightPx: number } | string {
  const widthPx = header.readUInt32BE(0);
  const heightPx = header.readUInt32BE(4);
  const sides = [widthPx, heightPx];
  if (sides.some((side) => side < 1 || side > MAX_SIDE_PX)) return `its PNG states ${sides.join('×')} pixels`;
  const [bitDepth, colour, , , interlace] = header.subarray(8);
  const channels = channelsOfColour[colour!];
  if (channels === undefined || ![1, 2, 4, 8].includes(bitDepth!) || interlace !== 0) {
    return 'its PNG is of a form that no frame has';
  }
  const expectedBytes = (1 + Math.ceil((widthPx * channels * bitDepth!) / 8)) * heightPx;
  if (expectedBytes > MAX_PIXEL_BYTES) return `its PNG states ${expectedBytes} bytes of pixels`;
  try {
    const bytes = inflateSync(Buffer.concat(parts), { maxOutputLength: expectedBytes + 1 }).length;
    if (bytes !== expectedBytes) return `its PNG has ${bytes} bytes of pixels instead of ${expectedBytes}`;
  } catch {
    return 'its PNG has pixels that do not inflate';
  }
  return { widthPx, heightPx };
}
