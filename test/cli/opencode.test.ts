import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { useWorkFolder } from '../support/work-folder.js';

useWorkFolder();

function put(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

/** `ses_2` was started by `ses_1`. */
const sessions = [
  { id: 'ses_1', parentID: null },
  { id: 'ses_2', parentID: 'ses_1' },
  { id: 'ses_3', parentID: null },
];

function storageFolder(): string {
  for (const { id, parentID } of sessions) {
    put(`data/storage/session/p/${id}.json`, { id, projectID: 'p', ...(parentID !== null && { parentID }) });
    put(`data/storage/message/${id}/msg_${id}.json`, { role: 'user' });
    put(`data/storage/part/msg_${id}/prt_1.json`, { type: 'text', text: `said in ${id}` });
  }
  return 'data/storage';
}

function database(): string {
  mkdirSync('data', { recursive: true });
  const db = new sqlite.Database('data/opencode.db');
  db.exec(`CREATE TABLE session (id, project_id, parent_id, directory, title, revert, time_created);
    CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data)`);
  for (const { id, parentID } of sessions) {
    db.run('INSERT INTO session (id, parent_id) VALUES (?, ?)', [id, parentID]);
    db.run('INSERT INTO message VALUES (?, ?, 1, ?)', [`msg_${id}`, id, '{"role":"user"}']);
    const part = JSON.stringify({ type: 'text', text: `said in ${id}` });
    db.run('INSERT INTO part VALUES (?, ?, ?, ?)', [`prt_${id}`, `msg_${id}`, id, part]);
  }
  db.close();
  return 'data/opencode.db';
}

const archive = (...args: string[]) => runCli(['archive', '--threads', '0', ...args]);

describe.each([
  ['storage folder', storageFolder, 'data/storage/session/p/ses_1.json'],
  ['database', database, 'data/opencode.db#ses_1'],
])('the %s of OpenCode', (_title, make, first) => {
  test('gives an archive for every session that no other started', async () => {
    for (const given of [make(), 'data']) {
      const { exitCode, out, err } = await archive(given, '-o', `out-${given.length}`, '--json');
      expect([exitCode, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toMatchObject([{ input: first, format: 'opencode' }, {}]);
      expect(readdirSync(`out-${given.length}`)).toEqual(['ses_1.snapcompact', 'ses_3.snapcompact']);
    }
  });

  test('gives one archive for the session that is named, with the sessions it started', async () => {
    make();
    expect(await archive(first)).toMatchObject({ exitCode: 0, err: '' });
    const { out } = await runCli(['decode', 'ses_1.snapcompact/frames/0001.png']);
    expect(out).toContain('said in ses_1');
    expect(out).toContain('said in ses_2');
    expect(out).not.toContain('said in ses_3');
  });

  test('asks which session to plan for', async () => {
    const { exitCode, err } = await runCli(['plan', make()]);
    expect(exitCode).toBe(3);
    expect(err).toContain(first);
    expect((await runCli(['inspect', first])).out).toContain('opencode (certain)');
  });
});

test('a database of another program is left alone in a folder, and named where it is given', async () => {
  mkdirSync('data');
  const db = new sqlite.Database('data/state.db');
  db.exec('CREATE TABLE messages (id); CREATE TABLE sessions (id)');
  db.close();
  writeFileSync('data/notes.md', 'words');
  const { exitCode, err } = await archive('data', '-o', 'out');
  expect([exitCode, err]).toEqual([0, 'left alone: data/state.db\n']);
  const given = await archive('data/state.db');
  expect([given.exitCode, given.err]).toEqual([3, expect.stringContaining('Hermes')]);
});
