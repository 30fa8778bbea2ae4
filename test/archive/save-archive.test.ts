import {
  lstatSync,
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArchiveSource } from '../../src/archive/archive.js';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { loadArchive } from '../../src/archive/load-archive.js';
import { saveArchive } from '../../src/archive/save-archive.js';

const small = { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 }, threads: 0 };
const source = (more: Partial<ArchiveSource> = {}): ArchiveSource => ({
  name: 'a.jsonl',
  format: 'claude-code',
  bytes: 1,
  sha256: 'x',
  sessionId: 's1',
  ...more,
});
const archiveOf = (words: number, from = source()) =>
  archiveHistory(
    { messages: [{ id: 'm', role: 'user', blocks: [{ type: 'text', text: 'word '.repeat(words) }] }] },
    { ...small, source: from },
  );

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  folder = join(parent, 'deep', 's1.snapcompact');
});
afterEach(() => {
  rmSync(parent, { recursive: true, force: true });
});
const filesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();

describe('saveArchive', () => {
  test('writes a folder that only its owner may read, whatever the umask: B56', async () => {
    const umask = process.umask(0o000);
    await saveArchive(await archiveOf(300), folder);
    process.umask(umask);
    for (const file of ['', ...filesIn(folder)]) {
      const { mode } = statSync(join(folder, file));
      expect((mode & 0o777).toString(8)).toBe(statSync(join(folder, file)).isDirectory() ? '700' : '600');
    }
  });

  test('lists in its manifest exactly the frames that are there', async () => {
    await saveArchive(await archiveOf(300), folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const frames = filesIn(folder).filter((name) => name.startsWith('frames/'));
    expect(manifest.frames.map(({ file }: { file: string }) => file)).toEqual(frames);
    expect(frames.length).toBeGreaterThan(2);
  });

  test('leaves no frame of an earlier, longer run, and nothing beside the archive: B56', async () => {
    await saveArchive(await archiveOf(900), folder);
    const before = filesIn(folder).length;
    await saveArchive(await archiveOf(50), folder);
    expect(filesIn(folder).length).toBeLessThan(before);
    expect(readdirSync(join(parent, 'deep'))).toEqual(['s1.snapcompact']);
  });

  test('writes the same bytes for the same archive', async () => {
    await saveArchive(await archiveOf(300), folder);
    const first = filesIn(folder).map((name) =>
      statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'latin1') : name,
    );
    await saveArchive(await archiveOf(300), folder);
    const second = filesIn(folder).map((name) =>
      statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'latin1') : name,
    );
    expect(second).toEqual(first);
  });

  test('replaces an archive of the same session or else the same file name, another one only by force', async () => {
    await saveArchive(await archiveOf(10), folder);
    await saveArchive(await archiveOf(10, source({ name: 'renamed.jsonl' })), folder);
    const other = await archiveOf(10, source({ sessionId: 's2' }));
    await expect(saveArchive(other, folder)).rejects.toMatchObject({ code: 'target-exists', exitCode: 4 });
    await saveArchive(other, folder, { force: true });
  });

  test.each([false, true])('never touches a folder or file that is no archive (force %s)', async (force) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'thesis.txt'), 'mine');
    await expect(saveArchive(await archiveOf(10), folder, { force })).rejects.toMatchObject({
      code: 'target-exists',
    });
    expect(filesIn(folder)).toEqual(['thesis.txt']);
    const file = join(parent, 'file');
    writeFileSync(file, 'mine');
    await expect(saveArchive(await archiveOf(10), file, { force })).rejects.toMatchObject({
      code: 'target-exists',
    });
  });

  test.each(['notes.txt', 'frames/mine.png'])(
    'does not replace an archive that also holds %s',
    async (name) => {
      await saveArchive(await archiveOf(10), folder);
      writeFileSync(join(folder, name), 'mine');
      const again = saveArchive(await archiveOf(10), folder, { force: true });
      await expect(again).rejects.toThrow(new RegExp(`other files in it: ${name}`));
      expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
    },
  );

  test('does not replace an archive whose frame is a folder of somebody', async () => {
    await saveArchive(await archiveOf(10), folder);
    rmSync(join(folder, 'frames/0001.png'));
    mkdirSync(join(folder, 'frames/0001.png'));
    await expect(saveArchive(await archiveOf(10), folder)).rejects.toThrow(
      /other files in it: frames\/0001\.png/,
    );
  });

  test('follows a link to an archive, and refuses one that leads nowhere', async () => {
    await saveArchive(await archiveOf(10), folder);
    symlinkSync(folder, join(parent, 'link'));
    await saveArchive(await archiveOf(300), join(parent, 'link'));
    expect(lstatSync(join(parent, 'link')).isSymbolicLink()).toBe(true);
    expect((await loadArchive(folder)).frames.length).toBeGreaterThan(2);
    symlinkSync(join(parent, 'gone'), join(parent, 'dangling'));
    await expect(saveArchive(await archiveOf(1), join(parent, 'dangling'))).rejects.toMatchObject({
      code: 'target-exists',
    });
  });

  test('lets one writer through at a time, refuses the others clearly, and leaves nothing beside the archive', async () => {
    const archive = await archiveOf(100);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => saveArchive(archive, folder)));
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.code] : [],
    );
    expect(refused.length).toBeLessThan(8);
    expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? ['archive-in-use'] : []));
    expect(readdirSync(join(parent, 'deep'))).toEqual(['s1.snapcompact']);
    expect(await loadArchive(folder)).toEqual(archive);
  });

  test('takes over from a writer that died: puts the former archive back and removes what was unfinished', async () => {
    await saveArchive(await archiveOf(10), folder);
    const beside = (suffix: string) => join(parent, 'deep', `.s1.snapcompact.${suffix}`);
    renameSync(folder, beside('old'));
    mkdirSync(beside('0123456789ab.new'));
    writeFileSync(beside('lock'), '4194304');
    await expect(saveArchive(await archiveOf(10, source({ sessionId: 's2' })), folder)).rejects.toMatchObject(
      { code: 'target-exists' },
    );
    expect(readdirSync(join(parent, 'deep'))).toEqual(['s1.snapcompact']);
    expect((await loadArchive(folder)).frames.length).toBeGreaterThan(0);
  });

  test('refuses an archive of a newer schema instead of replacing it', async () => {
    await saveArchive(await archiveOf(10), folder);
    const path = join(folder, 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"schema": 1', '"schema": 99'));
    await expect(saveArchive(await archiveOf(10), folder)).rejects.toMatchObject({
      code: 'newer-schema',
      exitCode: 3,
    });
  });
});

describe('loadArchive', () => {
  test.each([
    ['a frame that is no record', (frames: unknown[]) => [null, ...frames.slice(1)]],
    [
      'a frame file outside the folder',
      (frames: object[]) => [{ ...frames[0], file: '../../../etc/passwd' }, ...frames.slice(1)],
    ],
    ['a frame too few', (frames: unknown[]) => frames.slice(1)],
    ['frames out of order', (frames: unknown[]) => frames.toReversed()],
  ])('refuses a manifest with %s', async (_, change) => {
    await saveArchive(await archiveOf(300), folder);
    const path = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, frames: change(manifest.frames) }));
    await expect(loadArchive(folder)).rejects.toMatchObject({ code: 'broken-input', exitCode: 3 });
  });

  test('gives back what was saved', async () => {
    const archive = await archiveOf(300);
    await saveArchive(archive, folder);
    expect(await loadArchive(folder)).toEqual(archive);
  });

  test('names a frame whose bytes changed, and a file that is missing', async () => {
    await saveArchive(await archiveOf(300), folder);
    const frame = join(folder, 'frames/0002.png');
    const bytes = readFileSync(frame);
    bytes[100]! ^= 1;
    writeFileSync(frame, bytes);
    await expect(loadArchive(folder)).rejects.toThrow(/frame 2.*0002\.png/);
    rmSync(frame);
    await expect(loadArchive(folder)).rejects.toMatchObject({ code: 'unreadable-input' });
  });
});
