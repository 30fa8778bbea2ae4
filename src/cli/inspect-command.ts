/** `snapcompact inspect`: what is in an archive, a frame or a transcript. */
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Archive, Part } from '../archive/archive.js';
import { findFolder } from '../archive/folder.js';
import { loadArchive } from '../archive/load-archive.js';
import { MANIFEST_FILE, type Manifest, type ManifestFrame, manifestOf } from '../archive/manifest.js';
import { SnapcompactError } from '../errors.js';
import { type DecodedFrame, decodeFrame } from '../frame/decode.js';
import { pngSignature } from '../frame/png.js';
import { readPng } from '../frame/read-png.js';
import type { Message } from '../history/history.js';
import { readInput } from '../read-input.js';
import type { Elision } from '../text/print.js';
import type { Transcript } from '../transcript/importer.js';
import { readTranscript } from '../transcript/read-transcript.js';
import { type CommonOptions, type Io, number, onOneLine, plural, print } from './io.js';
import { bindingLine, droppedLine } from './plan-report.js';

export interface InspectCommandOptions extends CommonOptions {
  /** Take a transcript for this format. */
  readonly formatIn?: string;
}

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

type Row = readonly [name: string, value: string];

/** A title and one figure a line, names aligned. */
function report(title: string, rows: readonly Row[]): string {
  const lines = rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${name.padEnd(13)} ${onOneLine(value)}\n`);
  return `${onOneLine(title)}\n${lines.join('')}`;
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${number(count)} ${kind}`)
    .join(', ');
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

export interface InspectedArchive extends Omit<Manifest, 'kind' | 'frames'> {
  readonly kind: 'archive';
  readonly path: string;
  readonly frames: readonly (ManifestFrame & { readonly chars: number })[];
  readonly parts: readonly InspectedPart[];
  readonly elided: readonly ElisionSum[];
  readonly pinnedChars: number;
  /** Of the newest request. */
  readonly liveChars: number;
  /** Exact values kept as text, and those that exist only as pixels, by kind. */
  readonly facts: Readonly<Record<string, number>>;
  readonly pixelsOnly: Archive['factsheet']['pixelsOnly'];
  /** Frames and parts that are not what was saved. */
  readonly damaged: readonly { readonly file: string; readonly reason: string }[];
}

type InspectedPart =
  | { readonly type: 'frame'; readonly frame: number }
  | { readonly type: 'text'; readonly role: 'head' | 'page' | 'tail'; readonly chars: number };

/** Elisions of one reason and kind. */
export interface ElisionSum extends Pick<Elision, 'reason' | 'what' | 'chars'> {
  readonly count: number;
}

async function showArchive(path: string, options: CommonOptions, io: Io): Promise<void> {
  const damaged: { file: string; reason: string }[] = [];
  const onRepair = (file: string, reason: string) => damaged.push({ file, reason });
  const archive = await loadArchive(path, { onRepair, signal: io.signal }).catch((error: unknown) => {
    throw isNoArchive(error) ? unknownInput(path, 'a folder without an archive in it') : error;
  });
  const inspected = inspectedArchive(path, archive, damaged);
  print(io, options, inspected, () => archiveText(inspected));
  if (options.quiet) return;
  for (const { file, reason } of damaged)
    io.err(`snapcompact: note: damaged: ${onOneLine(`${file}: ${reason}`)}\n`);
}

function isNoArchive(error: unknown): boolean {
  const { code, complaint } = error as Partial<SnapcompactError>;
  return code === 'unreadable-input' && complaint?.where?.endsWith(MANIFEST_FILE) === true;
}

function unknownInput(where: string, got: string): SnapcompactError {
  const expected = 'an archive, a frame or a transcript';
  return new SnapcompactError('unrecognised-format', { expected, of: 'the input', got, where });
}

function inspectedArchive(
  path: string,
  archive: Archive,
  damaged: InspectedArchive['damaged'],
): InspectedArchive {
  const { frames, ...manifest } = manifestOf(archive);
  return {
    ...manifest,
    kind: 'archive',
    path,
    frames: frames.map((frame) => ({ ...frame, chars: archive.frames[frame.index]!.text.length })),
    parts: archive.parts.map(inspectedPart),
    elided: elisionSums(archive.elisions),
    pinnedChars: archive.pins.length,
    liveChars: archive.live.length,
    facts: countBy(archive.factsheet.facts, ({ kind }) => kind),
    pixelsOnly: archive.factsheet.pixelsOnly,
    damaged,
  };
}

function inspectedPart(part: Part): InspectedPart {
  return part.type === 'frame' ? part : { type: 'text', role: part.role, chars: part.text.length };
}

function elisionSums(elisions: readonly Elision[]): ElisionSum[] {
  const sums = new Map<string, ElisionSum>();
  for (const { reason, what, chars } of elisions) {
    const sum = sums.get(`${reason} ${what}`) ?? { reason, what, count: 0, chars: 0 };
    sums.set(`${reason} ${what}`, { ...sum, count: sum.count + 1, chars: sum.chars + chars });
  }
  return [...sums.values()];
}

function archiveText(archive: InspectedArchive): string {
  const { path, reader, counts, cost, scopes, binding, frames, budget } = archive;
  const rows: Row[] = [
    ...sourceRows(archive.source),
    ['reader', `${reader.model}, ${reader.shape} on ${reader.frame.widthPx}×${reader.frame.maxHeightPx}`],
    [
      'messages',
      `${number(counts.messages)} in ${plural(counts.segments, 'segment')} (${scopes.join(', ')})`,
    ],
    [
      'characters',
      `${number(counts.sourceChars)} in the source, ${number(counts.printedChars)} printed, ${number(counts.framedChars)} in frames`,
    ],
    ['spelled out', countOrNothing(counts.spelled, 'character')],
    ['dropped', countOrNothing(counts.dropped, 'control character')],
    ['shapes', listed(countBy(frames, ({ shape, tier }) => `${shape} (${tier})`))],
    ['bytes', `${number(counts.bytes)} of ${archive.settings.mime}`],
    [
      'tokens',
      `${number(cost.imageTokens)} predicted for frames, ${number(cost.totalTokens)} in all; ${number(cost.replacedTokens)} for the source as text`,
    ],
    ['limit', bindingLine(binding, counts.frames)],
    ...degradeRows(archive),
    ...elisionRows(archive),
    ['facts', factsLine(archive)],
    ['pins', pinsLine(archive)],
    ['live request', countOrNothing(archive.liveChars, 'character')],
    ['settings', settingsLine(archive)],
    ['budget', figures(budget)],
    ['parts', partsLine(archive.parts)],
  ];
  const title = `${path}: an archive of ${plural(counts.frames, 'frame')}, ${number(counts.openFrames)} of them open`;
  return report(title, rows) + frameTable(frames);
}

function sourceRows(source: Archive['source']): Row[] {
  if (source === undefined) return [];
  const { name, format, bytes, sha256, sessionId = '', title = '', cwd = '', model = '' } = source;
  return [
    ['source', `${name} (${format}), ${plural(bytes, 'byte')}, sha256 ${sha256}`],
    ['session', sessionId],
    ['title', title],
    ['folder', cwd],
    ['model', model],
  ];
}

function countOrNothing(count: number, noun: string): string {
  return count === 0 ? '' : plural(count, noun);
}

function degradeRows({ layout }: InspectedArchive): Row[] {
  return Object.entries(layout.degradation).map(([step, end]) => [
    'cut down',
    `step ${step}, up to segment ${number(end)}`,
  ]);
}

function elisionRows({ elisions, elided }: InspectedArchive): Row[] {
  if (elided.length === 0) return [['elisions', 'none']];
  const sums = elided.map(({ reason, what, count, chars }): Row => {
    return ['elisions', `${reason}: ${number(count)} × ${what}, ${plural(chars, 'character')}`];
  });
  return [...sums, ...droppedLine(elisions).map((line): Row => ['', line])];
}

function factsLine({ facts, pixelsOnly }: InspectedArchive): string {
  const rest = listed(pixelsOnly);
  return `${listed(facts) || 'none'}${rest === '' ? '' : `; only as pixels: ${rest}`}`;
}

function pinsLine({ settings, pinnedChars }: InspectedArchive): string {
  if (settings.pins.length === 0 && pinnedChars === 0) return '';
  return `${plural(pinnedChars, 'character')}, by ${settings.pins.join(' ') || 'no rule: user turns that fit no frame'}`;
}

function settingsLine({ settings }: InspectedArchive): string {
  const { reasoning, sourceBytes, caps, target, limits } = settings;
  return figures({ reasoning: reasoning ? 'on' : 'off', sourceBytes, ...caps, ...target, ...limits });
}

function figures(values: object): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}

/** In order, frames that follow each other together. */
function partsLine(parts: readonly InspectedPart[]): string {
  const names: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (part.type === 'text') names.push(`${part.role} text (${plural(part.chars, 'character')})`);
    else {
      let end = i;
      while (parts[end + 1]?.type === 'frame') end++;
      const count = end - i;
      names.push(
        count === 0 ? `frame ${part.frame + 1}` : `frames ${part.frame + 1}–${part.frame + 1 + count}`,
      );
      i = end;
    }
  }
  return names.join(', ') || 'none';
}

const columns = ['frame', 'tier', 'shape', 'size', 'bytes', 'characters', 'state', 'entries'] as const;

function frameTable(frames: InspectedArchive['frames']): string {
  if (frames.length === 0) return '';
  const rows = frames.map((frame) => [
    frame.file,
    frame.tier,
    frame.shape,
    `${frame.widthPx}×${frame.heightPx}`,
    number(frame.bytes),
    number(frame.chars),
    frame.sealed ? 'sealed' : 'open',
    onOneLine(`${frame.entries.first} – ${frame.entries.last}`),
  ]);
  const lines = [columns, ...rows];
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]!.length)));
  const isFigure = (i: number) => i === 4 || i === 5;
  return lines
    .map((cells) =>
      cells.map((cell, i) => (isFigure(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join('  '),
    )
    .map((line) => `  ${line.trimEnd()}\n`)
    .join('');
}

export interface InspectedFrame
  extends Pick<DecodedFrame, 'shape' | 'columnsCells' | 'rowsCells' | 'unread'> {
  readonly kind: 'frame';
  readonly path: string;
  readonly mime: 'image/png' | 'image/webp';
  readonly bytes: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitDepth: 1 | 2;
  /** The shape that the file names; `null`: none, and `shape` was found from the pixels. */
  readonly namedShape: string | null;
  readonly chars: number;
  readonly dimChars: number;
  readonly firstLine: string;
}

async function showFrame(path: string, kind: 'png' | 'webp', options: CommonOptions, io: Io): Promise<void> {
  const frame = await inspectedFrame(path, kind).catch((error: unknown) => {
    const isOther = error instanceof SnapcompactError && error.code === 'undecodable-frame';
    throw isOther ? new SnapcompactError('unrecognised-format', { ...error.complaint, cause: error }) : error;
  });
  print(io, options, frame, () => frameText(frame));
}

async function inspectedFrame(path: string, kind: 'png' | 'webp'): Promise<InspectedFrame> {
  const file = await readInput(path, 'a frame');
  const png = kind === 'png' ? file : await (await import('../frame/webp.js')).fromWebp(file, path);
  const { widthPx, heightPx, bitDepth, shape: named } = readPng(png, path);
  const { text, dim, shape, columnsCells, rowsCells, unread } = decodeFrame(png, { where: path });
  return {
    kind: 'frame',
    path,
    mime: `image/${kind}`,
    bytes: file.length,
    widthPx,
    heightPx,
    bitDepth,
    // A WebP that lost its name on the way comes back with an empty one.
    namedShape: named || null,
    shape,
    columnsCells,
    rowsCells,
    chars: text.length,
    dimChars: dim.reduce((sum, { from, to }) => sum + to - from, 0),
    unread,
    firstLine: text.slice(0, text.includes('█') ? text.indexOf('█') : undefined),
  };
}

function frameText(frame: InspectedFrame): string {
  const { unread, firstLine } = frame;
  const first = unread[0];
  const where = first === undefined ? '' : `, the first at row ${first.row + 1} column ${first.column + 1}`;
  return report(`${frame.path}: a frame`, [
    ['size', `${frame.widthPx}×${frame.heightPx} pixels, ${plural(frame.bitDepth, 'bit')} each`],
    ['bytes', `${number(frame.bytes)} of ${frame.mime}`],
    [
      'shape',
      `${frame.shape} (${frame.namedShape === frame.shape ? 'named in the file' : 'found from the pixels'})`,
    ],
    ['cells', `${plural(frame.columnsCells, 'column')}, ${plural(frame.rowsCells, 'row')}`],
    ['characters', `${number(frame.chars)}, ${number(frame.dimChars)} of them dim`],
    ['unread', unread.length === 0 ? 'none' : `${plural(unread.length, 'cell')}${where}`],
    ['first line', firstLine.length > SHOWN_CHARS ? `${firstLine.slice(0, SHOWN_CHARS)}…` : firstLine],
  ]);
}

const SHOWN_CHARS = 100;

export interface InspectedTranscript extends Omit<Transcript, 'history'> {
  readonly kind: 'transcript';
  readonly path: string;
  readonly messages: number;
  readonly roles: Readonly<Record<string, number>>;
  /** By kind. */
  readonly blocks: Readonly<Record<string, number>>;
  /** Messages that their role did not write, and those of subagents and of abandoned branches. */
  readonly injected: number;
  readonly ofSubagents: number;
  readonly ofBranches: number;
  /** ISO 8601, where the messages say. */
  readonly firstTime?: string;
  readonly lastTime?: string;
}

/** An archive of another program may be a file, which no format of transcripts claims but plain text. */
async function showTranscript(path: string, options: InspectCommandOptions, io: Io): Promise<void> {
  const read = await readOrRefusal(path, options, io);
  const isClaimed = !(read instanceof SnapcompactError) && (read.format !== 'text' || options.formatIn);
  if (!isClaimed && path !== '-' && (await isShownAsArchive(path, options, io))) return;
  if (read instanceof SnapcompactError) throw read;
  const transcript = inspectedTranscript(path, read);
  print(io, options, transcript, () => transcriptText(transcript));
}

async function readOrRefusal(
  path: string,
  { formatIn }: InspectCommandOptions,
  io: Io,
): Promise<Transcript | SnapcompactError> {
  const source = path === '-' ? { name: 'stdin', data: process.stdin } : path;
  try {
    return await readTranscript(source, {
      ...(formatIn !== undefined && { format: formatIn }),
      signal: io.signal,
    });
  } catch (error) {
    if (error instanceof SnapcompactError && error.code === 'unrecognised-format') return error;
    throw error;
  }
}

async function isShownAsArchive(path: string, options: CommonOptions, io: Io): Promise<boolean> {
  try {
    await showArchive(path, options, io);
    return true;
  } catch (error) {
    if (error instanceof SnapcompactError && error.code !== 'interrupted') return false;
    throw error;
  }
}

function inspectedTranscript(path: string, { history, ...transcript }: Transcript): InspectedTranscript {
  const { messages } = history;
  const countOf = (test: (message: Message) => unknown) =>
    messages.reduce((sum, message) => sum + (test(message) === undefined ? 0 : 1), 0);
  return {
    kind: 'transcript',
    path,
    ...transcript,
    messages: messages.length,
    roles: countBy(messages, ({ role }) => role),
    blocks: countBy(
      messages.flatMap(({ blocks }) => blocks),
      ({ type }) => type,
    ),
    injected: countOf(({ injected }) => injected),
    ofSubagents: countOf(({ agent }) => agent),
    ofBranches: countOf(({ branch }) => branch),
    ...timesOf(messages),
  };
}

/** The last millisecond that a date can hold. */
const MAX_TIME_MS = 8.64e15;

function timesOf(messages: readonly Message[]): Pick<InspectedTranscript, 'firstTime' | 'lastTime'> {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { timeMs = Number.NaN } of messages) {
    if (!(Math.abs(timeMs) <= MAX_TIME_MS)) continue;
    first = Math.min(first, timeMs);
    last = Math.max(last, timeMs);
  }
  if (first > last) return {};
  return { firstTime: new Date(first).toISOString(), lastTime: new Date(last).toISOString() };
}

function transcriptText(transcript: InspectedTranscript): string {
  const { path, format, confidence, bytes, sha256, report: read, roles, firstTime, lastTime } = transcript;
  const { injected, ofSubagents, ofBranches } = transcript;
  const others = { injected, 'of subagents': ofSubagents, 'of branches': ofBranches };
  const present = Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0));
  return report(`${path}: a transcript`, [
    ['format', `${format} (${confidence})`],
    ['bytes', `${number(bytes)}, sha256 ${sha256}`],
    ['session', transcript.sessionId ?? ''],
    ['title', transcript.title ?? ''],
    ['folder', transcript.cwd ?? ''],
    ['model', transcript.model ?? ''],
    ['time', firstTime === undefined ? '' : `${firstTime} to ${lastTime}`],
    ['messages', `${number(transcript.messages)}: ${listed(roles) || 'none'}`],
    ['of them', listed(present)],
    ['blocks', listed(transcript.blocks)],
    ['records', number(read.records)],
    ['skipped', listed(read.skipped)],
    ['unknown', listed(read.unknown)],
    ...firstFew(
      read.broken.map(({ file, line, reason }) => `${file ? `${file} ` : ''}line ${line}: ${reason}`),
    ).map((line): Row => ['broken', line]),
    ...firstFew(read.warnings).map((line): Row => ['warning', line]),
  ]);
}

const SHOWN = 5;

function firstFew(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN) return lines;
  return [...lines.slice(0, SHOWN), `and ${number(lines.length - SHOWN)} more of these (--json lists all)`];
}
