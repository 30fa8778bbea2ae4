/** `snapcompact decode`: frames in, their text on stdout. */
import { exitCodes } from '../errors.js';
import { type DecodedFrame, decodeFrame } from '../frame/decode.js';
import { readInput } from '../read-input.js';
import { type CommonOptions, type Io, print } from './io.js';

export interface DecodeCommandOptions extends CommonOptions {
  readonly shape?: string;
  readonly lines?: boolean;
}

/** Returns the exit code: 0, or 5 when a cell could not be read. A file that is no frame throws. */
export async function decodeCommand(
  files: readonly string[],
  options: DecodeCommandOptions,
  io: Io,
): Promise<number> {
  const decoded: ({ file: string } & DecodedFrame)[] = [];
  for (const file of files) {
    const png = await readInput(file, 'a frame');
    const shape = options.shape === undefined ? {} : { shape: options.shape };
    decoded.push({ file, ...decodeFrame(png, { ...shape, where: file }) });
  }
  print(io, options, decoded, () => decoded.map(({ text }) => `${shownText(text, options)}\n`).join(''));
  const unread = decoded.filter((frame) => frame.unread.length > 0);
  for (const { file, unread: cells, shape } of unread) {
    const { row, column } = cells[0]!;
    io.err(
      `snapcompact: ${file}: ${cells.length} cells are no glyph of ${shape}, first row ${row + 1} column ${column + 1}\n`,
    );
  }
  return unread.length > 0 ? exitCodes['undecodable-frame'] : 0;
}

function shownText(text: string, { lines }: DecodeCommandOptions): string {
  return lines ? text.replaceAll('█', '\n') : text;
}
