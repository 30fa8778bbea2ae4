/** `snapcompact decode`: frames in, their text on stdout. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodes, SnapcompactError, systemReason } from '../errors.js';
import { type DecodedFrame, decodeFrame } from '../frame/decode.js';
import { readInput } from '../read-input.js';
import { type CommonOptions, type Io, onOneLine, print } from './io.js';

export interface DecodeCommandOptions extends CommonOptions {
  readonly shape?: string;
  readonly lines?: boolean;
}

type Decoded = { readonly file: string } & DecodedFrame;

interface Failed {
  readonly file: string;
  readonly error: { readonly code: string; readonly message: string };
}

/**
 * A folder stands for the frames in it. One bad file does not stop the others. Returns the exit code: 0, 5 when a cell
 * or a whole file could not be decoded, 3 when a file could not be read.
 */
export async function decodeCommand(
  given: readonly string[],
  options: DecodeCommandOptions,
  io: Io,
): Promise<number> {
  let exitCode = 0;
  const results: (Decoded | Failed)[] = [];
  for (const file of (await Promise.all(given.map(framesAt))).flat()) {
    try {
      const decoded = await decodeFile(file, options);
      results.push(decoded);
      if (!options.json) io.out(`${shownText(decoded.text, options)}\n`);
      if (decoded.unread.length > 0) {
        io.err(`snapcompact: ${onOneLine(unreadLine(decoded))}\n`);
        exitCode = exitCodes['undecodable-frame'];
      }
    } catch (error) {
      if (!(error instanceof SnapcompactError) || error.code === 'unknown-shape') throw error;
      io.err(`snapcompact: ${onOneLine(error.message)}\n`);
      results.push({ file, error: { code: error.code, message: error.message } });
      exitCode = error.exitCode;
    }
  }
  if (options.json) print(io, options, results, () => '');
  return exitCode;
}

async function decodeFile(file: string, { shape }: DecodeCommandOptions): Promise<Decoded> {
  const bytes = await readInput(file, 'a frame');
  const png = isWebp(file) ? await (await import('../frame/webp.js')).fromWebp(bytes, file) : bytes;
  return { file, ...decodeFrame(png, { ...(shape !== undefined && { shape }), where: file }) };
}

function isWebp(name: string): boolean {
  return name.toLowerCase().endsWith('.webp');
}

/** The frames of an archive folder, or the PNG and WebP files of any other; a file stands for itself. */
async function framesAt(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const names = (await readFolder(path)).sort();
  if (names.includes('manifest.json') && names.includes('frames')) return framesAt(join(path, 'frames'));
  const frames = names
    .filter((name) => name.toLowerCase().endsWith('.png') || isWebp(name))
    .map((name) => join(path, name));
  if (frames.length > 0) return frames;
  throw new SnapcompactError('unreadable-input', {
    expected: 'PNG or WebP files',
    of: 'a folder of frames',
    got: 'none',
    where: path,
  });
}

async function readFolder(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (cause) {
    throw new SnapcompactError('unreadable-input', {
      expected: 'a readable folder',
      of: 'frames',
      got: systemReason(cause),
      where: path,
      cause,
    });
  }
}

function unreadLine({ file, shape, unread }: Decoded): string {
  const { row, column } = unread[0]!;
  const place = `row ${row + 1} column ${column + 1}`;
  return `${file}: ${unread.length} cells are no glyph of ${shape}, the first at ${place}`;
}

function shownText(text: string, { lines }: DecodeCommandOptions): string {
  return lines ? text.replaceAll('█', '\n') : text;
}
