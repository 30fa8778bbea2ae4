/** The database that OpenCode keeps its sessions in since version 1.2. */
import { basename } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { type Fields, textOf, wordOf } from './fields.js';
import type { OpenCodeMessage } from './opencode-messages.js';
import {
  inOrder,
  parsed,
  type SessionStore,
  type StoredSession,
  type StoreFaults,
} from './opencode-store.js';
import { type OpenDatabase, openDatabase, type Row } from './sqlite.js';

const needed = ['session', 'message', 'part'];

/** Throws `unrecognised-format` for a database of another program, and as `openDatabase` does. */
export async function openOpenCodeDatabase(path: string, faults: StoreFaults): Promise<SessionStore> {
  const database = await openDatabase(path);
  if (!needed.every((table) => database.tables.has(table))) {
    await database.close();
    throw foreignDatabase(path, database.tables);
  }
  return {
    sessions: async () =>
      inOrder(database.rows('SELECT * FROM session').map((row) => sessionOf(row, path, faults))),
    async *messages({ id }) {
      warnOfNewerRows(database, id, faults);
      yield* messagesOf(database, id, faults);
    },
    close: () => database.close(),
  };
}

function sessionOf(row: Row, path: string, faults: StoreFaults): StoredSession {
  const id = wordOf(row['id']);
  const parentId = textOf(row['parent_id']);
  const revert = textOf(row['revert']);
  const info: Fields = {
    ...{ id, projectID: row['project_id'], directory: row['directory'], title: row['title'] },
    time: { created: row['time_created'] },
    ...(parentId !== undefined && { parentID: parentId }),
    ...(revert !== undefined && revert !== 'null' && { revert: parsed(revert, `revert of ${id}`, faults) }),
  };
  return { id, info, source: `${path}#${id}`, ...(parentId !== undefined && { parentId }) };
}

/** The parts of one message are in memory at a time, and no more. */
async function* messagesOf(
  database: OpenDatabase,
  sessionId: string,
  faults: StoreFaults,
): AsyncIterable<OpenCodeMessage> {
  const messages = database
    .rows('SELECT id, time_created, data FROM message WHERE session_id = ?', sessionId)
    .flatMap((row) => {
      const id = wordOf(row['id']);
      const info = parsed(row['data'], `message ${id}`, faults);
      const time = { created: row['time_created'] };
      return info === undefined ? [] : [{ id, info: { time, ...info, id, sessionID: sessionId } }];
    });
  for (const { id, info } of inOrder(messages)) {
    const rows = database.rows('SELECT id, data FROM part WHERE message_id = ? ORDER BY id', id);
    const parts = rows.flatMap((row) => {
      const part = parsed(row['data'], `part ${wordOf(row['id'])}`, faults);
      return part === undefined ? [] : [{ ...part, id: row['id'] }];
    });
    yield { info, parts };
  }
}

/** Later versions add a table of another kind of message beside these. */
function warnOfNewerRows(database: OpenDatabase, sessionId: string, { warnings }: StoreFaults): void {
  if (!database.tables.has('session_message')) return;
  const [row] = database.rows('SELECT count(*) AS n FROM session_message WHERE session_id = ?', sessionId);
  const [told] = database.rows('SELECT count(*) AS n FROM message WHERE session_id = ?', sessionId);
  if (told?.['n'] === 0 && row?.['n'] !== 0)
    warnings.push(`${String(row?.['n'])} rows of session_message are of a layout that is not read`);
}

function foreignDatabase(path: string, tables: ReadonlySet<string>): SnapcompactError {
  const isHermes = tables.has('messages') && tables.has('sessions');
  const names = [...tables].slice(0, 5).join(', ');
  return new SnapcompactError('unrecognised-format', {
    expected: 'a database of OpenCode',
    of: basename(path),
    got: isHermes
      ? 'a SQLite database of Hermes, which this version does not read'
      : `a SQLite database with ${names === '' ? 'no tables' : `the tables ${names}`}`,
    hint: isHermes
      ? 'export the session first: hermes sessions export'
      : 'export the session with the agent that wrote it',
  });
}
