/** The files of an archive folder. All but `archive.json` and the frames follow from those. */
import { createHash } from 'node:crypto';
import type { Archive } from './archive.js';
import { contextBlocks } from './context-blocks.js';
import type { FolderFile } from './folder.js';
import { frameFile, MANIFEST_FILE, manifestOf } from './manifest.js';

export const ARCHIVE_FILE = 'archive.json';
const CONTEXT_FILE = 'context.json';

export function archiveFiles(archive: Archive): FolderFile[] {
  const { frames, ...rest } = archive;
  const pages = frames.map(({ data, ...page }) => ({ ...page, bytes: data.length }));
  const stored = `${JSON.stringify({ ...rest, pages })}\n`;
  const archiveSha256 = createHash('sha256').update(stored).digest('hex');
  return [
    ...frames.map((frame) => ({ path: frameFile(frame), data: frame.data })),
    { path: ARCHIVE_FILE, data: stored },
    ...derivedFiles(archive, archiveSha256),
  ];
}

/** `context.json` and `manifest.json`; the digest is that of `archive.json`. */
export function derivedFiles(archive: Archive, archiveSha256: string): { path: string; data: string }[] {
  return [
    { path: CONTEXT_FILE, data: `${JSON.stringify(contextFiles(archive), null, 2)}\n` },
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
