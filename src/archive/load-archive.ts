/** Folder → archive; the inverse of `saveArchive`. A frame that is missing or damaged is painted anew from its page. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { pageFormat } from '../page/page-format.js';
import { paginate } from '../page/paginate.js';
import { getShape } from '../page/shapes.js';
import { readInput } from '../read-input.js';
import { ARCHIVE_SCHEMA, type Archive, type ArchivedFrame } from './archive.js';
import type { ArchiveOptions } from './archive-history.js';
import { readFolder } from './folder.js';
import { MANIFEST_FILE, type Manifest, type ManifestFrame, parseManifest } from './manifest.js';
import { type PageToPaint, pageDigest, paintPages } from './paint-pages.js';

/** Whoever will read, and all other options, count for a file of Oh-My-Pi only: a folder says it itself. */
export interface LoadOptions extends ArchiveOptions {
  /** Told of each frame or foreign part that was damaged, and why. */
  readonly onRepair?: (file: string, reason: string) => void;
}

/** A page as `archive.json` keeps it. */
type StoredPage = Pick<ArchivedFrame, 'text' | 'dim'>;
type Stored = Omit<Archive, 'frames'> & { readonly pages: readonly StoredPage[] };

/**
 * Reads an archive folder with its frames, in whose place damaged or missing ones are painted anew, or a file with an
 * archive of Oh-My-Pi; nothing on disk changes. Throws `unreadable-input` for a missing folder or file of text, `broken-input` for text that is not what was
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
  const manifest = parseManifest((await readInput(manifestPath, 'an archive')).toString(), manifestPath);
  if (manifest.schema < ARCHIVE_SCHEMA)
    throw broken(
      `schema ${ARCHIVE_SCHEMA}`,
      `schema ${manifest.schema}`,
      manifestPath,
      'archive the transcript again',
    );
  const storedPath = join(folder, 'archive.json');
  const { pages, ...archive } = await readStored(storedPath);
  if (pages.length !== manifest.frames.length) {
    throw broken(`${manifest.frames.length} pages, one for each frame`, String(pages.length), storedPath);
  }
  const frames = await Promise.all(
    manifest.frames.map((record) => readFrame(folder, record, pages[record.index]!)),
  );
  for (const { record, page } of frames) checkPage(manifest, record, page, storedPath);
  return { ...archive, frames: await repaired(manifest, frames, options) };
}

async function readStored(path: string): Promise<Stored> {
  try {
    const data = JSON.parse((await readInput(path, 'an archive')).toString()) as Partial<Stored>;
    const isWhole = [data.pages, data.segments, data.parts, data.elisions, data.scopes].every(Array.isArray);
    if (isWhole && data.layout?.sealed !== undefined) {
      return data as Stored;
    }
  } catch (cause) {
    if (cause instanceof SnapcompactError) throw cause;
  }
  throw broken('JSON with segments, parts and pages', 'something else', path);
}

/** A frame as it is in the folder; without `data` where that is not what was saved. */
interface ReadFrame {
  readonly record: ManifestFrame;
  readonly page: StoredPage;
  readonly data?: Uint8Array<ArrayBuffer>;
  readonly problem?: string;
}

async function readFrame(folder: string, record: ManifestFrame, page: StoredPage): Promise<ReadFrame> {
  try {
    const data = Uint8Array.from(await readInput(join(folder, record.file), 'an archive'));
    const sha256 = createHash('sha256').update(data).digest('hex');
    if (sha256 === record.sha256) return { record, page, data };
    return {
      record,
      page,
      problem: `${data.length} bytes with sha256 ${sha256} instead of ${record.bytes} with ${record.sha256}`,
    };
  } catch (cause) {
    if (!(cause instanceof SnapcompactError)) throw cause;
    return { record, page, problem: cause.complaint.got };
  }
}

async function repaired(
  manifest: Manifest,
  frames: readonly ReadFrame[],
  { onRepair, signal }: LoadOptions,
): Promise<ArchivedFrame[]> {
  const damaged = frames.filter(({ data }) => data === undefined);
  for (const { record, problem = '' } of damaged) onRepair?.(record.file, problem);
  const mime = manifest.settings.mime;
  const painted = await paintPages(
    damaged.map(({ record, page }) => pageToPaint(manifest, record, page)),
    { mime, ...(signal && { signal }) },
  );
  return frames.map(({ record: { file: _file, bytes: _bytes, ...frame }, page, data }) =>
    data === undefined ? { ...frame, ...page, ...painted.shift()! } : { ...frame, ...page, data },
  );
}

function pageToPaint({ reader }: Manifest, { shape }: ManifestFrame, { text, dim }: StoredPage): PageToPaint {
  const format = pageFormat(getShape(shape), reader.frame);
  const [page] = paginate(text, dim, format);
  return { page: page ?? { index: 0, text, dim, source: { from: 0, to: 0 }, rowsUsed: 1 }, format };
}

/** The text behind a frame must be the one it was painted from, or else it would vouch for another. */
function checkPage(manifest: Manifest, record: ManifestFrame, page: StoredPage, where: string): void {
  const { page: stored, format } = pageToPaint(manifest, record, page);
  if (pageDigest(stored, format) === record.pageSha256) return;
  throw broken(
    `the page with digest ${record.pageSha256}`,
    'another text',
    `${where}, page ${record.index + 1}`,
  );
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
