/** `snapcompact inspect`: what is in an archive, a frame or a transcript. */
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findFolder } from '../archive/folder.js';
import { pngSignature } from '../frame/png.js';
import { type InspectedArchive, showArchive } from './inspect-archive.js';
import { type InspectedFrame, showFrame } from './inspect-frame.js';
import {
  type InspectCommandOptions,
  type InspectedTranscript,
  showTranscript,
} from './inspect-transcript.js';
import type { Io } from './io.js';

export type { InspectCommandOptions } from './inspect-transcript.js';

/** `inspect --json`: figures, names and digests; never the bytes of a frame, nor what was said. */
export type Inspected = InspectedArchive | InspectedFrame | InspectedTranscript;

/**
 * Tells by content what a path is. Throws `unreadable-input`, `unrecognised-format` for what is none of the three, and
 * as `loadArchive` and `readTranscript` do.
 */
export async function inspectCommand(path: string, options: InspectCommandOptions, io: Io): Promise<void> {
  const kind = await kindOf(path);
  if (kind === 'folder') await showArchive(path, options, io);
  else if (kind === 'transcript') await showTranscript(path, options, io);
  else await showFrame(path, kind, options, io);
}

type FileKind = 'folder' | 'png' | 'webp' | 'transcript';

/** What can be read but once is taken for a transcript. */
async function kindOf(path: string): Promise<FileKind> {
  if (path === '-') return 'transcript';
  const found = await stat(await findFolder(resolve(path))).catch(() => undefined);
  if (found?.isDirectory()) return 'folder';
  if (!found?.isFile()) return 'transcript';
  const head = await headOf(path);
  if (pngSignature.every((byte, i) => head[i] === byte)) return 'png';
  return head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'
    ? 'webp'
    : 'transcript';
}

/** The first bytes, or none of a file that cannot be read: its reader says why. */
async function headOf(path: string): Promise<Buffer> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
