/** One pass on an archive folder: nobody else writes it from load to save. */
import { resolve } from 'node:path';
import type { Archive } from './archive.js';
import { withFolder } from './folder.js';
import { loadArchive } from './load-archive.js';
import { type PassOptions, refuseForeign, replaceArchive } from './save-archive.js';

export interface UpdateOptions extends PassOptions {
  /** Told of each damaged file, which the pass puts right, and why. */
  readonly onRepair?: (file: string, reason: string) => void;
}

/**
 * Loads the archive in `target`, hands it to `change`, saves what that returns and returns it. Nothing is written when
 * `change` returns the very archive it was given and no file was damaged, or throws: an error of its own passes as it is.
 *
 * Throws `archive-in-use` while another pass runs, `unreadable-input` for a folder that is not there, `target-exists`
 * for one with files of somebody in it, and as `loadArchive` and `saveArchive` do; the folder is then as it was.
 */
export async function updateArchive(
  target: string,
  change: (archive: Archive) => Promise<Archive>,
  options: UpdateOptions = {},
): Promise<Archive> {
  return withFolder(resolve(target), async (folder) => {
    let isDamaged = false;
    const archive = await loadArchive(folder, {
      onRepair: (file, reason) => {
        isDamaged = true;
        options.onRepair?.(file, reason);
      },
    });
    await refuseForeign(folder);
    const changed = await change(archive);
    if (changed === archive && !isDamaged) return archive;
    await refuseForeign(folder);
    await replaceArchive(folder, changed, options);
    return changed;
  });
}
