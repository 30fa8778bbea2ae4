/**
 * Sessions of Gemini CLI: the log of lines (0.40 and later), the single object before it, and the checkpoints of
 * `/chat save`. Shapes as of 0.4x.
 */
import { type Fields, fieldsOf, listOf, textOf, wordOf } from './fields.js';
import { GeminiSink } from './gemini-session.js';
import type { Confidence, Importer, Probe } from './importer.js';

export const gemini: Importer = {
  name: 'gemini',
  title: 'a Gemini CLI session',
  reads: 'records',
  detect,
  open: (context) => new GeminiSink(context),
};

/** A header or a checkpoint tells for certain. The changes between the messages may be those of a database. */
function detect(probe: Probe): Confidence {
  let messages = 0;
  let changes = 0;
  for (const value of probe.records) {
    const record = fieldsOf(value);
    if (isCheckpoint(value) || (record !== undefined && isHeader(record))) return 'certain';
    if (record === undefined) continue;
    if (typeof record['$rewindTo'] === 'string' || fieldsOf(record['$set']) !== undefined) changes += 1;
    else if (isMessage(record)) messages += 1;
  }
  if (changes + messages === 0 || (changes + messages) * 2 < probe.records.length) return 'no';
  if (changes > 0) return messages > 0 ? 'certain' : 'probable';
  return probe.records.some((value) => fieldsOf(value)?.['type'] === 'gemini') ? 'probable' : 'no';
}

function isHeader(record: Fields): boolean {
  return typeof record['sessionId'] === 'string' && typeof record['projectHash'] === 'string';
}

function isMessage(record: Fields): boolean {
  return 'content' in record && /^(user|gemini|info|warning|error)$/.test(wordOf(record['type']));
}

function isCheckpoint(value: unknown): boolean {
  const record = fieldsOf(value);
  const contents = Array.isArray(value) ? value : listOf(record?.['history'] ?? record?.['contents']);
  return contents.length > 0 && contents.every(isContent);
}

/** Parts of this API have no type; those of the Vercel SDK do. */
function isContent(value: unknown): boolean {
  const content = fieldsOf(value);
  if (!Array.isArray(content?.['parts']) || !/^(user|model)$/.test(wordOf(content['role']))) return false;
  return content['parts'].every((part) => {
    const fields = fieldsOf(part);
    return fields !== undefined && textOf(fields['type']) === undefined;
  });
}
