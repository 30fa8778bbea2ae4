/** `snapcompact archive`: transcripts in, archive folders out, one report each. */
import { join, resolve } from 'node:path';
import type { Archive } from '../archive/archive.js';
import { type ArchiveOptions, archiveHistory } from '../archive/archive-history.js';
import { contextBlocks } from '../archive/context-blocks.js';
import { planArchive } from '../archive/plan-archive.js';
import { checkPlace, saveArchive } from '../archive/save-archive.js';
import type { Config } from '../billing/config.js';
import { countWithAnthropic } from '../billing/count-with-anthropic.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { predictTokens } from '../billing/predict-tokens.js';
import { type ErrorCode, exitCodes, SnapcompactError } from '../errors.js';
import { createRenderer } from '../frame/create-renderer.js';
import type { Renderer } from '../frame/renderer.js';
import type { Transcript } from '../transcript/importer.js';
import { archiveReport } from './archive-report.js';
import {
  type Archived,
  type ArchiveResult,
  archivedResult,
  type Failed,
  type Planned,
} from './archive-result.js';
import { type EngineCommandOptions, engineOptions, pick } from './engine-options.js';
import { expandInputs, type InputFile, TargetNames } from './inputs.js';
import { type Io, onOneLine, print } from './io.js';
import { planExitCode, planResult } from './plan-command.js';
import { planReport } from './plan-report.js';
import { ProgressLine } from './progress.js';
import { type ReadingOptions, readGiven, sourceAsRead } from './reading.js';
import { readConfig } from './settings.js';

export interface ArchiveCommandOptions extends EngineCommandOptions, ReadingOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly keepOld?: boolean;
  /** Say what would be archived, and write nothing. */
  readonly dryRun?: boolean;
  /** Ask Anthropic's free counter what the context blocks cost. */
  readonly countTokens?: boolean;
}

/** Returns the exit code: 0, the failure's own for a single input, 3 when any of several failed. */
export async function archiveCommand(
  given: readonly string[],
  options: ArchiveCommandOptions,
  io: Io,
): Promise<number> {
  if (options.countTokens && !io.env['ANTHROPIC_API_KEY']) throw noKey();
  const config = await readConfig(io);
  const { files, leftAlone, unreadable, areMany } = await expandInputs(given);
  if (files.length + unreadable.length === 0) throw noTranscripts(given);
  // Before anything is read and painted for a place that takes nothing.
  if (options.out !== undefined) await checkPlace(resolve(areMany ? join(options.out, 'one') : options.out));
  for (const path of leftAlone) if (!options.quiet) io.err(`left alone: ${onOneLine(path)}\n`);
  const job = new ArchiveJob(options, config, areMany, io);
  const results: ArchiveResult[] = unreadable.map((error) => job.fail(error.complaint.where ?? '', error));
  try {
    for (const file of files) results.push(await job.run(file));
  } finally {
    await job.close();
  }
  if (options.json) print(io, options, areMany ? results : results[0], () => '');
  return job.exitCode;
}

class ArchiveJob {
  exitCode = 0;
  readonly #options: ArchiveCommandOptions;
  readonly #engine: ArchiveOptions;
  readonly #overrides: BillingOverrides;
  readonly #areMany: boolean;
  readonly #io: Io;
  readonly #names = new TargetNames();
  readonly #renderer: Renderer;

  constructor(options: ArchiveCommandOptions, config: Config, areMany: boolean, io: Io) {
    this.#options = options;
    this.#engine = engineOptions(options, config);
    this.#overrides = config.overrides;
    this.#areMany = areMany;
    this.#io = io;
    this.#renderer = createRenderer(pick(this.#engine, ['threads']));
  }

  close(): Promise<void> {
    return this.#renderer.close();
  }

  /** One bad file does not stop the others; an interruption and bad usage do. */
  async run(file: InputFile): Promise<ArchiveResult> {
    const progress = new ProgressLine(this.#io, this.#options);
    try {
      const result = await this.#archive(file, progress);
      progress.clear();
      const { json, quiet } = this.#options;
      if (!json && !quiet) this.#io.out(reportOf(file.path, result));
      return result;
    } catch (error) {
      progress.clear();
      if (error instanceof SnapcompactError && !isOfOneFile(error)) throw error;
      return this.fail(file.path, error);
    }
  }

  fail(input: string, error: unknown): Failed {
    const known = error instanceof SnapcompactError ? error : ownFault(error);
    const words = known.code === 'internal' ? known.message : onOneLine(known.message);
    this.#io.err(`snapcompact: ${onOneLine(input)}: ${words}\n`);
    this.exitCode = this.#areMany ? exitCodes['unreadable-input'] : known.exitCode;
    return { input, status: 'failed', error: { code: known.code, message: known.message } };
  }

  async #archive(file: InputFile, progress: ProgressLine): Promise<Archived | Planned> {
    const { out, force = false, keepOld = false, dryRun, countTokens } = this.#options;
    const transcript = await this.#read(file);
    const engine = {
      ...this.#engine,
      source: sourceAsRead(transcript, this.#options),
      signal: this.#io.signal,
    };
    if (dryRun) {
      const plan = await planArchive(transcript.history, { ...engine, purpose: 'archive' });
      const exitCode = planExitCode(plan.status, this.#options);
      if (exitCode > 0) this.exitCode = this.#areMany ? exitCodes['unreadable-input'] : exitCode;
      return planResult(file.path, plan);
    }
    const archive = await archiveHistory(transcript.history, {
      ...engine,
      renderer: this.#renderer,
      onFrame: (done, total) => progress.show(`frames of ${file.path}`, done, total),
    });
    const name = this.#names.next(transcript.sessionId, transcript.name);
    const folder = resolve(this.#areMany ? join(out ?? '.', name) : (out ?? name));
    await saveArchive(archive, folder, { force, keepOld });
    const { route } = this.#engine;
    return {
      ...archivedResult(archive, { input: file.path, folder, overrides: this.#overrides, route }),
      format: transcript.format,
      import: transcript.report,
      ...(countTokens && (await this.#count(archive))),
    };
  }

  /** The archive is saved by now: a counter that gives no answer is told beside it, and by the exit code. */
  async #count(archive: Archive): Promise<Pick<Archived, 'counted' | 'countFailure'>> {
    const { env, signal } = this.#io;
    const { reader } = archive;
    const blocks = contextBlocks(archive);
    try {
      const counted = await countWithAnthropic({
        model: reader.model,
        blocks,
        predictedTokens: predictTokens(blocks, reader, this.#overrides).tokens,
        apiKey: env['ANTHROPIC_API_KEY'] ?? '',
        ...(env['ANTHROPIC_BASE_URL'] !== undefined && { baseUrl: env['ANTHROPIC_BASE_URL'] }),
        signal,
      });
      return { counted };
    } catch (error) {
      if (!(error instanceof SnapcompactError) || error.code === 'interrupted') throw error;
      this.#io.err(`snapcompact: ${onOneLine(error.message)}\n`);
      this.exitCode = exitCodes['model-call-failed'];
      return { countFailure: { code: error.code, message: error.message } };
    }
  }

  async #read({ path, isFound }: InputFile): Promise<Transcript> {
    const transcript = await readGiven(path, this.#options, this.#io);
    if (isFound && transcript.format === 'text' && transcript.confidence === 'probable')
      throw notATranscript(path);
    return transcript;
  }
}

const oneFileCodes: ReadonlySet<ErrorCode> = new Set([
  'target-exists',
  'unwritable-target',
  'archive-in-use',
  'worker-failed',
  'over-budget',
  'nothing-gained',
]);

/** Failures that say something of one input and nothing of the next. */
function isOfOneFile({ exitCode, code }: SnapcompactError): boolean {
  return exitCode === 3 || oneFileCodes.has(code);
}

function ownFault(error: unknown): SnapcompactError {
  return new SnapcompactError('internal', {
    expected: 'to be archived',
    of: 'the transcript',
    got: `a fault of snapcompact's own: ${error instanceof Error ? error.stack : String(error)}`,
    cause: error,
  });
}

function noKey(): SnapcompactError {
  return new SnapcompactError('usage', {
    expected: 'an API key of Anthropic in ANTHROPIC_API_KEY',
    of: '--count-tokens',
    got: 'none',
  });
}

function noTranscripts(given: readonly string[]): SnapcompactError {
  return new SnapcompactError('unreadable-input', {
    expected: 'at least one transcript',
    of: 'the input',
    got: `none in ${given.join(', ')}`,
  });
}

/** A file that somebody names is archived as the text it is; one that lies in a folder should look like a transcript. */
function notATranscript(path: string): SnapcompactError {
  return new SnapcompactError('unrecognised-format', {
    expected: 'a transcript',
    of: 'a file found in a folder',
    got: 'JSON of no known format',
    where: path,
    hint: 'name the file itself, with --format-in text, to archive it as text',
  });
}

function reportOf(input: string, result: Archived | Planned): string {
  return 'folder' in result
    ? archiveReport(result)
    : planReport(input, { ...result, status: result.status === 'nothing' ? 'nothing' : 'archive' });
}
