/**
 * Archives of Oh-My-Pi and its kin: what a `compaction` entry keeps in `preserveData.snapcompact` → segments and
 * frames, so that they can be read, searched, verified and printed again.
 *
 * Fields come from a foreign file: a wrong type is a clear error with its JSON path. Damage inside a field of the right
 * type is healed or reported, and leaves a mark at its place: no two texts are joined over a gap.
 */
import { SnapcompactError } from '../errors.js';
import type { Segment } from '../text/segment.js';
import type { SerializeOptions } from '../text/serialize.js';
import {
  type BlobSource,
  type OmpFrame,
  type ReadFrame,
  readOmpFrame,
  TRUNCATION_NOTICE,
} from './omp-frames.js';
import { OmpTextReader } from './omp-text.js';

export type { BlobSource, OmpFrame } from './omp-frames.js';

export interface OmpReadOptions extends SerializeOptions {
  /** Finds the bytes of frames that are kept as `blob:sha256:…`. Default: such frames are missing. */
  readonly blobs?: BlobSource;
}

export interface OmpArchive {
  /** Entry ids are `omp:1`, `omp:2`, …: the format keeps none. */
  readonly segments: readonly Segment[];
  /** As many as are stored, in their order. */
  readonly frames: readonly OmpFrame[];
  /** Everything that was damaged, with its place, also where it could be repaired. */
  readonly problems: readonly string[];
  /** Characters that found no frame, over all passes so far, as the archive states. */
  readonly truncatedChars: number;
}

/**
 * Reads an archive out of `preserveData.snapcompact`, or out of the `preserveData` or the entry around it. `where`
 * names the file. Throws `broken-input` for what is none, and for a field of a wrong type.
 */
export function readOmpArchive(value: unknown, where: string, options: OmpReadOptions = {}): OmpArchive {
  const stored = checked(value, where);
  const problems: string[] = [];
  const reads = stored.frames.map(({ data }) => readOmpFrame(data, options.blobs));
  for (const [i, { problem }] of reads.entries()) {
    if (problem !== undefined) problems.push(`frames[${i}]: ${problem}`);
  }
  const reader = new OmpTextReader(options);
  const part = (name: 'text' | 'textHead' | 'textTail') => {
    const { text, isCut } = withoutNotice(stored[name] ?? '');
    reader.text(text);
    if (!isCut) return;
    problems.push(`${name}: cut when the session was stored`);
    reader.note('the text that went on here was cut when the session was stored');
  };
  if (stored.text !== undefined && stored.text !== '') part('text');
  else {
    part('textHead');
    const gap = gapNote(stored, reads);
    if (gap !== undefined) reader.note(gap);
    part('textTail');
  }
  const frames = reads.map(({ frame }) => frame);
  return { segments: reader.segments, frames, problems, truncatedChars: stored.truncatedChars ?? 0 };
}

function withoutNotice(text: string): { text: string; isCut: boolean } {
  const end = text.trimEnd();
  if (!end.endsWith(TRUNCATION_NOTICE)) return { text, isCut: false };
  return { text: end.slice(0, -TRUNCATION_NOTICE.length), isCut: true };
}

/** What lies between the edges: it must be said even where nothing is known of it. */
function gapNote(stored: StoredArchive, reads: readonly ReadFrame[]): string | undefined {
  const { frames, truncatedChars = 0, textHead = '', textTail = '' } = stored;
  if (frames.length === 0 && truncatedChars === 0 && (textHead === '' || textTail === '')) return undefined;
  const missing = reads.filter(({ frame }) => frame.kind === 'missing').length;
  const chars = frames.map((frame) => frame.chars);
  const known = chars.every((count) => count !== undefined)
    ? chars.reduce((sum, count) => sum + count, 0)
    : undefined;
  const parts = [
    `between head and tail of this archive lie ${counted(frames.length, 'frame')}`,
    ...(frames.length === 0 || known === undefined ? [] : [`of ${counted(known, 'character')}`]),
    ...(frames.length === 0 ? [] : ['whose text exists as pixels only']),
    ...(missing === 0 ? [] : [`(${missing} of them missing)`]),
    ...(truncatedChars === 0
      ? []
      : [`and a gap of ${counted(truncatedChars, 'character')} that found no frame`]),
  ];
  return parts.join(' ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The fields that are read, of the right types. */
interface StoredArchive {
  readonly frames: readonly StoredFrame[];
  readonly text?: string;
  readonly textHead?: string;
  readonly textTail?: string;
  readonly totalChars?: number;
  readonly truncatedChars?: number;
}

interface StoredFrame {
  readonly data: string;
  readonly chars?: number;
}

interface Fields {
  readonly [key: string]: unknown;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

interface Kind {
  readonly name: string;
  readonly holds: (value: unknown) => boolean;
}

const text: Kind = { name: 'a string', holds: (value) => typeof value === 'string' };
const list: Kind = { name: 'a list', holds: Array.isArray };
const record: Kind = { name: 'an object', holds: (value) => fieldsOf(value) !== undefined };
const count: Kind = {
  name: 'an integer from 0 on',
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

const archiveFields = {
  frames: list,
  text,
  textHead: text,
  textTail: text,
  totalChars: count,
  truncatedChars: count,
};
const frameFields = { mimeType: text, cols: count, rows: count, chars: count };

function checked(value: unknown, where: string): StoredArchive {
  const { fields, path } = unwrapped(value, where);
  for (const [key, kind] of Object.entries(archiveFields)) check(fields[key], kind, `${path}.${key}`, where);
  if (Object.keys(archiveFields).every((key) => fields[key] === undefined)) {
    throw wrong('frames or text', path, 'neither', where);
  }
  const frames = (fields['frames'] as readonly unknown[] | undefined) ?? [];
  for (const [i, frame] of frames.entries()) checkFrame(frame, `${path}.frames[${i}]`, where);
  return { ...fields, frames: frames as readonly StoredFrame[] };
}

function checkFrame(value: unknown, path: string, where: string): void {
  const fields = fieldsOf(value);
  if (fields === undefined) throw wrong(record.name, path, kindOf(value), where);
  for (const [key, kind] of Object.entries(frameFields)) check(fields[key], kind, `${path}.${key}`, where);
  if (!text.holds(fields['data'])) throw wrong(text.name, `${path}.data`, kindOf(fields['data']), where);
}

/** The archive itself, whatever stands around it. */
function unwrapped(value: unknown, where: string): { fields: Fields; path: string } {
  let inner = value;
  let path = '$';
  for (const key of ['preserveData', 'snapcompact']) {
    const fields = fieldsOf(inner);
    if (fields === undefined || !(key in fields)) continue;
    inner = fields[key];
    path += `.${key}`;
  }
  const fields = fieldsOf(inner);
  if (fields === undefined) throw wrong(record.name, path, kindOf(inner), where);
  return { fields, path };
}

function check(value: unknown, kind: Kind, path: string, where: string): void {
  if (value !== undefined && !kind.holds(value)) throw wrong(kind.name, path, kindOf(value), where);
}

function wrong(expected: string, path: string, got: string, where: string): SnapcompactError {
  return new SnapcompactError('broken-input', { expected, of: `${path} of an Oh-My-Pi archive`, got, where });
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`;
}
