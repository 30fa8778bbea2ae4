/**
 * A folder that appears whole or not at all.
 *
 * Files go into a temporary folder beside the target, which is then renamed into place; a folder that was there before
 * is moved aside first and put back should the rename fail. Who dies between the two renames leaves a folder that is
 * complete but aside: readers look for it there, and the next writer puts it back. One writer at a time: a lock beside
 * the target names its process, and a lock whose process is gone is taken over, with what it left behind. Only the
 * owner may read any of it.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SnapcompactError, systemReason } from '../errors.js';
import { CLAIM, isRunning, OWNER_FILE, OWNER_FOLDER, remainsOf, succeeds, takeLock } from './folder-lock.js';

/** Path inside the folder, `/`-separated, and content: what to write, or the file that has it already. */
export type FolderFile =
  | { readonly path: string; readonly data: string | Uint8Array }
  | { readonly path: string; readonly from: string };

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
  await withNewFolder(target, async (folder) => {
    await check(folder);
    await replaceFolder(folder, files);
  });
}

/** Runs `work` on a folder that may be new, with its lock; a failing system call of `work` is `unwritable-target`. */
export async function withNewFolder<T>(target: string, work: (folder: string) => Promise<T>): Promise<T> {
  return orUnwritable(target, async () => {
    const folder = await followLink(target);
    if (folder === undefined) throw deadLink(target, await readlink(target));
    await makeFolder(dirname(folder));
    return withLock(folder, () => work(folder));
  });
}

/**
 * Runs `work` on a folder that is there, with its lock, after putting right what a dead writer left. What `work` throws
 * passes as it is. Throws `unreadable-input` for a folder that is not there, and makes nothing then.
 */
export async function withFolder<T>(target: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = (await followLink(target)) ?? target;
  const found = await stat(await findFolder(folder)).catch((cause: unknown) => {
    throw noFolder(target, systemReason(cause), cause);
  });
  if (!found.isDirectory())
    throw noFolder(target, 'a file, which is never written: --out says where the result goes');
  return withLock(folder, () => work(folder));
}

function noFolder(where: string, got: string, cause?: unknown): SnapcompactError {
  return new SnapcompactError('unreadable-input', {
    expected: 'a readable folder',
    of: 'an archive',
    got,
    where,
    ...(cause !== undefined && { cause }),
  });
}

const READ_ATTEMPTS = 50;

/**
 * Runs `read` on a folder as one writer left it: again when a writer replaced the folder meanwhile, and on the folder
 * moved aside when its writer died. Takes no lock and changes nothing, so that no writer is disturbed.
 */
export async function readFolder<T>(target: string, read: (folder: string) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const before = await locate(target);
    const outcome = await read(before.path).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const after = await locate(target);
    if (after.path !== before.path || after.stamp !== before.stamp) continue;
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }
  throw new SnapcompactError('archive-in-use', {
    expected: 'a folder that rests while it is read',
    of: 'an archive',
    got: `one that was replaced ${READ_ATTEMPTS} times`,
    where: target,
    hint: 'try again when its writer is done',
  });
}

/** Where the folder stands: at its place, or moved aside by a writer that died or is about to replace it. */
export async function findFolder(target: string): Promise<string> {
  const folder = (await followLink(target)) ?? target;
  const former = remainsOf(folder, 'old');
  return !(await exists(folder)) && (await exists(former)) ? former : folder;
}

/** Renaming a folder changes its `ctime`; the inode alone may be that of a folder removed just before. */
async function locate(target: string): Promise<{ path: string; stamp: string }> {
  const path = await findFolder(target);
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return { path, stamp: `${found?.ino}:${found?.ctimeNs}` };
}

/** Puts `files` in place of what `folder` holds. For the holder of its lock. */
export async function replaceFolder(folder: string, files: readonly FolderFile[]): Promise<void> {
  const staging = stagingOf(folder);
  await orUnwritable(folder, async () => {
    try {
      await fillFolder(staging, files);
      await moveIntoPlace(staging, folder);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  });
}

/** Equal files are stored once, as links to each other: the frames that two states of an archive share. */
async function fillFolder(folder: string, files: readonly FolderFile[]): Promise<void> {
  const stored = new Map<string, string>();
  for (const inner of new Set(['.', ...files.map(({ path }) => dirname(path))])) {
    await makeFolder(join(folder, inner));
  }
  for (const file of files) {
    const path = join(folder, file.path);
    const data = 'data' in file ? file.data : await readFile(file.from);
    const digest = createHash('sha256').update(data).digest('hex');
    const twin = stored.get(digest) ?? ('from' in file ? file.from : undefined);
    if (twin === undefined || !(await isLinked(twin, path)))
      await writeFile(path, data, { mode: OWNER_FILE });
    stored.set(digest, path);
  }
}

/** A link shares the mode of its file, so that a file which others may read is copied. Not every file system links. */
async function isLinked(from: string, to: string): Promise<boolean> {
  const { mode } = await lstat(from);
  if ((mode & 0o777) !== OWNER_FILE) return false;
  return succeeds(link(from, to));
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
  await discard(former, folder);
}

/**
 * Removes a former folder, under another name first: one that is half removed must not be taken for one to put back.
 * The new folder is in place by then, so that a failure is none of its own: the next writer tries again.
 */
async function discard(former: string, folder: string): Promise<void> {
  const waste = stagingOf(folder);
  await succeeds(rename(former, waste).then(() => rm(waste, { recursive: true, force: true })));
}

function stagingOf(folder: string): string {
  return remainsOf(folder, `${randomBytes(6).toString('hex')}.new`);
}

/** Puts back a folder that a writer moved aside and died, and removes what it had not finished. */
async function clearRemains(folder: string): Promise<void> {
  const former = remainsOf(folder, 'old');
  if (await exists(former)) {
    if (await exists(folder)) await discard(former, folder);
    else await rename(former, folder);
  }
  const prefix = basename(remainsOf(folder, ''));
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    const suffix = name.slice(prefix.length);
    const isStaging = /^[0-9a-f]{12}\.new$/.test(suffix);
    const isDeadClaim = suffix.endsWith(CLAIM) && !(await isRunning(suffix.slice(0, -CLAIM.length)));
    if (isStaging || isDeadClaim) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const release = await orUnwritable(folder, () => takeLock(folder));
  try {
    await orUnwritable(folder, () => clearRemains(folder));
    return await work();
  } finally {
    await release();
  }
}

/** The folder a link leads to, also when it is moved aside; nothing for a link that leads nowhere. */
async function followLink(target: string): Promise<string | undefined> {
  const found = await lstat(target).catch(() => undefined);
  if (!found?.isSymbolicLink()) return target;
  return realpath(target).catch(async () => {
    const aim = resolve(dirname(target), await readlink(target));
    return (await exists(remainsOf(aim, 'old'))) ? aim : undefined;
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
  return succeeds(lstat(path));
}

/** Runs `work`; whatever it throws that is no error of ours comes from the file system. */
async function orUnwritable<T>(target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SnapcompactError) throw cause;
    throw new SnapcompactError('unwritable-target', {
      expected: 'a place that can be written',
      of: 'the target',
      got: systemReason(cause),
      where: target,
      hint: 'make it writable, or choose another folder',
      cause,
    });
  }
}

function deadLink(target: string, aim: string): SnapcompactError {
  return new SnapcompactError('target-exists', {
    expected: 'a new folder, or one that exists',
    of: 'the target',
    got: `a link to ${aim}, which is not there`,
    where: target,
  });
}
