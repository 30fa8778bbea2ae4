/**
 * Exports of Hermes: `hermes sessions export` (a session per line), the log of one session, and the rows of a
 * gateway. Shapes as of schema 30.
 */
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';
import { HermesSink } from './hermes-sessions.js';
import type { Confidence, Importer, Probe } from './importer.js';

export const hermes: Importer = {
  name: 'hermes',
  title: 'a Hermes session export',
  reads: 'records',
  detect,
  open: (context) => new HermesSink(context),
};

/** Its messages are those of Chat Completions; the session around them, and the columns of a row, are its own. */
function detect(probe: Probe): Confidence {
  const records = probe.records.flatMap((value) => (Array.isArray(value) ? value : [value])).map(fieldsOf);
  if (records.some((record) => record !== undefined && isSession(record))) return 'certain';
  const rows = probe.records.map(fieldsOf).filter((record) => record !== undefined && isRow(record));
  if (rows.length * 2 <= probe.records.length) return 'no';
  return rows.some((row) => row?.['role'] === 'session_meta') ? 'certain' : 'probable';
}

function isSession(record: Fields): boolean {
  if (!Array.isArray(record['messages'])) return false;
  const hasId = textOf(record['id'] ?? record['session_id']) !== undefined;
  if (hasId && ('started_at' in record || 'session_start' in record)) return true;
  return listOf(record['messages'])
    .map(fieldsOf)
    .some((row) => row !== undefined && isRow(row));
}

function isRow(record: Fields): boolean {
  return 'role' in record && ('session_id' in record || record['role'] === 'session_meta');
}
