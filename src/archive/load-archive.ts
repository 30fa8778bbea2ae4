/** Folder → archive; the inverse of `saveArchive`. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { readInput } from '../read-input.js';
import type { Archive, ArchivedFrame } from './archive.js';
import { MANIFEST_FILE, type ManifestFrame, parseManifest } from './manifest.js';

/**
 * Reads an archive folder with its frames. Throws `unreadable-input` for a missing file, `broken-input` for a frame
 * whose bytes are not those of the manifest or JSON that is none, `newer-schema`.
 */
export async function loadArchive(folder: string): Promise<Archive> {
  const manifestPath = join(folder, MANIFEST_FILE);
  const manifest = parseManifest((await readInput(manifestPath, 'an archive')).toString(), manifestPath);
  const stored = await readStored(join(folder, 'archive.json'));
  if (stored.pages.length !== manifest.frames.length) {
    throw new SnapcompactError('broken-input', {
      expected: `${stored.pages.length} frames, one for each page of archive.json`,
      of: 'an archive manifest',
      got: String(manifest.frames.length),
      where: manifestPath,
    });
  }
  const frames: ArchivedFrame[] = [];
  for (const record of manifest.frames) {
    frames.push(await loadFrame(folder, record, stored.pages[record.index]!));
  }
  const { pages: _, ...archive } = stored;
  return { ...archive, frames };
}

type Stored = Omit<Archive, 'frames'> & { readonly pages: readonly string[] };

async function readStored(path: string): Promise<Stored> {
  try {
    const data = JSON.parse((await readInput(path, 'an archive')).toString()) as Stored;
    if (Array.isArray(data.pages) && Array.isArray(data.segments)) return data;
  } catch (cause) {
    if (cause instanceof SnapcompactError) throw cause;
  }
  throw new SnapcompactError('broken-input', {
    expected: 'JSON with segments and pages',
    of: 'an archive',
    got: 'something else',
    where: path,
  });
}

async function loadFrame(
  folder: string,
  { file, bytes, ...frame }: ManifestFrame,
  text: string,
): Promise<ArchivedFrame> {
  const path = join(folder, file);
  const data = Uint8Array.from(await readInput(path, 'an archive'));
  const sha256 = createHash('sha256').update(data).digest('hex');
  if (sha256 !== frame.sha256) {
    throw new SnapcompactError('broken-input', {
      expected: `${bytes} bytes with sha256 ${frame.sha256}`,
      of: `frame ${frame.index + 1}`,
      got: `${data.length} bytes with sha256 ${sha256}`,
      where: path,
    });
  }
  return { ...frame, data, text };
}
