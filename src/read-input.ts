/** A file that the user named, read whole. */
import { readFile, stat } from 'node:fs/promises';
import { SnapcompactError, systemReason } from './errors.js';

/** `of` says what the file is for, in the words of the error. Throws `unreadable-input`. */
export async function readInput(path: string, of: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(path, of, systemReason(cause), cause);
  }
}

/** As `readInput`, for a file that nobody named: a pipe in its place would keep the reader for ever. */
export async function readRegularFile(path: string, of: string): Promise<Buffer> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw unreadable(path, of, 'no file but a pipe or a device');
  return readInput(path, of);
}

function unreadable(where: string, of: string, got: string, cause?: unknown): SnapcompactError {
  return new SnapcompactError('unreadable-input', {
    expected: 'a readable file',
    of,
    got,
    where,
    ...(cause !== undefined && { cause }),
  });
}
