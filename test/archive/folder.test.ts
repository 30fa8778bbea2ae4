import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readFolder, withFolder, writeFolder } from '../../src/archive/folder.js';

const disk = vi.hoisted(() => ({ links: true }));
vi.mock('node:fs/promises', async (load) => {
  const fs = await load<typeof import('node:fs/promises')>();
  const link: typeof fs.link = (...paths) =>
    disk.links ? fs.link(...paths) : Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }));
  return { ...fs, link };
});

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  folder = join(parent, 'out');
});
afterEach(() => {
  disk.links = true;
  rmSync(parent, { recursive: true, force: true });
});

const write = (data: string, target = folder) =>
  writeFolder(target, [{ path: 'a.txt', data }], async () => undefined);
const read = (target = folder) => readFolder(target, (path) => readFile(join(path, 'a.txt'), 'utf8'));
const beside = (suffix: string) => join(parent, `.out.${suffix}`);
function lockAs(owner: string): void {
  mkdirSync(beside('lock'));
  writeFileSync(join(beside('lock'), owner), '');
}
const DEAD = '4194304-1-0123456789ab';

describe('writeFolder', () => {
  test('stores equal files once where the file system links, and as often as they are named where not', async () => {
    const files = ['a', 'deep/b', 'c'].map((path) => ({ path, data: path === 'c' ? 'other' : 'same' }));
    const inodes = () => new Set(files.map(({ path }) => statSync(join(folder, path)).ino)).size;
    await writeFolder(folder, files, async () => undefined);
    expect(inodes()).toBe(2);
    disk.links = false;
    await writeFolder(folder, files, async () => undefined);
    expect(inodes()).toBe(3);
    expect(readFileSync(join(folder, 'deep/b'), 'utf8')).toBe('same');
  });

  test('copies a file of the former folder where the file system does not link', async () => {
    await write('old');
    disk.links = false;
    await writeFolder(folder, [{ path: 'b.txt', from: join(folder, 'a.txt') }], async () => undefined);
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('old');
    expect(statSync(join(folder, 'b.txt')).mode & 0o777).toBe(0o600);
  });

  test('leaves the former folder when a file cannot be had', async () => {
    await write('old');
    const files = [{ path: 'a.txt', from: join(parent, 'missing') }];
    await expect(writeFolder(folder, files, async () => undefined)).rejects.toMatchObject({
      code: 'unwritable-target',
    });
    expect(await read()).toBe('old');
    expect(readdirSync(parent)).toEqual(['out']);
  });

  test('keeps apart folders whose long names start alike', async () => {
    const [one, other] = ['one', 'other'].map((end) => join(parent, 'n'.repeat(220) + end));
    await write('one', one);
    await write('other', other);
    const longest = join(parent, 'n'.repeat(255));
    await write('longest', longest);
    await withFolder(one!, () => write('changed', other));
    expect(await read(one)).toBe('one');
    expect(await read(other)).toBe('changed');
    expect(await read(longest)).toBe('longest');
  });
});

describe('the lock of a folder', () => {
  test.each([
    ['a process that is gone', DEAD],
    ['a process whose id another one has now', `${process.pid}-1-0123456789ab`],
  ])('is taken over from %s', async (_, owner) => {
    lockAs(owner);
    await write('new');
    expect(readdirSync(parent)).toEqual(['out']);
  });

  test.skipIf(process.platform !== 'linux')(
    'is taken over from a process that only its parent remembers',
    async () => {
      const keeper = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 30']);
      try {
        const line = await new Promise((done) => keeper.stdout.once('data', done));
        const pid = String(line).trim();
        const isGone = () => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
        await vi.waitFor(isGone, { timeout: 10_000 });
        lockAs(`${pid}--0123456789ab`);
        await write('new');
      } finally {
        keeper.kill();
      }
    },
  );

  test.each([
    ['a living process', () => lockAs(`${process.ppid}--0123456789ab`)],
    ['somebody unknown', () => writeFileSync(beside('lock'), '')],
  ])('is left to %s', async (_, lock) => {
    await write('old');
    lock();
    await expect(write('new')).rejects.toMatchObject({ code: 'archive-in-use', exitCode: 4 });
    expect(await read()).toBe('old');
    expect(readdirSync(parent).sort()).toEqual(['.out.lock', 'out']);
  });

  test('goes from a dead owner to one of many', async () => {
    await write('old');
    for (let round = 0; round < 20; round++) {
      lockAs(DEAD);
      let [inside, most, passes] = [0, 0, 0];
      const pass = () =>
        withFolder(folder, async () => {
          most = Math.max(most, ++inside);
          passes++;
          await new Promise((done) => setTimeout(done, 5));
          inside--;
        });
      await Promise.allSettled(Array.from({ length: 12 }, pass));
      expect(most).toBe(1);
      expect(passes).toBeGreaterThan(0);
      expect(readdirSync(parent)).toEqual(['out']);
    }
  });

  test('is free again after an error, which passes as it is', async () => {
    await write('old');
    const failure = new TypeError('a fault of the caller');
    await expect(withFolder(folder, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await withFolder(folder, async () => 'done')).toBe('done');
    expect(readdirSync(parent)).toEqual(['out']);
  });

  test('comes with what its dead owner left: unfinished folders go, claims of the living stay', async () => {
    await write('old');
    const living = beside(`${process.ppid}--0123456789ab.claim`);
    for (const path of [beside('0123456789ab.new'), beside(`${DEAD}.claim`), living]) mkdirSync(path);
    await write('new');
    expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([living, folder]);
  });

  test('is asked for only where a folder is', async () => {
    for (const path of ['missing', 'deep/missing']) {
      const pass = withFolder(join(parent, path), async () => undefined);
      await expect(pass).rejects.toMatchObject({ code: 'unreadable-input', exitCode: 3 });
    }
    symlinkSync(join(parent, 'gone'), join(parent, 'link'));
    const pass = withFolder(join(parent, 'link'), async () => undefined);
    await expect(pass).rejects.toMatchObject({ code: 'unreadable-input' });
    expect(readdirSync(parent)).toEqual(['link']);
  });
});

describe('readFolder', () => {
  test('finds a folder that a dead writer moved aside, through a link too, and leaves it to the next writer', async () => {
    await write('old');
    symlinkSync('out', join(parent, 'link'));
    renameSync(folder, beside('old'));
    lockAs(DEAD);
    expect(await read()).toBe('old');
    expect(await read(join(parent, 'link'))).toBe('old');
    expect(readdirSync(parent).sort()).toEqual(['.out.lock', '.out.old', 'link']);
    await withFolder(join(parent, 'link'), async (path) => expect(existsSync(path)).toBe(true));
    expect(readdirSync(parent).sort()).toEqual(['link', 'out']);
  });

  test('prefers the new folder to a former one that was not removed', async () => {
    await write('new');
    mkdirSync(beside('old'));
    writeFileSync(join(beside('old'), 'a.txt'), 'old');
    expect(await read()).toBe('new');
    await write('newer');
    expect(readdirSync(parent)).toEqual(['out']);
  });

  test('reads again what was replaced while it read', async () => {
    await write('old');
    let reads = 0;
    const seen = await readFolder(folder, async (path) => {
      const first = await readFile(join(path, 'a.txt'), 'utf8');
      if (++reads === 1) await write('new');
      return [first, await readFile(join(path, 'a.txt'), 'utf8')];
    });
    expect([seen, reads]).toEqual([['new', 'new'], 2]);
  });

  test('gives up on a folder that never rests', async () => {
    await write('old');
    const restless = readFolder(folder, () => write('new'));
    await expect(restless).rejects.toMatchObject({ code: 'archive-in-use' });
  });

  test('passes the error of a reader as it is when the folder rested', async () => {
    await expect(read()).rejects.toMatchObject({ code: 'ENOENT' });
    const failure = new TypeError('a fault of the caller');
    await write('old');
    await expect(readFolder(folder, () => Promise.reject(failure))).rejects.toBe(failure);
  });

  test('sees one whole state at a time beside a busy writer', async () => {
    const pair = (data: string) =>
      writeFolder(
        folder,
        ['a.txt', 'b.txt'].map((path) => ({ path, data })),
        async () => undefined,
      );
    await pair('0');
    let isDone = false;
    const writing = (async () => {
      for (let i = 1; i <= 100; i++) await pair(String(i));
      isDone = true;
    })();
    while (!isDone) {
      const [a, b] = await readFolder(folder, async (path) => [
        await readFile(join(path, 'a.txt'), 'utf8'),
        await readFile(join(path, 'b.txt'), 'utf8'),
      ]);
      expect(a).toBe(b);
    }
    await writing;
  });
});
