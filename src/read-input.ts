/** A file that the user named, read whole. */
import { readFile } from 'node:fs/promises';
import { SnapcompactError, systemReason } from './errors.js';

/** `of` says what the file is for, in the words of the error. Throws `unreadable-input`. */
export async function readInput(path: string, of: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new SnapcompactError('unreadable-input', {
      expected: 'a readable file',
      of,
      got: systemReason(cause),
      where: path,
      cause,
    });
  }
}
