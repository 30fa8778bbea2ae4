/** A font of the package by name, read once: its file, with our own drawings over it. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SnapcompactError } from '../errors.js';
import { packageFile } from '../package-files.js';
import { parseDrawings } from './drawings.js';
import type { Font, Glyph } from './font.js';
import { type FontRecord, fontRecord } from './font-records.js';
import { HexFont } from './hex-font.js';

/** Bound on a length that a damaged file may claim. */
const largestFontBytes = 16 << 20;

const loaded = new Map<string, Font>();

/** Loads a font of `fonts/fonts.json`; the second call for a name costs nothing. Throws `unknown-font`. */
export function loadFont(name: string): Font {
  let font = loaded.get(name);
  if (font === undefined) {
    font = readFont(fontRecord(name));
    loaded.set(name, font);
  }
  return font;
}

function readFont(record: FontRecord): Font {
  const { name, file, heightPx, ascentPx } = record;
  const raw = readFontFile(file);
  const bytes = file.endsWith('.gz') ? decompress(raw, file) : raw;
  return new HexFont({ name, heightPx, ascentPx, bytes, overrides: readOverrides(record) });
}

function decompress(raw: Buffer, file: string): Buffer {
  try {
    // The last four bytes of a gzip file are the length of its content. One chunk a little larger takes half the
    // time of many small ones; a chunk of exactly that length would be full, and zlib would ask for a second.
    const lengthBytes = raw.readUInt32LE(raw.length - 4);
    return gunzipSync(raw, { chunkSize: Math.min(lengthBytes + 1024, largestFontBytes) });
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function readOverrides({ overrides, heightPx }: FontRecord): ReadonlyMap<number, Glyph> {
  if (overrides === null) return new Map();
  return parseDrawings(readFontFile(overrides).toString('utf8'), heightPx, `fonts/${overrides}`);
}

function readFontFile(file: string): Buffer {
  try {
    return readFileSync(packageFile(`fonts/${file}`));
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): SnapcompactError {
  return new SnapcompactError('bad-data-file', {
    expected: 'a readable font file',
    of: `fonts/${file}`,
    got: cause instanceof Error ? cause.message : String(cause),
    hint: 'reinstall snapcompact',
    cause,
  });
}
