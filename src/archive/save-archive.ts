/** Archive → folder, whole or not at all, and never over somebody else's files. */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { readRegularFile } from '../read-input.js';
import { segmentKind } from '../text/segment.js';
import type { Archive, ArchiveSource } from './archive.js';
import { archiveFiles } from './archive-files.js';
import { findSegments } from './continuation.js';
import { type FolderFile, replaceFolder, withNewFolder } from './folder.js';
import { readSegments } from './load-archive.js';
import { MANIFEST_FILE, type Manifest, parseManifest } from './manifest.js';

/** Where an archive folder keeps the state before its last pass. */
export const PREVIOUS = 'previous';

export interface PassOptions {
  /**
   * Keep the state that is replaced as `previous/` inside the folder, for `undoArchive`; one that is kept already goes.
   * Costs its frames on disk, except those that stay as they are. Default false: nothing is kept.
   */
  readonly keepOld?: boolean;
}

export interface SaveOptions extends PassOptions {
  /** Replace an archive of another source. Default false. */
  readonly force?: boolean;
}

/**
 * Writes `manifest.json`, `archive.json`, `context.json` and `frames/` as the folder `target`, readable by its owner
 * only. An archive of the same source that is there is replaced; one of another source needs `force`. A folder that
 * holds anything else, or lies in an archive, is never touched: `target-exists`. Throws `archive-in-use` while somebody else writes, and
 * `unwritable-target` when the file system refuses; then the target is as it was.
 */
export async function saveArchive(
  archive: Archive,
  target: string,
  { force = false, keepOld = false }: SaveOptions = {},
): Promise<void> {
  await checkPlace(resolve(target));
  await withNewFolder(resolve(target), async (folder) => {
    await checkTarget(folder, archive, force);
    await replaceArchive(folder, archive, { keepOld });
  });
}

/** Puts `archive` in place of the one in `folder`. For the holder of its lock. */
export async function replaceArchive(
  folder: string,
  archive: Archive,
  { keepOld = false }: PassOptions,
): Promise<void> {
  const old = keepOld ? await stateFiles(folder, `${PREVIOUS}/`) : [];
  await replaceFolder(folder, [...old, ...archiveFiles(archive)]);
}

/** The files of the state in `folder`, to be had at `place` in another; none when nothing is there. */
export async function stateFiles(folder: string, place = ''): Promise<FolderFile[]> {
  const { own } = await listState(folder).catch(nothingThere);
  return own.map((path) => ({ path: `${place}${path}`, from: join(folder, path) }));
}

function nothingThere(cause: NodeJS.ErrnoException): Listing {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return { own: [], foreign: [] };
  throw cause;
}

/** Throws `target-exists` for a place inside an archive: its next pass would take what is there for somebody else's. */
export async function checkPlace(target: string): Promise<void> {
  for (
    let folder = dirname(target), inner = target;
    folder !== inner;
    inner = folder, folder = dirname(folder)
  ) {
    const isInside = await readManifest(folder).then(
      () => true,
      () => false,
    );
    if (isInside) throw targetExists(target, `a place inside the archive ${folder}`);
  }
}

/** Throws `target-exists` unless `archive` may be saved in `folder`. */
async function checkTarget(folder: string, archive: Archive, force: boolean): Promise<void> {
  const entries = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [] as string[];
    if (cause.code === 'ENOTDIR') throw targetExists(folder, 'a file');
    throw cause;
  });
  if (entries.length === 0) return;
  if (!entries.includes(MANIFEST_FILE)) throw targetExists(folder, 'a folder that is no archive');
  const manifest = await readManifest(folder);
  await refuseForeign(folder);
  if (force) return;
  if (!isSameSource(manifest.source, archive.source)) {
    const whose = manifest.source === undefined ? 'an unnamed history' : manifest.source.name;
    throw targetExists(folder, `an archive of another source, ${whose}`, 'use --force to replace it');
  }
  if (!(await holdsUserTurns(archive, folder, manifest)))
    throw targetExists(
      folder,
      `an archive of ${manifest.source?.name} with other user turns`,
      'use --force to replace it',
    );
}

/** A file name alone says little: what the user said in the archive that goes must be in the one that comes. */
async function holdsUserTurns(
  { source, segments }: Archive,
  folder: string,
  manifest: Manifest,
): Promise<boolean> {
  if (source?.sessionId !== undefined || manifest.source?.sha256 === source?.sha256) return true;
  const before = await readSegments(folder, manifest).catch(() => []);
  const { lacking } = findSegments(
    before.filter((segment) => segmentKind(segment) === 'user'),
    segments,
  );
  return lacking === undefined;
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  try {
    return parseManifest((await readRegularFile(path, 'an archive')).toString(), path);
  } catch (cause) {
    if (cause instanceof SnapcompactError && cause.code === 'newer-schema') throw cause;
    throw targetExists(folder, 'a folder whose manifest.json is not that of an archive');
  }
}

/** Throws `target-exists` for an archive folder in which somebody keeps other files: replacing it would lose them. */
export async function refuseForeign(folder: string): Promise<void> {
  const { foreign } = await listState(folder);
  const previous = foreign.includes(PREVIOUS) ? await listPrevious(folder) : undefined;
  const others = [
    ...foreign.filter((name) => name !== PREVIOUS || previous === undefined),
    ...(previous?.foreign ?? []).map((name) => `${PREVIOUS}/${name}`),
  ];
  if (others.length === 0) return;
  throw targetExists(
    folder,
    `an archive with other files in it: ${others.join(', ')}`,
    'move them elsewhere',
  );
}

async function listPrevious(folder: string): Promise<Listing | undefined> {
  const path = join(folder, PREVIOUS);
  return (await lstat(path)).isDirectory() ? listState(path) : undefined;
}

/** Paths in a folder, by name and by kind. */
interface Listing {
  /** The files of an archive. */
  readonly own: readonly string[];
  readonly foreign: readonly string[];
}

/** What `folder` holds of one state of an archive, and what else. */
async function listState(folder: string): Promise<Listing> {
  const own: string[] = [];
  const foreign: string[] = [];
  const frames = await frameNames(folder);
  const sort = (entry: Dirent, isOwn: (path: string) => boolean, place = '') => {
    const path = `${place}${entry.name}`;
    (entry.isFile() && isOwn(path) ? own : foreign).push(path);
  };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name !== 'frames' || !entry.isDirectory()) sort(entry, (path) => STATE_FILE.test(path));
    else {
      for (const frame of await readdir(join(folder, 'frames'), { withFileTypes: true })) {
        sort(frame, frames, 'frames/');
      }
    }
  }
  return { own, foreign };
}

/** Those of the manifest; where there is none to be read, all that are named as frames are. */
async function frameNames(folder: string): Promise<(path: string) => boolean> {
  try {
    const { frames } = await readManifest(folder);
    const files = new Set(frames.map(({ file }) => file));
    return (path) => files.has(path);
  } catch {
    return (path) => FRAME_FILE.test(path);
  }
}

const STATE_FILE = /^(?:manifest|archive|context)\.json$/;
const FRAME_FILE = /^frames\/\d{4,}\.(?:png|webp)$/;

/** Same session where both name one, else the same file name. */
function isSameSource(a: ArchiveSource | undefined, b: ArchiveSource | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.sessionId !== undefined && b.sessionId !== undefined) return a.sessionId === b.sessionId;
  return a.name === b.name;
}

function targetExists(
  folder: string,
  got: string,
  hint = 'choose another folder with --out',
): SnapcompactError {
  return new SnapcompactError('target-exists', {
    expected: 'a new folder, or an archive of the same source',
    of: 'the target',
    got,
    where: folder,
    hint,
  });
}
