/** Archive → folder, whole or not at all, and never over somebody else's files. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SnapcompactError } from '../errors.js';
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
 * only. An archive of the same source that is there is replaced; one of another source needs `force`; anything else
 * is never touched: `target-exists`.
 */
export async function saveArchive(
  archive: Archive,
  target: string,
  { force = false }: SaveOptions = {},
): Promise<void> {
  const folder = resolve(target);
  await checkTarget(folder, archive.source, force);
  await writeFolder(folder, archiveFiles(archive));
}

function archiveFiles(archive: Archive): FolderFile[] {
  const { frames, ...rest } = archive;
  const frameTexts = frames.map(({ text }) => text);
  return [
    ...frames.map(({ index, png }) => ({ path: frameFile(index), data: png })),
    { path: 'archive.json', data: `${JSON.stringify({ ...rest, pages: frameTexts })}\n` },
    { path: 'context.json', data: `${JSON.stringify(contextFiles(archive), null, 2)}\n` },
    { path: MANIFEST_FILE, data: `${JSON.stringify(manifestOf(archive), null, 2)}\n` },
  ];
}

/** The context blocks with frames by file name. */
function contextFiles(archive: Archive): unknown[] {
  let frame = 0;
  return contextBlocks(archive).map((block) =>
    block.type === 'text' ? block : { type: 'image', mime: block.mime, file: frameFile(frame++) },
  );
}

async function checkTarget(folder: string, source: ArchiveSource | undefined, force: boolean): Promise<void> {
  const found = await existingManifest(folder);
  if (found === 'nothing') return;
  if (found === 'foreign') throw targetExists(folder, 'a file or folder that is no archive');
  if (!force && !isSameSource(found.source, source)) {
    const whose = found.source === undefined ? 'an unnamed history' : found.source.name;
    throw targetExists(folder, `an archive of another source, ${whose}`, 'use --force to replace it');
  }
}

async function existingManifest(folder: string): Promise<Manifest | 'nothing' | 'foreign'> {
  const path = join(folder, MANIFEST_FILE);
  try {
    return parseManifest(await readFile(path, 'utf8'), path);
  } catch (cause) {
    if (cause instanceof SnapcompactError && cause.code === 'newer-schema') throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return (await isEmptyOrMissing(folder)) ? 'nothing' : 'foreign';
    return 'foreign';
  }
}

async function isEmptyOrMissing(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT';
  }
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
