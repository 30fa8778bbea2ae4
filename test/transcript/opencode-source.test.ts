import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectFormat } from '../../src/transcript/detect-format.js';
import { storedSessions } from '../../src/transcript/opencode-source.js';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { readRows } from '../../src/transcript/sqlite.js';
import { corpusRoot, hasCorpus } from './support.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'opencode-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const start = 1772788853000;

interface Stored {
  readonly id: string;
  readonly parentID?: string;
  readonly messages: readonly {
    readonly id: string;
    readonly at: number;
    readonly parts: readonly object[];
  }[];
}

/** Ids run backwards, as those of sessions do, and as those of messages do once in two years. */
const task = {
  type: 'tool',
  tool: 'task',
  callID: 'c1',
  state: {
    status: 'completed',
    input: { prompt: 'Look.' },
    output: 'Seen.',
    metadata: { sessionId: 'ses_child' },
  },
};
const parent: Stored = {
  id: 'ses_z',
  messages: [
    { id: 'msg_f', at: 1, parts: [{ type: 'text', text: 'first' }] },
    { id: 'msg_a', at: 2, parts: [{ type: 'text', text: 'one' }, task, { type: 'text', text: 'two' }] },
  ],
};
const child: Stored = {
  id: 'ses_child',
  parentID: 'ses_z',
  messages: [{ id: 'msg_c', at: 1, parts: [{ type: 'text', text: 'inside' }] }],
};
const other: Stored = {
  id: 'ses_b',
  messages: [{ id: 'msg_o', at: 1, parts: [{ type: 'text', text: 'elsewhere' }] }],
};

function sessionInfo({ parentID }: Stored, at: number): object {
  return {
    ...{ projectID: 'p', directory: '/w', title: 'A title', time: { created: start + at } },
    ...(parentID !== undefined && { parentID }),
  };
}

function messageInfo(at: number): object {
  return { role: at === 1 ? 'user' : 'assistant', modelID: 'm', time: { created: start + at } };
}

function put(path: string, value: object): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), JSON.stringify(value, null, 2));
}

function tree(...sessions: Stored[]): string {
  sessions.forEach((session, i) => {
    const { id, messages } = session;
    put(`storage/session/p/${id}.json`, { id, ...sessionInfo(session, i) });
    for (const message of messages) {
      put(`storage/message/${id}/${message.id}.json`, { id: message.id, ...messageInfo(message.at) });
      message.parts.forEach((part, n) => {
        put(`storage/part/${message.id}/prt_${n}.json`, part);
      });
    }
  });
  return join(home, 'storage');
}

function database(...sessions: Stored[]): string {
  const path = join(home, 'opencode.db');
  const db = new sqlite.Database(path);
  db.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
      revert TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);`);
  sessions.forEach(({ id, parentID, messages }, i) => {
    db.run('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)', [
      ...[id, 'p', parentID ?? null, '/w', 'A title', null],
      start + i,
    ]);
    for (const message of messages) {
      const info = JSON.stringify(messageInfo(message.at));
      db.run('INSERT INTO message VALUES (?, ?, ?, ?)', [message.id, id, start + message.at, info]);
      message.parts.forEach((part, n) => {
        const row = [`prt_${message.id}_${n}`, message.id, id, start, JSON.stringify(part)];
        db.run('INSERT INTO part VALUES (?, ?, ?, ?, ?)', row);
      });
    }
  });
  db.close();
  return path;
}

async function change(path: string, sql: string): Promise<void> {
  const db = new sqlite.Database(path);
  db.exec(sql);
  db.close();
}

/** Text or call of every block, with the agent that spoke. */
async function told(path: string, options = {}): Promise<string[]> {
  const { history } = await readTranscript(path, options);
  return history.messages.flatMap(({ agent, blocks }) =>
    blocks.map((block) => {
      const words = block.type === 'text' ? block.text : block.type;
      return agent === undefined ? words : `${agent}: ${words}`;
    }),
  );
}

const whole = ['first', 'one', 'call', 'result', 'ses_child: inside', 'two'];

describe.each([
  ['storage folder', tree, (path: string) => `${path}/session/p/ses_z.json`],
  ['database', database, (path: string) => `${path}#ses_z`],
])('the %s of OpenCode', (_title, make, sourceOf) => {
  it('is read in the order of time, a child session behind the call that started it', async () => {
    const path = make(parent, child);
    expect(await told(path)).toEqual(whole);
    const { history, bytes, sha256, ...read } = await readTranscript(path);
    expect(read).toMatchObject({ format: 'opencode', confidence: 'certain', sessionId: 'ses_z' });
    expect(read).toMatchObject({ title: 'A title', cwd: '/w', model: 'm' });
    expect(read.report).toMatchObject({ unknown: {}, broken: [], warnings: [] });
    expect([bytes > 0, sha256.length]).toEqual([true, 64]);
    expect(await detectFormat(path)).toEqual({ format: 'opencode', confidence: 'certain' });
  });

  it('leaves child sessions out when asked', async () => {
    expect(await told(make(parent, child), { subagents: false })).toEqual(
      whole.filter((text) => !text.startsWith('ses_child')),
    );
  });

  it('asks which of several sessions is meant, and takes the one that is named', async () => {
    const path = make(parent, child, other);
    await expect(readTranscript(path)).rejects.toMatchObject({
      code: 'unreadable-input',
      complaint: { got: '2 sessions', hint: expect.stringContaining(sourceOf(path)) },
    });
    expect(await told(sourceOf(path))).toEqual(whole);
    expect(await storedSessions(path)).toEqual([sourceOf(path), sourceOf(path).replace('ses_z', 'ses_b')]);
    expect(await storedSessions(sourceOf(path))).toBeUndefined();
  });

  it('says so if there is no session in it', async () => {
    const path = make();
    mkdirSync(join(home, 'storage/session'), { recursive: true });
    mkdirSync(join(home, 'storage/message'), { recursive: true });
    await expect(readTranscript(path)).rejects.toMatchObject({ complaint: { got: 'no sessions' } });
  });

  it('leaves nothing beside it, nor in the temporary folder', async () => {
    const path = make(parent);
    const before = [readdirSync(home), temporaries()];
    await told(path);
    await expect(readTranscript(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect([readdirSync(home), temporaries()]).toEqual(before);
  });
});

function temporaries(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('snapcompact-sqlite-'));
}

describe('the storage folder of OpenCode', () => {
  it('is read in the older layout too', async () => {
    tree(parent);
    const move = (from: string, to: string) => cpSync(join(home, from), join(home, to), { recursive: true });
    move('storage/session/p', 'old/session/info');
    move('storage/message', 'old/session/message');
    for (const { id } of parent.messages) move(`storage/part/${id}`, `old/session/part/ses_z/${id}`);
    const expected = ['first', 'one', 'call', 'result', 'two'];
    expect(await told(join(home, 'old'))).toEqual(expected);
    expect(await told(join(home, 'old/session/info/ses_z.json'))).toEqual(expected);
  });

  it('names the files that are broken, and fails on them if told to be strict', async () => {
    const path = tree(parent);
    writeFileSync(join(path, 'part/msg_a/prt_0.json'), '{"type":"te');
    const { history, report } = await readTranscript(path);
    expect(history.messages).toHaveLength(4);
    expect(report.broken).toEqual([{ file: 'part/msg_a/prt_0.json', line: 1, reason: 'not a JSON object' }]);
    await expect(readTranscript(path, { strict: true })).rejects.toThrow('part/msg_a/prt_0.json');
  });

  it('follows no links', async () => {
    const path = tree(parent);
    writeFileSync(join(home, 'secret.json'), '{"type":"text","text":"secret"}');
    symlinkSync(join(home, 'secret.json'), join(path, 'part/msg_a/prt_9.json'));
    expect(await told(path)).not.toContain('secret');
  });
});

describe('the database of OpenCode', () => {
  it('leaves out what was taken back, and names rows that are broken', async () => {
    const path = database(parent);
    await change(path, `UPDATE session SET revert = '{"messageID":"msg_a"}'`);
    await change(path, `INSERT INTO part VALUES ('prt_x', 'msg_f', 'ses_z', 0, '{')`);
    const { history, report } = await readTranscript(path);
    expect(history.messages).toHaveLength(1);
    expect(report.skipped).toEqual({ 'reverted message': 1 });
    expect(report.broken).toEqual([{ file: 'part prt_x', line: 1, reason: 'not a JSON object' }]);
  });

  it('says that a newer layout is not read', async () => {
    const path = database({ id: 'ses_z', messages: [] });
    await change(path, `CREATE TABLE session_message (id, session_id, type, data)`);
    await change(path, `INSERT INTO session_message VALUES ('a', 'ses_z', 'user', '{}')`);
    const { report } = await readTranscript(path);
    expect(report.warnings[0]).toContain('1 rows of session_message');
  });

  it('says which session is not in it', async () => {
    const path = database(parent);
    await expect(readTranscript(`${path}#ses_9`)).rejects.toMatchObject({
      complaint: { got: 'no session ses_9' },
    });
  });

  it('is told from the databases of other programs, and from a damaged one', async () => {
    const path = join(home, 'state.db');
    await change(path, 'CREATE TABLE messages (id); CREATE TABLE sessions (id)');
    await expect(readTranscript(path)).rejects.toMatchObject({
      code: 'unrecognised-format',
      complaint: { got: expect.stringContaining('Hermes') },
    });
    await change(path, 'DROP TABLE sessions');
    await expect(readTranscript(path)).rejects.toMatchObject({
      code: 'unrecognised-format',
      complaint: { got: 'a SQLite database with the tables messages' },
    });
    writeFileSync(path, 'SQLite format 3\0 and more');
    await expect(readTranscript(path)).rejects.toMatchObject({ code: 'broken-input' });
  });

  it('gives rows to whoever asks, with what was written last', async () => {
    const path = database(parent);
    // A writer that has not merged its log: the connection stays open while the rows are read.
    const db = new sqlite.Database(path);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
    db.run('INSERT INTO session (id) VALUES (?)', 'ses_new');
    const rows = await readRows(path, 'SELECT id FROM session WHERE id > ? ORDER BY id', 'ses_a');
    db.close();
    expect(rows).toEqual([{ id: 'ses_new' }, { id: 'ses_z' }]);
  });
});

describe.skipIf(!hasCorpus)('a real session of OpenCode', () => {
  it('is the same in all three places', async () => {
    const { history } = await readTranscript(`${corpusRoot}opencode/export-diagnostics.json`);
    for (const place of ['storage', 'opencode.db']) {
      const stored = await readTranscript(`${corpusRoot}opencode/${place}`);
      expect(stored.history).toEqual(history);
      expect(stored.report).toMatchObject({ unknown: {}, broken: [], warnings: [] });
    }
  });
});
