/** Transcripts that a command is given: how they are read, and what an archive remembers of that. */
import type { Archive, ArchiveSource } from '../archive/archive.js';
import type { Transcript } from '../transcript/importer.js';
import { readTranscript } from '../transcript/read-transcript.js';
import { pick } from './engine-options.js';
import type { Io } from './io.js';

export interface ReadingOptions {
  readonly formatIn?: string;
  readonly strict?: boolean;
  /** With abandoned branches of a session tree; without, by default. */
  readonly branches?: boolean;
  /** With what subagents said, by default; or without. */
  readonly subagents?: boolean;
}

/** `-` is standard input. */
export function readGiven(path: string, options: ReadingOptions, io: Io): Promise<Transcript> {
  const source = path === '-' ? { name: 'stdin', data: process.stdin } : path;
  return readTranscript(source, {
    ...(options.formatIn !== undefined && { format: options.formatIn }),
    ...pick(options, ['strict', 'branches', 'subagents']),
    signal: io.signal,
  });
}

/** The source that an archive records, so that a later state of it is read in the same way. */
export function sourceAsRead(
  transcript: Transcript,
  { branches = false, subagents = true }: ReadingOptions,
): ArchiveSource {
  return { ...transcript, ...(branches && { branches }), ...(!subagents && { subagents }) };
}

/** Of an archive's own transcript, for what a later pass is not told. */
export function asReadBefore({ source }: Archive): ReadingOptions {
  return source === undefined ? {} : pick(source, ['branches', 'subagents']);
}
