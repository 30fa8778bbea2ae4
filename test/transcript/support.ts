/** What the transcript tests share: importing from memory, and feeding a reader piece by piece. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type {
  ImportContext,
  Imported,
  Importer,
  ImportReport,
  Transcript,
} from '../../src/transcript/importer.js';
import { JsonLines } from '../../src/transcript/json-lines.js';
import { type ReadTranscriptOptions, readTranscript } from '../../src/transcript/read-transcript.js';
import { ImportTally } from '../../src/transcript/tally.js';

export const fixtureRoot = fileURLToPath(new URL('../fixtures/transcripts/', import.meta.url));

/** Real transcripts that lie beside a checkout of the project; the tests that need them are skipped without. */
export const corpusRoot = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));
export const hasCorpus = existsSync(corpusRoot);

export function read(data: string | Uint8Array, options?: ReadTranscriptOptions): Promise<Transcript> {
  return readTranscript({ name: 'memory', data }, options);
}

export function jsonl(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Runs one importer over values, without detection. */
export async function importValues(
  importer: Importer,
  values: readonly unknown[],
  options: Partial<ImportContext['options']> = {},
): Promise<Imported & { report: ImportReport }> {
  const tally = new ImportTally();
  const sink = importer.open({ options: { branches: false, subagents: true, ...options }, tally });
  values.forEach((value, i) => {
    sink.record(value, i + 1);
  });
  const imported = await sink.finish();
  return { ...imported, report: tally.report() };
}

/** What a reader told, in order, as short strings: `1 {"a":1}`, `2 noise`, `3 broken: …`, `4 torn: …`. */
export function readLines(bytes: Uint8Array | string, chunkBytes = Number.MAX_SAFE_INTEGER): string[] {
  const data = Buffer.from(bytes);
  const told: string[] = [];
  const reader = new JsonLines({
    value: (value, line) => told.push(`${line} ${JSON.stringify(value)}`),
    passed: (kind, line) => told.push(`${line} passed: ${kind}`),
    broken: (line, reason, torn) => told.push(`${line} ${torn ? 'torn' : 'broken'}: ${reason}`),
    noise: (line) => told.push(`${line} noise`),
  });
  for (let at = 0; at < data.length; at += chunkBytes) reader.push(data.subarray(at, at + chunkBytes));
  reader.end();
  return told;
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('//', '/'))
    .sort();
}
