/** `snapcompact rearchive`: more history for an archive, or the same at another shape, model or budget. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Archive, ArchiveSource } from '../archive/archive.js';
import { type Continuation, compareWithArchive } from '../archive/continuation.js';
import { loadArchive } from '../archive/load-archive.js';
import { type RearchiveOptions, rearchive } from '../archive/rearchive.js';
import { type SaveOptions, saveArchive } from '../archive/save-archive.js';
import { type UpdateOptions, updateArchive } from '../archive/update-archive.js';
import { SnapcompactError } from '../errors.js';
import { segmentChars } from '../text/segment.js';
import type { Transcript } from '../transcript/importer.js';
import { archiveReport } from './archive-report.js';
import { type Archived, archivedResult } from './archive-result.js';
import { type EngineCommandOptions, engineOptions, pick } from './engine-options.js';
import { type Io, onOneLine, print } from './io.js';
import { ProgressLine } from './progress.js';
import { asReadBefore, type ReadingOptions, readGiven, sourceAsRead } from './reading.js';
import { readConfig } from './settings.js';

export interface RearchiveCommandOptions extends EngineCommandOptions, ReadingOptions {
  /** More history, even where it looks like a state of what is archived. */
  readonly add?: boolean;
  /** Leave the archive as it is, and write the result here. */
  readonly out?: string;
  readonly force?: boolean;
  readonly keepOld?: boolean;
}

export async function rearchiveCommand(
  target: string,
  path: string | undefined,
  options: RearchiveCommandOptions,
  io: Io,
): Promise<void> {
  const config = await readConfig(io);
  // Of the configuration only what says nothing of the archive: that keeps to what it was told.
  const own = { ...config, settings: pick(config.settings, ['threads']) };
  const progress = new ProgressLine(io, options);
  let before: Archive | undefined;
  let transcript: Transcript | undefined;
  const pass = async (previous: Archive) => {
    before = previous;
    const reading = { ...asReadBefore(previous), ...options };
    transcript = path === undefined ? undefined : await readGiven(path, reading, io);
    return rearchive(previous, transcript?.history, {
      ...engineOptions(options, own, previous.settings),
      ...(transcript && (await additionOf(previous, transcript, reading, io))),
      onFrame: (done, total) => progress.show(`frames of ${target}`, done, total),
      signal: io.signal,
    });
  };
  const { out, force = false, keepOld = false } = options;
  if (out !== undefined) await refuseItself(out, target);
  const repairs: string[] = [];
  const onRepair = (file: string, reason: string) => {
    const isFrame = file.startsWith('frames/');
    // Nothing but frames is taken over into another folder.
    if (isFrame || out === undefined)
      repairs.push(`${isFrame ? 'painted' : 'written'} anew: ${file}: ${reason}`);
  };
  const archive = await (out === undefined
    ? updateArchive(target, pass, { keepOld, onRepair })
    : passInto(out, target, pass, { force, keepOld, onRepair }));
  progress.clear();
  if (!options.quiet) for (const repair of repairs) io.err(`snapcompact: note: ${onOneLine(repair)}\n`);
  const known = new Set(before!.frames.map(({ sha256 }) => sha256));
  const result = {
    ...archivedResult(archive, {
      input: target,
      folder: resolve(out ?? target),
      overrides: config.overrides,
      route: archive.settings.target.route,
    }),
    status: archive === before && out === undefined ? ('unchanged' as const) : ('archived' as const),
    unchanged: archive.frames.filter(({ sha256 }) => known.has(sha256)).length,
    ...reasoningGone(before!, archive),
    ...(transcript && { format: transcript.format, import: transcript.report }),
  };
  if (!options.json && options.quiet) return;
  print(io, options, result, () =>
    result.status === 'unchanged'
      ? `${onOneLine(target)}: nothing new, nothing changed\n`
      : archiveReport(result),
  );
}

/** Reasoning that is switched off goes from the source, too, where nothing brings it back. */
function reasoningGone(before: Archive, { settings }: Archive): Pick<Archived, 'reasoningGone'> {
  const gone = settings.reasoning ? [] : before.segments.filter(({ scope }) => scope === 'think');
  if (gone.length === 0) return {};
  return {
    reasoningGone: { texts: gone.length, chars: gone.reduce((sum, each) => sum + segmentChars(each), 0) },
  };
}

/** `--out` leaves the archive as it is. */
async function refuseItself(out: string, target: string): Promise<void> {
  const [there, here] = await Promise.all([out, target].map((path) => realpath(path).catch(() => undefined)));
  if (there === undefined || there !== here) return;
  throw new SnapcompactError('usage', {
    expected: 'another folder than that of the archive',
    of: '--out',
    got: out,
    hint: 'leave --out away to write the archive itself',
  });
}

/** Also for a file of a foreign archive, which is never written. */
async function passInto(
  out: string,
  target: string,
  pass: (archive: Archive) => Promise<Archive>,
  { onRepair, ...options }: SaveOptions & Pick<UpdateOptions, 'onRepair'>,
): Promise<Archive> {
  const archive = await pass(await loadArchive(target, onRepair && { onRepair }));
  await saveArchive(archive, out, options);
  return archive;
}

/**
 * What a transcript is to an archive. The session of the archive, grown, takes the place of its source: a record written
 * since may belong to a message that is archived already. Any other transcript is more history.
 */
async function additionOf(
  archive: Archive,
  transcript: Transcript,
  options: RearchiveCommandOptions,
  { signal }: Io,
): Promise<Pick<RearchiveOptions, 'isWhole' | 'source'>> {
  if (options.add || archive.source === undefined) return {};
  const { source } = archive;
  if (source.sha256 === transcript.sha256 && source.format !== transcript.format)
    throw readOtherwise(source.format, transcript);
  if (!isNamedAlike(source, transcript) && source.sha256 !== transcript.sha256) return {};
  const { found, lacking } = await compareWithArchive(archive, transcript.history, { signal });
  if (lacking === undefined) return { isWhole: true, source: sourceAsRead(transcript, options) };
  // Formats that number their messages have the same ids in every file.
  if (found === 0 && source.sessionId === undefined) return {};
  throw changedEntry(lacking, transcript.name);
}

function isNamedAlike(source: ArchiveSource, { sessionId, name, format }: Transcript): boolean {
  if (source.format !== format) return false;
  if (source.sessionId !== undefined && sessionId !== undefined) return source.sessionId === sessionId;
  return source.name === name;
}

/** To guess what is new would drop or double what was said. */
function changedEntry(
  { entryId, isThere }: NonNullable<Continuation['lacking']>,
  where: string,
): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: 'every entry that is archived already, word for word',
    of: 'a later state of the same session',
    got: isThere ? `other words in ${entryId}` : `none with id ${entryId}`,
    where,
    hint: 'archive it as a session of its own, add all of it with --add, or, where it was rewound, read it with --branches',
  });
}

function readOtherwise(format: string, transcript: Transcript): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: `the format ${format}, in which it is archived`,
    of: 'the transcript',
    got: transcript.format,
    where: transcript.name,
    hint: `use --format-in ${format}`,
  });
}
