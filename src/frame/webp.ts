/**
 * A frame's PNG file ⇄ lossless WebP, for callers who pay by the byte.
 *
 * Pixels stay as they are in both directions. WebP has neither a palette that survives decoding nor a checksum over
 * its pixels, so shape, bit depth and a checksum travel beside them as XMP; a file that lost its XMP on the way is
 * still read from its pixels alone.
 */
import { crc32 } from 'node:zlib';
import { SnapcompactError } from '../errors.js';
import type { Painting } from './paint.js';
import { encodePng, palette } from './png.js';
import { readPng } from './read-png.js';

/**
 * The one setting of libwebp's effort that matters here is the quality, which for lossless files is the time spent on
 * the search for repeats. An effort of 5 costs four times the time of 2 and 6 thirty times, for 0.1 % of the bytes.
 */
const settings = { lossless: true, quality: 100, effort: 2 };

/** The form's own limit. */
const MAX_SIDE_PX = 16383;
/** Decoders hold three bytes for each pixel: more is refused before 200 MB are asked for. */
const MAX_PIXELS = 1 << 26;

/**
 * Encodes a frame of ours; about 0.8 of the PNG's bytes, and half a second for a full frame of 1932×1932. The same
 * PNG gives the same bytes on one build of libwebp. Throws `undecodable-frame` for what is not an intact frame of
 * ours, `over-budget` for one larger than WebP can hold; `where` names the file.
 */
export async function toWebp(png: Uint8Array, where?: string): Promise<Uint8Array<ArrayBuffer>> {
  const painting = readPng(png, where);
  const { widthPx, heightPx } = painting;
  if (!fits(widthPx, heightPx)) throw tooLarge(widthPx, heightPx, where);
  const sharp = await loadSharp();
  const rgb = await sharp(png).toColourspace('srgb').removeAlpha().raw().toBuffer();
  // A palette of another kind would not come back as it was.
  if (!sameBytes(packPixels(rgb, widthPx, heightPx, painting.bitDepth), painting.rows)) {
    throw failureAt(where)('a palette of white, black and grey', 'other colours');
  }
  const raw = { width: widthPx, height: heightPx, channels: 3 } as const;
  const webp = await sharp(rgb, { raw })
    .webp(settings)
    .withXmp(packetOf(painting, painting.shape ?? ''))
    .toBuffer();
  return Uint8Array.from(webp);
}

/**
 * The frame as a PNG again: byte for byte the one it was made from, on the same build of Node. Throws
 * `undecodable-frame` for a file that is damaged or no frame of ours; `where` names the file.
 */
export async function fromWebp(webp: Uint8Array, where?: string): Promise<Uint8Array<ArrayBuffer>> {
  const fail = failureAt(where);
  checkContainer(webp, fail);
  const { width, height, xmp, rgb } = await readPixels(webp, fail);
  const packet = readPacket(xmp);
  const bitDepth = packet?.bitDepth ?? (rgb.includes(palette[2]![0]) ? 2 : 1);
  const rows = packPixels(rgb, width, height, bitDepth);
  if (rows === undefined) throw fail('pixels in white, black and grey', 'other colours');
  if (packet !== undefined && crc32(rows) !== packet.checksum) {
    throw fail('intact pixels', 'pixels with a wrong checksum');
  }
  return encodePng({ widthPx: width, heightPx: height, bitDepth, rows }, packet?.shape ?? '');
}

/** Heavy and native: loaded by the first frame that needs it. */
const loadSharp = async () => (await import('sharp')).default;

const fits = (widthPx: number, heightPx: number) =>
  Math.max(widthPx, heightPx) <= MAX_SIDE_PX && widthPx * heightPx <= MAX_PIXELS;

type Fail = (expected: string, got: string, cause?: unknown) => SnapcompactError;

function failureAt(where: string | undefined): Fail {
  return (expected, got, cause) =>
    new SnapcompactError('undecodable-frame', {
      expected,
      of: 'a frame',
      got,
      ...(where !== undefined && { where }),
      ...(cause !== undefined && { cause }),
    });
}

function tooLarge(widthPx: number, heightPx: number, where: string | undefined): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${MAX_SIDE_PX} pixels a side and ${MAX_PIXELS} in all`,
    of: 'a frame as WebP',
    got: `${widthPx}×${heightPx}`,
    ...(where !== undefined && { where }),
    hint: 'keep it as PNG',
  });
}

/** Decoders make do with half a file; one that is cut must not pass. */
function checkContainer(webp: Uint8Array, fail: Fail): void {
  const word = (at: number) => String.fromCharCode(...webp.subarray(at, at + 4));
  if (word(0) !== 'RIFF' || word(8) !== 'WEBP') throw fail('a WebP file', 'another kind of file');
  const stated = new DataView(webp.buffer, webp.byteOffset).getUint32(4, true) + 8;
  if (stated !== webp.length) throw fail(`${stated} bytes, as the file states`, `${webp.length}`);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three bytes per pixel. */
  readonly rgb: Uint8Array;
  readonly xmp: string | undefined;
}

async function readPixels(webp: Uint8Array, fail: Fail): Promise<Pixels> {
  const sharp = await loadSharp();
  try {
    const picture = sharp(webp, { failOn: 'warning', limitInputPixels: false });
    const { width, height, channels, pages = 1, xmp } = await picture.metadata();
    if (channels !== 3 || pages > 1) throw fail('one picture without transparency', 'another kind of WebP');
    if (!fits(width, height)) throw fail(`at most ${MAX_PIXELS} pixels`, `${width}×${height}`);
    const rgb = await picture.raw().toBuffer();
    return { width, height, rgb, xmp: xmp?.toString() };
  } catch (cause) {
    if (cause instanceof SnapcompactError) throw cause;
    throw fail('pixels that decode', cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Palette index by grey value; anything else is no colour of ours. */
const NO_COLOUR = 255;
const indexOfGrey = new Uint8Array(256).fill(NO_COLOUR);
for (const [index, [grey]] of palette.entries()) indexOfGrey[grey] = index;

/** Rows as a `Painting` has them; undefined when a pixel is in no colour that the bit depth has. [hot] Per pixel. */
function packPixels(
  rgb: Uint8Array,
  widthPx: number,
  heightPx: number,
  bitDepth: Painting['bitDepth'],
): Uint8Array | undefined {
  const stride = 1 + Math.ceil((widthPx * bitDepth) / 8);
  const rows = new Uint8Array(stride * heightPx);
  let seen = 0;
  let at = 0;
  for (let y = 0; y < heightPx; y++) {
    let o = y * stride + 1;
    let pending = 0;
    let shift = 8;
    for (let x = 0; x < widthPx; x++, at += 3) {
      const grey = rgb[at]!;
      if (rgb[at + 1] !== grey || rgb[at + 2] !== grey) return undefined;
      const index = indexOfGrey[grey]!;
      seen |= index;
      shift -= bitDepth;
      pending |= index << shift;
      if (shift > 0) continue;
      rows[o++] = pending;
      pending = 0;
      shift = 8;
    }
    if (shift < 8) rows[o] = pending;
  }
  return seen >> bitDepth === 0 ? rows : undefined;
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}

interface Packet {
  readonly shape: string;
  readonly bitDepth: Painting['bitDepth'];
  /** CRC-32 of the painting's rows. */
  readonly checksum: number;
}

const NAMESPACE = 'urn:snapcompact:frame';

function packetOf({ bitDepth, rows }: Painting, shape: string): string {
  const checksum = crc32(rows).toString(16).padStart(8, '0');
  return (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description xmlns:s="${NAMESPACE}" ` +
    `s:shape="${encodeURIComponent(shape)}" s:bits="${bitDepth}" s:crc32="${checksum}"/></rdf:RDF></x:xmpmeta>`
  );
}

const packetPattern = new RegExp(
  `xmlns:s="${NAMESPACE}" s:shape="([^"]*)" s:bits="([12])" s:crc32="([0-9a-f]{8})"`,
);

/** What a packet of ours says; anything else counts as none. */
function readPacket(xmp: string | undefined): Packet | undefined {
  const match = packetPattern.exec(xmp ?? '');
  if (match === null) return undefined;
  const [, shape, bits, checksum] = match;
  return {
    shape: decoded(shape!),
    bitDepth: bits === '1' ? 1 : 2,
    checksum: Number.parseInt(checksum!, 16),
  };
}

function decoded(shape: string): string {
  try {
    return decodeURIComponent(shape);
  } catch {
    return '';
  }
}
