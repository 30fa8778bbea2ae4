/** `snapcompact rearchive`: more history for an archive, or the same at another shape, model or budget. */
import { resolve } from 'node:path';
import type { Archive } from '../archive/archive.js';
import { loadArchive } from '../archive/load-archive.js';
import { type RearchiveOptions, rearchive } from '../archive/rearchive.js';
import { type SaveOptions, saveArchive } from '../archive/save-archive.js';
import { type UpdateOptions, updateArchive } from '../archive/update-archive.js';
import { SnapcompactError } from '../errors.js';
import type { Transcript } from '../transcript/importer.js';
import { readTranscript } from '../transcript/read-transcript.js';
import { archiveReport } from './archive-report.js';
import { archivedResult } from './archive-result.js';
import { type EngineCommandOptions, engineOptions, pick } from './engine-options.js';
import { type Io, onOneLine, print } from './io.js';
import { ProgressLine } from './progress.js';
import { readConfig } from './settings.js';

export interface RearchiveCommandOptions extends EngineCommandOptions {
  readonly formatIn?: string;
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
  const engine = engineOptions(options, { ...config, settings: pick(config.settings, ['threads']) });
  const transcript = path === undefined ? undefined : await read(path, options, io);
  const progress = new ProgressLine(io, options);
  let before: Archive | undefined;
  const pass = (previous: Archive) => {
    before = previous;
    return rearchive(previous, transcript?.history, {
      ...engine,
      ...(transcript && additionOf(previous, transcript)),
      onFrame: (done, total) => progress.show(`frames of ${target}`, done, total),
      signal: io.signal,
    });
  };
  const { out, force = false, keepOld = false } = options;
  const onRepair = (file: string, reason: string) => {
    if (!options.quiet) io.err(`snapcompact: note: painted anew: ${onOneLine(`${file}: ${reason}`)}\n`);
  };
  const archive = await (out === undefined
    ? updateArchive(target, pass, { keepOld, onRepair })
    : passInto(out, target, pass, { force, keepOld, onRepair }));
  progress.clear();
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
    ...(transcript && { format: transcript.format, import: transcript.report }),
  };
  if (!options.json && options.quiet) return;
  print(io, options, result, () =>
    result.status === 'unchanged'
      ? `${onOneLine(target)}: nothing new, nothing changed\n`
      : archiveReport(result),
  );
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

async function read(path: string, { formatIn }: RearchiveCommandOptions, io: Io): Promise<Transcript> {
  const source = path === '-' ? { name: 'stdin', data: process.stdin } : path;
  return readTranscript(source, { ...(formatIn !== undefined && { format: formatIn }), signal: io.signal });
}

/**
 * What a transcript is to an archive. The session of the archive, grown, takes the place of its source: a record written
 * since may belong to a message that is archived already. Any other transcript is more history.
 */
function additionOf(archive: Archive, transcript: Transcript): Pick<RearchiveOptions, 'isWhole' | 'source'> {
  if (!isSameSource(archive, transcript)) return {};
  const held = new Set(transcript.history.messages.map(({ id }) => id));
  const missing = archive.segments.find(({ entryId }) => !held.has(entryId));
  if (missing !== undefined) throw lostEntry(missing.entryId, transcript.name);
  return { isWhole: true, source: transcript };
}

function isSameSource({ source }: Archive, { sessionId, name, format }: Transcript): boolean {
  if (source === undefined || source.format !== format) return false;
  if (source.sessionId !== undefined && sessionId !== undefined) return source.sessionId === sessionId;
  return source.name === name;
}

/** To guess what is new would drop or double what was said. */
function lostEntry(entryId: string, where: string): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: 'every entry that is archived already',
    of: 'a later state of the same session',
    got: `none with id ${entryId}`,
    where,
    hint: 'archive it as a session of its own',
  });
}
