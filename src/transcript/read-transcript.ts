/** Reads a foreign transcript: opens it, recognises it, and runs its importer over every record. */
import { createHash } from 'node:crypto';
import { interruption, SnapcompactError } from '../errors.js';
import { type ChosenFormat, chooseFormat, type FormatChoiceOptions } from './choose-format.js';
import { type Unpacked, unpack } from './compressed.js';
import { readHead, replay, type SourceHead } from './head.js';
import type { Imported, Importer, RecordSink, Transcript } from './importer.js';
import type { JsonEvents } from './json-lines.js';
import { openStored, type StoredSource } from './opencode-source.js';
import { sideFolderOf } from './side-folder.js';
import { type OpenSource, openSource, type TranscriptSource } from './source.js';
import { ImportTally } from './tally.js';
import { utf8Chunks } from './utf8-chunks.js';

export interface ReadTranscriptOptions extends FormatChoiceOptions {
  /** Append abandoned branches of a session tree, marked. Default false. */
  readonly branches?: boolean;
  /** Include what subagents said, after the call that started them. Default true. */
  readonly subagents?: boolean;
  /** Stops reading; the promise rejects with `interrupted`. */
  readonly signal?: AbortSignal;
}

/**
 * What OpenCode stores in a folder or a database is read from there; if it holds several sessions, name the file of
 * one, or `<database>#<session id>`.
 *
 * Unknown records and broken lines do not stop an import: they are counted in `report`. With `strict` a broken
 * line is an error, and so is a format that is only probable.
 *
 * Memory is bounded by the history and the largest record. Throws `unreadable-input`, `unrecognised-format`,
 * `broken-input`, `usage` (unknown `format`) and `interrupted`.
 */
export async function readTranscript(
  source: TranscriptSource,
  options: ReadTranscriptOptions = {},
): Promise<Transcript> {
  const opened = (await openStored(source, options.format)) ?? (await openSource(source));
  const meter = new Meter(opened, options.signal);
  const unpacked = unpack(meter.chunks(), opened.name);
  const head = await readHead(utf8Chunks(unpacked.chunks, opened.name));
  try {
    const chosen = chooseFormat(head, opened.name, options);
    return await runImport(chosen, head, opened, meter, unpacked, options);
  } finally {
    await head.rest.return?.();
  }
}

async function runImport(
  { importer, confidence }: ChosenFormat,
  head: SourceHead,
  opened: OpenSource | StoredSource,
  meter: Meter,
  unpacked: Unpacked,
  options: ReadTranscriptOptions,
): Promise<Transcript> {
  const tally = new ImportTally();
  const { branches = false, subagents = true } = options;
  const sink = importer.open({
    options: { branches, subagents },
    tally,
    ...(opened.path !== undefined && { side: sideFolderOf(withoutPacking(opened.path), tally) }),
  });
  if (importer.reads === 'text') await pushText(head, sink, tally);
  else await pushRecords(head, importer, sink, tally);
  if (unpacked.damage !== undefined) {
    if (options.strict === true) throw unpacked.damage;
    tally.warn(`${unpacked.damage.message}; what came before was read`);
  }
  if ('faults' in opened) {
    for (const broken of opened.faults.broken) tally.broken(broken);
    for (const warning of opened.faults.warnings) tally.warn(warning);
  }
  refuseIfBroken(tally, opened.name, options.strict === true);
  const imported = await sink.finish();
  warnIfSilent(tally, imported);
  return {
    ...imported,
    format: importer.name,
    confidence,
    name: opened.name,
    ...meter.result(),
    report: tally.report(),
  };
}

/** `x.jsonl.zst` was `x.jsonl` when its side folder got its name. */
function withoutPacking(path: string): string {
  return path.replace(/\.(?:gz|zst)$/i, '');
}

const damagedText = 'bytes that are not UTF-8 were replaced by U+FFFD';

async function pushRecords(
  head: SourceHead,
  importer: Importer,
  sink: RecordSink,
  tally: ImportTally,
): Promise<void> {
  const events: JsonEvents = {
    value(value, line) {
      tally.records += 1;
      sink.record(value, line);
    },
    damaged: () => tally.warn(damagedText),
    passed(kind) {
      tally.records += 1;
      tally.skip(kind);
    },
    broken(line, reason, torn) {
      tally.broken({ line, reason });
      if (torn) tally.warn(`line ${line} is cut off: the writer stopped in the middle of it`);
    },
    noise(line) {
      if (importer.mixed === true) tally.skip('line of other text');
      else tally.broken({ line, reason: 'not JSON' });
    },
  };
  replay(head.events, events);
  head.relay.target = events;
  head.reader.passOver = importer.passOver?.bind(importer);
  if (head.complete) return;
  for (let next = await head.rest.next(); next.done !== true; next = await head.rest.next()) {
    head.reader.push(next.value);
  }
  head.reader.end();
}

async function pushText(head: SourceHead, sink: RecordSink, tally: ImportTally): Promise<void> {
  const decoder = new TextDecoder();
  const push = (text: string): void => {
    if (text.includes('\ufffd')) tally.warn(damagedText);
    if (text !== '') sink.record(text, 1);
  };
  for (const chunk of head.chunks) push(decoder.decode(chunk, { stream: true }));
  while (!head.complete) {
    const next = await head.rest.next();
    if (next.done === true) break;
    push(decoder.decode(next.value, { stream: true }));
  }
  push(decoder.decode());
  tally.records = 1;
}

/** A file may have the look of a format and say nothing in it: another program's, or a newer version's. */
function warnIfSilent(tally: ImportTally, { history }: Imported): void {
  const { skipped, unknown } = tally.report();
  const isLost = Object.keys(unknown).length > 0 || skipped['empty message'] !== undefined;
  if (history.messages.length > 0 || !isLost) return;
  tally.warn(`no message was found in ${tally.records} records; the file may be of another format`);
}

/** A source that is not blank and gave no record, or with `strict` any broken line. */
function refuseIfBroken(tally: ImportTally, name: string, strict: boolean): void {
  const first = tally.report().broken[0];
  if (tally.records > 0 && (first === undefined || !strict)) return;
  throw new SnapcompactError('broken-input', {
    expected: tally.records === 0 ? 'at least one readable record' : 'a transcript without broken lines',
    of: name,
    got: tally.records === 0 ? 'none' : `${tally.brokenCount} broken`,
    ...(first !== undefined && {
      where: `${first.file === undefined ? '' : `${first.file}, `}line ${first.line}: ${first.reason}`,
    }),
    ...(tally.records > 0 && { hint: 'without --strict the other lines are read' }),
  });
}

/** Counts and digests the bytes of a source as they pass. */
class Meter {
  readonly #source: OpenSource;
  readonly #signal: AbortSignal | undefined;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(source: OpenSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    for await (const chunk of this.#source.chunks) {
      if (this.#signal?.aborted === true) throw interruption(this.#source.name, this.#signal);
      this.#bytes += chunk.length;
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  result(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
