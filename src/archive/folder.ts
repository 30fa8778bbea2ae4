/**
 * A folder that appears whole or not at all.
 *
 * Files go into a temporary folder beside the target, which is then renamed into place; a folder that was there before
 * is moved aside first and put back should the rename fail. Only the owner may read any of it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SnapcompactError } from '../errors.js';

/** Path inside the folder, `/`-separated, and content. */
export interface FolderFile {
  readonly path: string;
  readonly data: string | Uint8Array;
}

const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

/**
 * Writes `files` as the folder `target`, replacing one that is there. Throws `unwritable-target` when the file system
 * refuses, and then leaves nothing behind.
 */
export async function writeFolder(target: string, files: readonly FolderFile[]): Promise<void> {
  const beside = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  const staging = `${beside}.new`;
  const former = `${beside}.old`;
  try {
    for (const folder of new Set(['.', ...files.map(({ path }) => dirname(path))])) {
      await makeFolder(join(staging, folder));
    }
    for (const { path, data } of files) await writeFile(join(staging, path), data, { mode: OWNER_FILE });
    await moveIntoPlace(staging, target, former);
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    throw unwritable(target, cause);
  }
  await rm(former, { recursive: true, force: true });
}

/**
 * Makes a folder and what is missing above it. Not `mkdir`'s `recursive`: on a file system that refuses new folders by
 * saying ENOENT, such as /proc, that never ends in Node 20.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: OWNER_FOLDER });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw cause;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: OWNER_FOLDER });
  }
}

async function moveIntoPlace(staging: string, target: string, former: string): Promise<void> {
  const hadFormer = await rename(target, former).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return false;
      throw cause;
    },
  );
  try {
    await rename(staging, target);
  } catch (cause) {
    if (hadFormer) await rename(former, target);
    throw cause;
  }
}

function unwritable(target: string, cause: unknown): SnapcompactError {
  return new SnapcompactError('unwritable-target', {
    expected: 'a place that can be written',
    of: 'the target',
    got: cause instanceof Error ? cause.message : String(cause),
    where: target,
    hint: 'choose another folder with --out',
    cause,
  });
}
