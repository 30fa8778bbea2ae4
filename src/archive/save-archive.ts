/** Archive → folder, whole or not at all, and never over somebody else's files. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { readInput } from '../read-input.js';
import type { Archive, ArchiveSource } from './archive.js';
import { contextBlocks } from './context-blocks.js';
import { type FolderFile, writeFolder } from './folder.js';
import { frameFile, MANIFEST_FILE, type Manifest, manifestOf, parseManifest } from './manifest.js';

export interface SaveOptions {
  /** Replace an archive of another source. Default false. */
  readonly force?: boolean;
}

/**
 * Writes `manifest.json`, `archive.json`, `context.json` and `frames/` as the folder `target`, readable by its owner
 * only. An archive of the same source that is there is replaced; one of another source needs `force`. A folder that
 * holds anything else is never touched: `target-exists`. Also throws as `writeFolder` does.
 */
export async function saveArchive(
  archive: Archive,
  target: string,
  { force = false }: SaveOptions = {},
): Promise<void> {
  await writeFolder(resolve(target), archiveFiles(archive), (folder) =>
    checkTarget(folder, archive.source, force),
  );
}

function archiveFiles(archive: Archive): FolderFile[] {
  const { frames, ...rest } = archive;
  const frameTexts = frames.map(({ text }) => text);
  return [
    ...frames.map((frame) => ({ path: frameFile(frame), data: frame.data })),
    { path: 'archive.json', data: `${JSON.stringify({ ...rest, pages: frameTexts })}\n` },
    { path: 'context.json', data: `${JSON.stringify(contextFiles(archive), null, 2)}\n` },
    { path: MANIFEST_FILE, data: `${JSON.stringify(manifestOf(archive), null, 2)}\n` },
  ];
}

/** The context blocks with frames by file name. */
function contextFiles(archive: Archive): unknown[] {
  const files = archive.frames.map(frameFile);
  return contextBlocks(archive).map((block) =>
    block.type === 'text' ? block : { type: 'image', mime: block.mime, file: files.shift() },
  );
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
  const foreign = await foreignEntries(folder);
  if (foreign.length > 0)
    throw targetExists(folder, `an archive with other files in it: ${foreign.join(', ')}`);
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

/** What lies in an archive folder and is no part of an archive, by name and by kind. */
async function foreignEntries(folder: string): Promise<string[]> {
  const files = new Set([MANIFEST_FILE, 'archive.json', 'context.json']);
  const entries = await readdir(folder, { withFileTypes: true });
  const frames = await readdir(join(folder, 'frames'), { withFileTypes: true }).catch(() => []);
  const isOwn = (entry: Dirent) =>
    entry.name === 'frames' ? entry.isDirectory() : files.has(entry.name) && entry.isFile();
  const isFrame = (entry: Dirent) => /^\d{4,}\.(?:png|webp)$/.test(entry.name) && entry.isFile();
  return [
    ...entries.filter((entry) => !isOwn(entry)).map(({ name }) => name),
    ...frames.filter((entry) => !isFrame(entry)).map(({ name }) => `frames/${name}`),
  ];
}

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
