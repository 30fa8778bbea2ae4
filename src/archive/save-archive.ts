/** Archive → folder, whole or not at all, and never over somebody else's files. */
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { readInput } from '../read-input.js';
import type { Archive, ArchiveSource } from './archive.js';
import { contextBlocks } from './context-blocks.js';
import { type FolderFile, replaceFolder, withNewFolder } from './folder.js';
import { frameFile, MANIFEST_FILE, type Manifest, manifestOf, parseManifest } from './manifest.js';

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
 * holds anything else is never touched: `target-exists`. Throws `archive-in-use` while somebody else writes, and
 * `unwritable-target` when the file system refuses; then the target is as it was.
 */
export async function saveArchive(
  archive: Archive,
  target: string,
  { force = false, keepOld = false }: SaveOptions = {},
): Promise<void> {
  await withNewFolder(resolve(target), async (folder) => {
    await checkTarget(folder, archive.source, force);
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

function archiveFiles(archive: Archive): FolderFile[] {
  const { frames, ...rest } = archive;
  const pages = frames.map(({ data, ...page }) => ({ ...page, bytes: data.length }));
  const stored = `${JSON.stringify({ ...rest, pages })}\n`;
  const archiveSha256 = createHash('sha256').update(stored).digest('hex');
  return [
    ...frames.map((frame) => ({ path: frameFile(frame), data: frame.data })),
    { path: 'archive.json', data: stored },
    { path: 'context.json', data: `${JSON.stringify(contextFiles(archive), null, 2)}\n` },
    { path: MANIFEST_FILE, data: `${JSON.stringify({ ...manifestOf(archive), archiveSha256 }, null, 2)}\n` },
  ];
}

/** The context blocks with frames by file name. */
function contextFiles(archive: Archive): unknown[] {
  const files = new Map(archive.frames.map((frame) => [frame.data, frameFile(frame)]));
  return contextBlocks(archive).map((block) => {
    if (block.type === 'text') return block;
    const { data, ...image } = block;
    return { ...image, file: files.get(data) };
  });
}

async function checkTarget(folder: string, source: ArchiveSource | undefined, force: boolean): Promise<void> {
  const entries = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [] as string[];
    if (cause.code === 'ENOTDIR') throw targetExists(folder, 'a file');
    throw cause;
  });
  if (entries.length === 0) return;
  if (!entries.includes(MANIFEST_FILE)) throw targetExists(folder, 'a folder that is no archive');
  const manifest = await readManifest(folder);
  await refuseForeign(folder);
  if (!force && !isSameSource(manifest.source, source)) {
    const whose = manifest.source === undefined ? 'an unnamed history' : manifest.source.name;
    throw targetExists(folder, `an archive of another source, ${whose}`, 'use --force to replace it');
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  try {
    return parseManifest((await readInput(path, 'an archive')).toString(), path);
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
  const sort = (entry: Dirent, names: RegExp, place = '') =>
    (entry.isFile() && names.test(entry.name) ? own : foreign).push(`${place}${entry.name}`);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name !== 'frames' || !entry.isDirectory()) sort(entry, STATE_FILE);
    else {
      for (const frame of await readdir(join(folder, 'frames'), { withFileTypes: true })) {
        sort(frame, FRAME_FILE, 'frames/');
      }
    }
  }
  return { own, foreign };
}

const STATE_FILE = /^(?:manifest|archive|context)\.json$/;
const FRAME_FILE = /^\d{4,}\.(?:png|webp)$/;

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
