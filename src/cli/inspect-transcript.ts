/** What `inspect` says of a transcript. */
import { SnapcompactError } from '../errors.js';
import type { Message } from '../history/history.js';
import type { Transcript } from '../transcript/importer.js';
import { readTranscript } from '../transcript/read-transcript.js';
import { showArchive } from './inspect-archive.js';
import { type CommonOptions, type Io, number, print } from './io.js';
import { countBy, firstFew, listed, type Row, report } from './report.js';

export interface InspectCommandOptions extends CommonOptions {
  /** Take a transcript for this format. */
  readonly formatIn?: string;
}

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
export async function showTranscript(path: string, options: InspectCommandOptions, io: Io): Promise<void> {
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
