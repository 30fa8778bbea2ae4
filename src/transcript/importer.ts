/**
 * The contract of a transcript format.
 *
 * One format is one file in this folder that exports one `Importer`, and its line in `formats.ts`. The reader
 * finds the format from the first records (`detect`), then pushes every record of the source, in order, into the
 * sink that `open` returns, and asks it for the result. A sink never throws on a record it does not know: it
 * counts it.
 */
import type { History } from '../history/history.js';

export interface Importer {
  /** Name for `--format-in` and manifests: `claude-code`. */
  readonly name: string;
  /** For people: `Claude Code session JSONL`. */
  readonly title: string;
  /** `records` are JSON values pushed one by one (a whole JSON document is one value); `text` is decoded text. */
  readonly reads: 'records' | 'text';
  /** Whether lines of another program may stand between the records: a log that also caught stderr. */
  readonly mixed?: boolean;
  detect(probe: Probe): Confidence;
  open(context: ImportContext): RecordSink;
  /**
   * Names the kind of a line (blanks trimmed) that carries nothing to archive, judged by its bytes alone, so that
   * it need not be parsed; it is tallied as skipped. Undefined for every line that is not surely such.
   */
  passOver?(line: Uint8Array): string | undefined;
}

/** `certain`: the envelope of the format was seen. `probable`: nothing speaks against it; `--strict` refuses. */
export type Confidence = 'no' | 'probable' | 'certain';

/** The head of a source, as far as it is needed to recognise it. */
export interface Probe {
  /** The first parseable JSON values: 50, and up to 1000 with those that only keep the state of a session. */
  readonly records: readonly unknown[];
  /**
   * Values seen, as a share of values and lines of other text: a text may quote JSON. Unless it is above one half,
   * only importers that are `mixed` or read text are asked.
   */
  readonly jsonShare: number;
  /** Whether the source is one JSON document rather than lines. */
  readonly document: boolean;
  /** The first 64 KB, decoded. */
  readonly head: string;
}

export interface ImportContext {
  readonly options: ImportOptions;
  /** Counts what is not archived. */
  readonly tally: Tally;
  /** Files of the transcript's own side folder; nothing else may be opened. Absent for a source without a path. */
  readonly side?: SideFolder;
}

export interface ImportOptions {
  /** Append abandoned branches of a tree, marked. Default false. */
  readonly branches: boolean;
  /** Include the sessions of subagents. Default true. */
  readonly subagents: boolean;
}

export interface RecordSink {
  /**
   * `line` is the 1-based line on which the value starts. Never throws on content. An importer that reads `text`
   * gets strings of any length instead, which joined are the decoded source.
   */
  record(value: unknown, line: number): void;
  /** Called once, after the last record. Throws `broken-input` for several sessions where a format has one a file. */
  finish(): Promise<Imported> | Imported;
}

export interface Imported {
  readonly history: History;
  readonly sessionId?: string;
  readonly title?: string;
  /** Working folder of the session, as recorded. */
  readonly cwd?: string;
  /** Last model that answered, as recorded. */
  readonly model?: string;
}

/** The transcript's own side folder, read-only. */
export interface SideFolder {
  /** Names of the plain files directly in `folder` (relative, `/`-separated), sorted; empty if it is not there. */
  list(folder: string): Promise<readonly string[]>;
  /** A whole file of it as text; undefined if it is not there or longer than `maxBytes`. */
  readText(path: string, maxBytes: number): Promise<string | undefined>;
  /** Pushes the records of one file of it; broken lines are tallied under that file's name. */
  read(path: string, sink: (value: unknown, line: number) => void): Promise<void>;
}

/** Counters of one import; what is not archived is counted here, by kind. */
export interface Tally {
  /** A record of a known kind that carries nothing to archive. `times` default 1. */
  skip(kind: string, times?: number): void;
  /** A record, block or field of a kind this importer does not know. */
  unknown(kind: string): void;
  warn(message: string): void;
}

export interface BrokenLine {
  readonly line: number;
  readonly reason: string;
  /** Set when the line is in a file of the side folder. */
  readonly file?: string;
}

/** What one import read and what it left out. */
export interface ImportReport {
  /** JSON values read. */
  readonly records: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unknown: Readonly<Record<string, number>>;
  readonly broken: readonly BrokenLine[];
  readonly warnings: readonly string[];
}

/** A transcript that has been read. */
export interface Transcript extends Imported {
  /** `Importer.name`. */
  readonly format: string;
  readonly confidence: Confidence | 'forced';
  /** File name without its folder, or what the caller called the source. */
  readonly name: string;
  readonly bytes: number;
  /** Hex digest of the source's bytes. */
  readonly sha256: string;
  readonly report: ImportReport;
}
