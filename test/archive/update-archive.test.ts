/** Its kills run against the built package: a child process cannot be TypeScript. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/archive/archive.js';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { readFolder } from '../../src/archive/folder.js';
import { loadArchive } from '../../src/archive/load-archive.js';
import { saveArchive } from '../../src/archive/save-archive.js';
import { updateArchive } from '../../src/archive/update-archive.js';

const archiveOf = (text: string) =>
  archiveHistory(
    { messages: [{ id: 'm', role: 'user', blocks: [{ type: 'text', text }] }] },
    { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 }, threads: 0 },
  );
const [older, newer] = await Promise.all([archiveOf('one '.repeat(150)), archiveOf('other '.repeat(40))]);

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  folder = join(parent, 's1.snapcompact');
  await saveArchive(older, folder);
});
afterEach(() => {
  rmSync(parent, { recursive: true, force: true });
});

/** Every file with inode, mode, time and content. */
function snapshot(path: string): unknown[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const found = statSync(join(path, name));
      const content = found.isFile() && readFileSync(join(path, name), 'latin1');
      return [name, found.ino, found.mode, found.mtimeMs, content];
    });
}

describe('updateArchive', () => {
  test('saves what the change returns, and returns it', async () => {
    const seen: Archive[] = [];
    const result = await updateArchive(folder, async (archive) => {
      seen.push(archive);
      return newer;
    });
    expect(seen).toEqual([older]);
    expect(result).toBe(newer);
    expect(await loadArchive(folder)).toEqual(newer);
    expect(readdirSync(parent)).toEqual(['s1.snapcompact']);
    expect(readdirSync(folder)).not.toContain('previous');
  });

  test('keeps the former state when asked to, until a pass that keeps nothing', async () => {
    await updateArchive(folder, async () => newer, { keepOld: true });
    expect(await loadArchive(join(folder, 'previous'))).toEqual(older);
    await updateArchive(folder, async () => older);
    expect(readdirSync(folder)).not.toContain('previous');
  });

  test('writes nothing when the change returns what it was given', async () => {
    await updateArchive(folder, async () => newer, { keepOld: true });
    const before = snapshot(parent);
    expect(await updateArchive(folder, async (archive) => archive)).toEqual(newer);
    expect(snapshot(parent)).toEqual(before);
  });

  test('leaves everything as it was when the change throws, and passes its error', async () => {
    const before = snapshot(parent);
    const failure = new TypeError('a fault of the caller');
    await expect(updateArchive(folder, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(snapshot(parent)).toEqual(before);
  });

  test('leaves everything as it was when the result cannot be saved', async () => {
    const before = snapshot(parent);
    const broken = { ...newer, frames: [{ ...newer.frames[0]!, data: undefined as never }] };
    await expect(updateArchive(folder, async () => broken)).rejects.toThrow();
    expect(snapshot(parent)).toEqual(before);
  });

  test('lets no second pass in, nor a save, and loses none of the first', async () => {
    await updateArchive(folder, async (archive) => {
      const second = updateArchive(folder, async () => older);
      await expect(second).rejects.toMatchObject({ code: 'archive-in-use', exitCode: 4 });
      await expect(saveArchive(older, folder)).rejects.toMatchObject({ code: 'archive-in-use' });
      expect(await loadArchive(folder)).toEqual(archive);
      return newer;
    });
    expect(await loadArchive(folder)).toEqual(newer);
  });

  test('counts every pass that is let through', async () => {
    const count = (archive: Archive) => Number(archive.source?.title ?? 0);
    const pass = () =>
      updateArchive(folder, async (archive) => ({
        ...archive,
        source: { name: 'a', format: 'f', bytes: 1, sha256: 'x', title: String(count(archive) + 1) },
      }));
    let passes = 0;
    for (let round = 0; round < 10; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 4 }, pass));
      passes += outcomes.filter(({ status }) => status === 'fulfilled').length;
    }
    expect(passes).toBeGreaterThan(0);
    expect(count(await loadArchive(folder))).toBe(passes);
  });

  test.each(['notes.txt', 'previous'])('does not touch an archive with %s of somebody', async (name) => {
    writeFileSync(join(folder, name), 'mine');
    let calls = 0;
    const change = async () => {
      calls++;
      return newer;
    };
    await expect(updateArchive(folder, change)).rejects.toMatchObject({ code: 'target-exists', exitCode: 4 });
    expect(calls).toBe(0);
  });

  test('saves nothing over a file that somebody put there meanwhile', async () => {
    const pass = updateArchive(folder, async () => {
      writeFileSync(join(folder, 'notes.txt'), 'mine');
      return newer;
    });
    await expect(pass).rejects.toThrow(/other files in it: notes.txt/);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });

  test('has nothing to load where nothing is, and makes nothing there', async () => {
    for (const path of ['missing', 'deep/missing']) {
      const pass = updateArchive(join(parent, path), async () => newer);
      await expect(pass).rejects.toMatchObject({ code: 'unreadable-input', exitCode: 3 });
    }
    mkdirSync(join(parent, 'empty'));
    const pass = updateArchive(join(parent, 'empty'), async () => newer);
    await expect(pass).rejects.toMatchObject({ code: 'unreadable-input', exitCode: 3 });
    expect(readdirSync(parent).sort()).toEqual(['empty', 's1.snapcompact']);
  });
});

/** Loads two states, says so, then saves them in turn: `passes` times, killing itself before its call `fatal`. */
const writer = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const [dist, folder, states, passes, fatal] = process.argv.slice(1);
const { updateArchive } = await import(dist + 'archive/update-archive.js');
const { loadArchive } = await import(dist + 'archive/load-archive.js');
const [older, newer] = [await loadArchive(states + '/older'), await loadArchive(states + '/newer')];
let calls = 0;
for (const [name, call] of Object.entries(fs)) {
  if (typeof call !== 'function') continue;
  fs[name] = (...args) => {
    if (calls++ === Number(fatal)) process.kill(process.pid, 'SIGKILL');
    return call(...args);
  };
}
syncBuiltinESMExports();
process.stdout.write('ready');
for (let i = 0; i < Number(passes); i++) {
  await updateArchive(folder, async () => (i % 2 ? older : newer), { keepOld: i % 4 < 2 });
}
`;
const dist = new URL('../../dist/', import.meta.url).href;
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Resolves with whether the writer was killed. */
async function runWriter(
  target: string,
  passes: number,
  fatal: number,
  killAfterMs?: number,
): Promise<boolean> {
  const args = [dist, target, join(parent, 'states'), String(passes), String(fatal)];
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (killAfterMs !== undefined) {
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), killAfterMs));
  }
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    child.once('exit', (...how) => done(how)),
  );
  expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
  return signal !== null;
}

/** As a writer leaves an archive that dies between its two renames. */
function copyAsLeftByTheDead(from: string, target: string): void {
  const beside = (suffix: string) => join(target, '..', `.s1.snapcompact.${suffix}`);
  cpSync(from, beside('old'), { recursive: true, preserveTimestamps: true });
  cpSync(from, beside('0123456789ab.new'), { recursive: true });
  mkdirSync(beside('lock'));
  writeFileSync(join(beside('lock'), '4194304-1-0123456789ab'), '');
}

/** One of the two states, with no frame missing that loading would paint anew. */
async function loadOneState(path: string): Promise<void> {
  const repairs: string[] = [];
  const found = await loadArchive(path, { onRepair: (file) => repairs.push(file) });
  expect(found).toEqual(found.frames.length === older.frames.length ? older : newer);
  expect(repairs).toEqual([]);
}

async function expectOneState(target: string): Promise<void> {
  await readFolder(target, async (path) => {
    await loadOneState(path);
    if (readdirSync(path).includes('previous')) await loadOneState(join(path, 'previous'));
  });
}

async function expectRecovered(target: string): Promise<void> {
  await updateArchive(target, async (archive) => archive);
  await expectOneState(target);
  expect(readdirSync(join(target, '..'))).toEqual(['s1.snapcompact']);
}

describe('a killed pass', () => {
  beforeEach(async () => {
    expect(older.frames.length).not.toBe(newer.frames.length);
    await saveArchive(older, join(parent, 'states/older'));
    await saveArchive(newer, join(parent, 'states/newer'));
  });

  const lanes = Array.from({ length: Math.min(4, availableParallelism()) }, (_, lane) => lane);

  test('leaves the old or the new archive, before whichever call to the file system it or the next one dies', async () => {
    const missing: number[] = [];
    const kill = async (fatal: number) => {
      const target = join(parent, `at-${fatal}`, 's1.snapcompact');
      copyAsLeftByTheDead(folder, target);
      const wasKilled = await runWriter(target, 1, fatal);
      if (!readdirSync(join(target, '..')).includes('s1.snapcompact')) missing.push(fatal);
      await expectOneState(target);
      await expectRecovered(target);
      return wasKilled;
    };
    let last = 0;
    const lane = async () => {
      while (await kill(last++));
    };
    await Promise.all(lanes.map(lane));
    expect(last).toBeGreaterThan(20);
    expect(missing.length).toBeLessThan(last);
    expect(Math.max(...missing)).toBeGreaterThan(last / 2);
  });

  test('leaves one of the two at any moment', async () => {
    const lane = async (index: number) => {
      const target = join(parent, `lane-${index}`, 's1.snapcompact');
      cpSync(folder, target, { recursive: true });
      for (let kill = index; kill < 30; kill += lanes.length) {
        expect(await runWriter(target, 1e6, -1, (kill * 37) % 80)).toBe(true);
        await expectOneState(target);
      }
      await expectRecovered(target);
    };
    await Promise.all(lanes.map(lane));
  });
});
