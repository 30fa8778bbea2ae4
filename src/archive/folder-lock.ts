/** One writer at a time: a lock beside a folder that names its owner, and outlives it no longer than the next writer. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SnapcompactError } from '../errors.js';

/** Of a folder and a file that nobody but their owner may read. */
export const OWNER_FOLDER = 0o700;
export const OWNER_FILE = 0o600;

/** Names beside the target that only its writer uses. Short, so that they fit wherever the target's name does. */
export function remainsOf(folder: string, suffix: string): string {
  const name = basename(folder);
  const stem =
    Buffer.byteLength(name) <= MAX_STEM_BYTES ? name : createHash('sha256').update(name).digest('hex');
  return join(dirname(folder), `.${stem}.${suffix}`);
}

/** File names hold at most 255 bytes on every common file system. */
const MAX_STEM_BYTES = 180;

/** Ends the name of a lock in the making. */
export const CLAIM = '.claim';
const LOCK_ATTEMPTS = 3;

/**
 * The lock is a folder with one file, named after its owner. It is renamed into place with the name in it, which works
 * only where none is or an empty one; and that of a dead owner is taken over by renaming the very file that names it,
 * which works for only one of many.
 */
export async function takeLock(folder: string): Promise<() => Promise<void>> {
  const lock = remainsOf(folder, 'lock');
  const owner = await newOwner();
  const claim = remainsOf(folder, `${owner}${CLAIM}`);
  const mine = join(lock, owner);
  const release = async () => {
    await succeeds(rm(mine).then(() => rmdir(lock)));
  };
  try {
    await mkdir(claim, { mode: OWNER_FOLDER });
    await writeFile(join(claim, owner), '', { mode: OWNER_FILE });
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      if (await succeeds(rename(claim, lock))) return release;
      const [holder] = await readdir(lock).catch(({ code }) => (code === 'ENOENT' ? [] : [UNKNOWN_OWNER]));
      if (holder === undefined) continue;
      if (await isRunning(holder)) break;
      if (await succeeds(rename(join(lock, holder), mine))) return release;
    }
  } finally {
    await rm(claim, { recursive: true, force: true });
  }
  throw inUse(folder, lock);
}

/** What stands in for the owner of a lock that is not of this form. */
const UNKNOWN_OWNER = '';

/** Process id and start, as ids are given out again, and a number of its own. */
async function newOwner(): Promise<string> {
  const { start } = await processState(process.pid);
  return `${process.pid}-${start}-${randomBytes(6).toString('hex')}`;
}

/** Whether the process of an owner may still be at work. */
export async function isRunning(owner: string): Promise<boolean> {
  const [, pid, start] = /^(\d+)-(\d*)-[0-9a-f]{12}$/.exec(owner) ?? [];
  if (pid === undefined) return true;
  try {
    process.kill(Number(pid), 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const found = await processState(Number(pid));
  return !found.isZombie && (start === '' || found.start === '' || found.start === start);
}

/** State and start of a process, in ticks since the system's own; start is empty where the system does not tell. */
async function processState(pid: number): Promise<{ isZombie: boolean; start: string }> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { isZombie: fields[0] === 'Z', start: fields[19] ?? '' };
}

/** Whether an action that may fail did not. */
export async function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

function inUse(folder: string, lock: string): SnapcompactError {
  return new SnapcompactError('archive-in-use', {
    expected: 'a target that nobody else is writing',
    of: 'the target',
    got: `one with a lock of another writer, ${basename(lock)}`,
    where: folder,
    hint: 'try again when it is done, or remove the lock if it is not',
  });
}
