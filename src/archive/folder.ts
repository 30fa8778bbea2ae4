/**
 * A folder that appears whole or not at all.
 *
 * Files go into a temporary folder beside the target, which is then renamed into place; a folder that was there before
 * is moved aside first and put back should the rename fail. One writer at a time: a lock file beside the target names
 * its process, and a lock whose process is gone is taken over, with what it left behind. Only the owner may read any
 * of it.
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SnapcompactError, systemReason } from '../errors.js';

/** Path inside the folder, `/`-separated, and content. */
export interface FolderFile {
  readonly path: string;
  readonly data: string | Uint8Array;
}

const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

/**
 * Writes `files` as the folder `target`, replacing one that is there. `check` looks at the target while no other
 * writer can change it, and throws to refuse. A link to a folder is followed.
 *
 * Throws `archive-in-use` while another process writes, and `unwritable-target` when the file system refuses; then
 * nothing is left behind.
 */
export async function writeFolder(
  target: string,
  files: readonly FolderFile[],
  check: (folder: string) => Promise<void>,
): Promise<void> {
  try {
    const folder = await followLink(target);
    await makeFolder(dirname(folder));
    await withLock(folder, async () => {
      await clearRemains(folder);
      await check(folder);
      await replaceFolder(folder, files);
    });
  } catch (cause) {
    if (cause instanceof SnapcompactError) throw cause;
    throw unwritable(target, cause);
  }
}

async function replaceFolder(folder: string, files: readonly FolderFile[]): Promise<void> {
  const staging = remainsOf(folder, `${randomBytes(6).toString('hex')}.new`);
  try {
    for (const inner of new Set(['.', ...files.map(({ path }) => dirname(path))])) {
      await makeFolder(join(staging, inner));
    }
    for (const { path, data } of files) await writeFile(join(staging, path), data, { mode: OWNER_FILE });
    await moveIntoPlace(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function moveIntoPlace(staging: string, folder: string): Promise<void> {
  const former = remainsOf(folder, 'old');
  const hadFormer = await exists(folder);
  if (hadFormer) await rename(folder, former);
  try {
    await rename(staging, folder);
  } catch (cause) {
    if (hadFormer) await rename(former, folder);
    throw cause;
  }
  await rm(former, { recursive: true, force: true });
}

/** Names beside the target that only its writer uses. Short, so that they fit wherever the target's name does. */
function remainsOf(folder: string, suffix: string): string {
  const name = basename(folder);
  const stem =
    Buffer.byteLength(name) <= MAX_STEM_BYTES ? name : Buffer.from(name).toString('hex').slice(0, 64);
  return join(dirname(folder), `.${stem}.${suffix}`);
}

/** File names hold at most 255 bytes on every common file system. */
const MAX_STEM_BYTES = 200;

/** Puts back a folder that a writer moved aside and died, and removes what it had not finished. */
async function clearRemains(folder: string): Promise<void> {
  const former = remainsOf(folder, 'old');
  if (await exists(former)) {
    if (await exists(folder)) await rm(former, { recursive: true, force: true });
    else await rename(former, folder);
  }
  const prefix = basename(remainsOf(folder, ''));
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(prefix) && /^[0-9a-f]{12}\.new$/.test(name.slice(prefix.length))) {
      await rm(join(dirname(folder), name), { recursive: true, force: true });
    }
  }
}

async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  const lock = remainsOf(folder, 'lock');
  await takeLock(lock, folder);
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string, folder: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return await writeFile(lock, String(process.pid), { flag: 'wx', mode: OWNER_FILE });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    }
    if (await isHeld(lock)) break;
    await rm(lock, { force: true });
  }
  throw new SnapcompactError('archive-in-use', {
    expected: 'a target that nobody else is writing',
    of: 'the target',
    got: `one with a lock of another writer, ${basename(lock)}`,
    where: folder,
    hint: 'try again when it is done, or remove the lock if it is not',
  });
}

/** A lock without a name in it is one that is being written, or whose writer died at that very moment. */
const NAMELESS_LOCK_MS = 10_000;

async function isHeld(lock: string): Promise<boolean> {
  const owner = await readFile(lock, 'utf8').catch(() => '');
  if (owner !== '') return isRunning(Number(owner));
  const found = await lstat(lock).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < NAMELESS_LOCK_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The folder a link leads to; a link that leads nowhere is refused rather than replaced. */
async function followLink(target: string): Promise<string> {
  const found = await lstat(target).catch(() => undefined);
  if (!found?.isSymbolicLink()) return target;
  return realpath(target).catch(async () => {
    throw new SnapcompactError('target-exists', {
      expected: 'a new folder, or one that exists',
      of: 'the target',
      got: `a link to ${await readlink(target)}, which is not there`,
      where: target,
    });
  });
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

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function unwritable(target: string, cause: unknown): SnapcompactError {
  return new SnapcompactError('unwritable-target', {
    expected: 'a place that can be written',
    of: 'the target',
    got: systemReason(cause),
    where: target,
    hint: 'choose another folder with --out',
    cause,
  });
}
