/** What `inspect` says of a frame. */
import { SnapcompactError } from '../errors.js';
import { type DecodedFrame, decodeFrame } from '../frame/decode.js';
import { readPng } from '../frame/read-png.js';
import { readInput } from '../read-input.js';
import { type CommonOptions, type Io, number, plural, print } from './io.js';
import { report } from './report.js';

export interface InspectedFrame
  extends Pick<DecodedFrame, 'shape' | 'columnsCells' | 'rowsCells' | 'unread'> {
  readonly kind: 'frame';
  readonly path: string;
  readonly mime: 'image/png' | 'image/webp';
  readonly bytes: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitDepth: 1 | 2;
  /** The shape that the file names; `null`: none, and `shape` was found from the pixels. */
  readonly namedShape: string | null;
  readonly chars: number;
  readonly dimChars: number;
  readonly firstLine: string;
}

export async function showFrame(
  path: string,
  kind: 'png' | 'webp',
  options: CommonOptions,
  io: Io,
): Promise<void> {
  const frame = await inspectedFrame(path, kind).catch((error: unknown) => {
    const isOther = error instanceof SnapcompactError && error.code === 'undecodable-frame';
    throw isOther ? new SnapcompactError('unrecognised-format', { ...error.complaint, cause: error }) : error;
  });
  print(io, options, frame, () => frameText(frame));
}

async function inspectedFrame(path: string, kind: 'png' | 'webp'): Promise<InspectedFrame> {
  const file = await readInput(path, 'a frame');
  const png = kind === 'png' ? file : await (await import('../frame/webp.js')).fromWebp(file, path);
  const { widthPx, heightPx, bitDepth, shape: named } = readPng(png, path);
  const { text, dim, shape, columnsCells, rowsCells, unread } = decodeFrame(png, { where: path });
  return {
    kind: 'frame',
    path,
    mime: `image/${kind}`,
    bytes: file.length,
    widthPx,
    heightPx,
    bitDepth,
    // A WebP that lost its name on the way comes back with an empty one.
    namedShape: named || null,
    shape,
    columnsCells,
    rowsCells,
    chars: text.length,
    dimChars: dim.reduce((sum, { from, to }) => sum + to - from, 0),
    unread,
    firstLine: text.slice(0, text.includes('█') ? text.indexOf('█') : undefined),
  };
}

function frameText(frame: InspectedFrame): string {
  const { unread, firstLine } = frame;
  const first = unread[0];
  const where = first === undefined ? '' : `, the first at row ${first.row + 1} column ${first.column + 1}`;
  return report(`${frame.path}: a frame`, [
    ['size', `${frame.widthPx}×${frame.heightPx} pixels, ${plural(frame.bitDepth, 'bit')} each`],
    ['bytes', `${number(frame.bytes)} of ${frame.mime}`],
    [
      'shape',
      `${frame.shape} (${frame.namedShape === frame.shape ? 'named in the file' : 'found from the pixels'})`,
    ],
    ['cells', `${plural(frame.columnsCells, 'column')}, ${plural(frame.rowsCells, 'row')}`],
    ['characters', `${number(frame.chars)}, ${number(frame.dimChars)} of them dim`],
    ['unread', unread.length === 0 ? 'none' : `${plural(unread.length, 'cell')}${where}`],
    ['first line', firstLine.length > SHOWN_CHARS ? `${firstLine.slice(0, SHOWN_CHARS)}…` : firstLine],
  ]);
}

const SHOWN_CHARS = 100;
