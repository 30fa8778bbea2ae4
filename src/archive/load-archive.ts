/** Folder → archive; the inverse of `saveArchive`. A frame that is missing or damaged is painted anew from its page. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SnapcompactError } from '../errors.js';
import { pageFormat } from '../page/page-format.js';
import { paginate } from '../page/paginate.js';
import type { Reader } from '../page/readers.js';
import { getShape } from '../page/shapes.js';
import { readRegularFile } from '../read-input.js';
import type { Segment } from '../text/segment.js';
import { ARCHIVE_SCHEMA, type Archive, type ArchivedFrame } from './archive.js';
import { ARCHIVE_FILE, derivedFiles } from './archive-files.js';
import type { ArchiveOptions } from './archive-history.js';
import { readFolder } from './folder.js';
import {
  frameFile,
  frameRecord,
  MANIFEST_FILE,
  type Manifest,
  type ManifestFrame,
  parseManifest,
} from './manifest.js';
import { type PageToPaint, paintPages } from './paint-pages.js';

/** Whoever will read, and all other options, count for a file of Oh-My-Pi only: a folder says it itself. */
export interface LoadOptions extends ArchiveOptions {
  /** Told of each file or foreign part that was damaged, and why. */
  readonly onRepair?: (file: string, reason: string) => void;
}

/** A page as `archive.json` keeps it, and the bytes of its frame. */
type StoredPage = Omit<ArchivedFrame, 'data'> & { readonly bytes: number };
type Stored = Omit<Archive, 'frames'> & { readonly pages: readonly StoredPage[] };

/**
 * Reads an archive folder with its frames, in whose place damaged or missing ones are painted anew, or a file with an
 * archive of Oh-My-Pi; nothing on disk changes. What follows from `archive.json` is made, not read. Throws `unreadable-input` for a missing folder or file of text, `broken-input` for text that is not what was
 * saved, `newer-schema`.
 */
export async function loadArchive(folder: string, options: LoadOptions = {}): Promise<Archive> {
  const isFile = await stat(folder).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (isFile) return (await import('./import-omp.js')).importOmpArchive(folder, options);
  return readFolder(resolve(folder), (place) => readArchive(place, options));
}

async function readArchive(folder: string, options: LoadOptions): Promise<Archive> {
  const manifestPath = join(folder, MANIFEST_FILE);
  const manifest = parseManifest(
    (await readRegularFile(manifestPath, 'an archive')).toString(),
    manifestPath,
  );
  if (manifest.schema < ARCHIVE_SCHEMA)
    throw broken(
      `schema ${ARCHIVE_SCHEMA}`,
      `schema ${manifest.schema}`,
      manifestPath,
      'archive the transcript again',
    );
  const { pages, ...rest } = await readStored(folder, manifest);
  checkRecords(manifest, pages, manifestPath);
  const frames = await Promise.all(pages.map((page) => readFrame(folder, page)));
  const archive = { ...rest, frames: await repaired(rest, frames, options) };
  if (options.onRepair !== undefined) await checkDerived(folder, archive, manifest, options.onRepair);
  return archive;
}

/** The source that an archive folder holds. Throws as `loadArchive` does. */
export async function readSegments(folder: string, manifest: Manifest): Promise<readonly Segment[]> {
  return (await readStored(folder, manifest)).segments;
}

/** What others read of an archive: it may not say anything else than the archive does. */
async function checkDerived(
  folder: string,
  archive: Archive,
  { archiveSha256 = '' }: Manifest,
  onRepair: NonNullable<LoadOptions['onRepair']>,
): Promise<void> {
  for (const { path, data } of derivedFiles(archive, archiveSha256)) {
    try {
      const found = await readRegularFile(join(folder, path), 'an archive');
      if (found.toString() !== data) onRepair(path, 'other content than the archive gives it');
    } catch (cause) {
      if (!(cause instanceof SnapcompactError)) throw cause;
      onRepair(path, cause.complaint.got);
    }
  }
}

/** What was saved, to the byte: everything in it is ours then, and needs no further check. */
async function readStored(folder: string, { archiveSha256: sha256 }: Manifest): Promise<Stored> {
  const path = join(folder, ARCHIVE_FILE);
  const json = await readRegularFile(path, 'an archive');
  const found = createHash('sha256').update(json).digest('hex');
  if (found !== sha256) throw broken(`what was saved, with sha256 ${sha256}`, `sha256 ${found}`, path);
  try {
    return JSON.parse(json.toString()) as Stored;
  } catch (cause) {
    throw broken('JSON', (cause as Error).message, path);
  }
}

/** The manifest is what others read: it may not say anything else of a frame than the archive does. */
function checkRecords({ frames }: Manifest, pages: readonly StoredPage[], where: string): void {
  if (frames.length !== pages.length) throw broken(`${pages.length} frames`, String(frames.length), where);
  for (const [index, { bytes, ...page }] of pages.entries()) {
    const record = JSON.parse(JSON.stringify(frameRecord(page, bytes))) as ManifestFrame;
    if (isDeepStrictEqual(frames[index], record)) continue;
    throw broken(`the record of frame ${index + 1} as it was saved`, 'another one', where);
  }
}

/** A frame as it is in the folder; without `data` where that is not what was saved. */
interface ReadFrame {
  readonly page: StoredPage;
  readonly data?: Uint8Array<ArrayBuffer>;
  readonly problem?: string;
}

async function readFrame(folder: string, page: StoredPage): Promise<ReadFrame> {
  try {
    const data = Uint8Array.from(await readRegularFile(join(folder, frameFile(page)), 'an archive'));
    const sha256 = createHash('sha256').update(data).digest('hex');
    if (sha256 === page.sha256) return { page, data };
    return {
      page,
      problem: `${data.length} bytes with sha256 ${sha256} instead of ${page.bytes} with ${page.sha256}`,
    };
  } catch (cause) {
    if (!(cause instanceof SnapcompactError)) throw cause;
    return { page, problem: cause.complaint.got };
  }
}

async function repaired(
  { reader, settings }: Omit<Archive, 'frames'>,
  frames: readonly ReadFrame[],
  { onRepair, signal }: LoadOptions,
): Promise<ArchivedFrame[]> {
  const damaged = frames.filter(({ data }) => data === undefined);
  for (const { page, problem = '' } of damaged) onRepair?.(frameFile(page), problem);
  const painted = await paintPages(
    damaged.map(({ page }) => pageToPaint(page, reader)),
    { mime: settings.mime, ...(signal && { signal }) },
  );
  return frames.map(({ page: { bytes: _, ...page }, data }) =>
    data === undefined ? { ...page, ...painted.shift()! } : { ...page, data },
  );
}

function pageToPaint({ shape, text, dim }: StoredPage, { frame }: Reader): PageToPaint {
  const format = pageFormat(getShape(shape), frame);
  const [page] = paginate(text, dim, format);
  return { page: page ?? { index: 0, text, dim, source: { from: 0, to: 0 }, rowsUsed: 1 }, format };
}

function broken(expected: string, got: string, where: string, hint?: string): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected,
    of: 'an archive',
    got,
    where,
    ...(hint !== undefined && { hint }),
  });
}
