/** Back to the state before the last pass. */
import { join, resolve } from 'node:path';
import { SnapcompactError } from '../errors.js';
import type { Archive } from './archive.js';
import { replaceFolder, withFolder } from './folder.js';
import { loadArchive } from './load-archive.js';
import { MANIFEST_FILE } from './manifest.js';
import { PREVIOUS, refuseForeign, stateFiles } from './save-archive.js';

/**
 * Makes the state that the last pass kept the archive in `target` again, also when the present one is damaged, and
 * returns it. The state that is undone goes.
 *
 * Throws `nothing-kept`, as `loadArchive` does for what is kept, and as `updateArchive` does; the folder is then as it was.
 */
export async function undoArchive(target: string): Promise<Archive> {
  return withFolder(resolve(target), async (folder) => {
    const previous = join(folder, PREVIOUS);
    const files = await stateFiles(previous);
    if (!files.some(({ path }) => path === MANIFEST_FILE)) {
      await loadArchive(folder);
      throw nothingKept(folder);
    }
    const archive = await loadArchive(previous);
    await refuseForeign(folder);
    await replaceFolder(folder, files);
    return archive;
  });
}

function nothingKept(folder: string): SnapcompactError {
  return new SnapcompactError('nothing-kept', {
    expected: 'a state that the last pass kept',
    of: 'the archive',
    got: 'none',
    where: folder,
    hint: 'a pass keeps the state before it only when asked to',
  });
}
