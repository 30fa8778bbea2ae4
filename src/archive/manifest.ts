/** `manifest.json`: what an archive folder holds, in figures and digests. No time of day: same archive, same file. */
import { SnapcompactError } from '../errors.js';
import type { Archive, ArchivedFrame } from './archive.js';
import { ARCHIVE_SCHEMA } from './archive.js';

export const MANIFEST_FILE = 'manifest.json';

export interface Manifest extends Pick<Archive, ManifestField> {
  /** Marks the folder as an archive of ours. */
  readonly kind: 'snapcompact-archive';
  readonly frames: readonly ManifestFrame[];
  /** Hex digest of `archive.json`; absent in a manifest that is not on disk. */
  readonly archiveSha256?: string;
}

const manifestFields = [
  'schema',
  'source',
  'reader',
  'settings',
  'budget',
  'layout',
  'scopes',
  'binding',
  'elisions',
  'counts',
  'cost',
] as const satisfies readonly (keyof Archive)[];

type ManifestField = (typeof manifestFields)[number];

/** `ArchivedFrame` with a file in place of the bytes and the text. */
export interface ManifestFrame extends Omit<ArchivedFrame, 'data' | 'text' | 'dim'> {
  /** Relative to the archive folder. */
  readonly file: string;
  readonly bytes: number;
}

export function manifestOf(archive: Archive): Manifest {
  const fields = manifestFields.map((name) => [name, archive[name]]);
  return {
    kind: 'snapcompact-archive',
    ...(Object.fromEntries(fields) as Pick<Archive, ManifestField>),
    frames: archive.frames.map(manifestFrame),
  };
}

function manifestFrame({ data, ...page }: ArchivedFrame): ManifestFrame {
  return frameRecord(page, data.length);
}

/** The record of a frame whose file has so many bytes. */
export function frameRecord(
  { text: _text, dim: _dim, ...frame }: Omit<ArchivedFrame, 'data'>,
  bytes: number,
): ManifestFrame {
  return { file: frameFile(frame), bytes, ...frame };
}

/** `frames/0001.png` for the first frame. */
export function frameFile({ index, mime }: Pick<ArchivedFrame, 'index' | 'mime'>): string {
  return `frames/${String(index + 1).padStart(4, '0')}.${mime === 'image/webp' ? 'webp' : 'png'}`;
}

/** A manifest read back. Throws `newer-schema`, or `broken-input` for JSON that is no manifest. */
export function parseManifest(json: string, where: string): Manifest {
  const data = parseJson(json, where);
  if (typeof data !== 'object' || data === null || (data as Manifest).kind !== 'snapcompact-archive') {
    throw brokenManifest('"kind": "snapcompact-archive"', 'other JSON', where);
  }
  const manifest = data as Manifest;
  if (!Number.isInteger(manifest.schema))
    throw brokenManifest('an integer "schema"', String(manifest.schema), where);
  if (manifest.schema > ARCHIVE_SCHEMA) {
    throw new SnapcompactError('newer-schema', {
      expected: `schema ${ARCHIVE_SCHEMA} or older`,
      of: 'an archive',
      got: `schema ${manifest.schema}`,
      where,
      hint: 'use a newer snapcompact',
    });
  }
  if (!Array.isArray(manifest.frames)) {
    throw brokenManifest('a list of "frames"', typeof manifest.frames, where);
  }
  manifest.frames.forEach((frame: unknown, index) => {
    if (!isFrameRecord(frame, index))
      throw brokenManifest(`the record of a frame file as frame ${index + 1}`, short(frame), where);
  });
  return manifest;
}

/** The file name is checked against the only one it can be, so that no manifest leads out of its folder. */
function isFrameRecord(frame: unknown, index: number): frame is ManifestFrame {
  if (typeof frame !== 'object' || frame === null) return false;
  const record = frame as Partial<ManifestFrame>;
  const { mime } = record;
  if (mime !== 'image/png' && mime !== 'image/webp') return false;
  return (
    record.index === index && record.file === frameFile({ index, mime }) && typeof record.sha256 === 'string'
  );
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}

function parseJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw brokenManifest('JSON', cause instanceof Error ? cause.message : String(cause), where);
  }
}

function brokenManifest(expected: string, got: string, where: string): SnapcompactError {
  return new SnapcompactError('broken-input', { expected, of: 'an archive manifest', got, where });
}
