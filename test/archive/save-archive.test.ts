import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
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
import type { Archive, ArchiveSource } from '../../src/archive/archive.js';
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
type Edited = { readonly frames: readonly object[] };
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

/** An archive of `words` different words, so that no two frames are alike. */
const countedOf = (words: number, from = 0) =>
  archiveHistory(
    {
      messages: [
        {
          id: 'm',
          role: 'user',
          blocks: [
            { type: 'text', text: Array.from({ length: words }, (_, i) => `word${from + i}`).join(' ') },
          ],
        },
      ],
    },
    { ...small, source: source() },
  );

/** The archive with other bytes as its first frames. */
function withFrames(archive: Archive, ...contents: Uint8Array<ArrayBuffer>[]): Archive {
  const frames = archive.frames.map((frame, index) => {
    const data = contents[index] ?? frame.data;
    return { ...frame, data, sha256: createHash('sha256').update(data).digest('hex') };
  });
  return { ...archive, frames };
}

/** What a folder and everything beside it take on disk, a file with several names once. */
function storedBytes(path: string): number {
  const files = new Map(filesIn(path).map((name) => [statSync(join(path, name)).ino, join(path, name)]));
  return [...files.values()].reduce(
    (sum, file) => sum + (statSync(file).isFile() ? statSync(file).size : 0),
    0,
  );
}

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

  test.each(['notes.txt', 'frames/mine.png', 'previous/notes.txt', 'previous/frames/mine.png'])(
    'does not replace an archive that also holds %s',
    async (name) => {
      await saveArchive(await archiveOf(10), folder);
      await saveArchive(await archiveOf(10), folder, { keepOld: true });
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
    mkdirSync(beside('lock'));
    writeFileSync(join(beside('lock'), '4194304-1-0123456789ab'), '');
    await expect(saveArchive(await archiveOf(10, source({ sessionId: 's2' })), folder)).rejects.toMatchObject(
      { code: 'target-exists' },
    );
    expect(readdirSync(join(parent, 'deep'))).toEqual(['s1.snapcompact']);
    expect((await loadArchive(folder)).frames.length).toBeGreaterThan(0);
  });

  test('refuses an archive of a newer schema instead of replacing it', async () => {
    await saveArchive(await archiveOf(10), folder);
    const path = join(folder, 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"schema": \d+/, '"schema": 99'));
    await expect(saveArchive(await archiveOf(10), folder)).rejects.toMatchObject({
      code: 'newer-schema',
      exitCode: 3,
    });
  });
});

describe('saveArchive over an archive', () => {
  test('keeps the state it replaces only when asked to, and only one', async () => {
    const states = [await countedOf(100), await countedOf(200), await countedOf(300)];
    for (const state of states) await saveArchive(state, folder, { keepOld: true });
    expect(await loadArchive(folder)).toEqual(states[2]);
    expect(await loadArchive(join(folder, 'previous'))).toEqual(states[1]);
    expect(readdirSync(join(folder, 'previous'))).not.toContain('previous');
    await saveArchive(states[0]!, folder);
    expect(filesIn(folder)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^previous/), 'frames/0004.png']),
    );
  });

  test('keeps nothing of a folder that held nothing', async () => {
    mkdirSync(folder, { recursive: true });
    await saveArchive(await countedOf(100), folder, { keepOld: true });
    expect(readdirSync(folder)).not.toContain('previous');
  });

  test('keeps the former state for its owner only, also where others could read it', async () => {
    await saveArchive(await countedOf(100), folder);
    chmodSync(join(folder, 'archive.json'), 0o644);
    await saveArchive(await countedOf(200), folder, { keepOld: true });
    for (const name of filesIn(folder)) {
      const found = statSync(join(folder, name));
      expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
    }
  });

  test('grows nothing over 20 passes that change nothing: B19', async () => {
    const archive = await countedOf(300);
    await saveArchive(archive, folder);
    const first = storedBytes(parent);
    for (let pass = 0; pass < 20; pass++) await saveArchive(archive, folder);
    expect(storedBytes(parent)).toBe(first);
    for (let pass = 0; pass < 20; pass++) await saveArchive(archive, folder, { keepOld: true });
    expect(storedBytes(parent)).toBe(first);
  });

  test('holds two states at most over 20 passes that change everything, with equal frames stored once: B19', async () => {
    const states = await Promise.all(Array.from({ length: 20 }, (_, pass) => countedOf(300, pass * 1000)));
    const sizes: number[] = [];
    for (const state of states) {
      await saveArchive(state, join(parent, 'alone'));
      sizes.push(storedBytes(join(parent, 'alone')));
      await saveArchive(state, folder, { keepOld: true });
      expect(storedBytes(folder)).toBeLessThanOrEqual(sizes.at(-1)! + (sizes.at(-2) ?? 0));
    }
    const shared = randomBytes(100_000);
    const grown = withFrames(states[0]!, Uint8Array.from(shared), Uint8Array.from(shared));
    await saveArchive(withFrames(states[1]!, Uint8Array.from(shared)), folder);
    await saveArchive(grown, folder, { keepOld: true });
    expect(storedBytes(folder)).toBeLessThan(200_000);
    expect(await loadArchive(folder)).toEqual(grown);
  });

  test('does not take a frame that was damaged on disk for one it has', async () => {
    const archive = await countedOf(300);
    await saveArchive(archive, folder);
    writeFileSync(join(folder, 'frames/0001.png'), 'damaged');
    await saveArchive(archive, folder, { keepOld: true });
    expect(await loadArchive(folder)).toEqual(archive);
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

  test.each([
    ['nothing', ''],
    ['base64 text', Buffer.from('frame').toString('base64')],
    ['a text with line ends', 'a\r\nb\n'],
    ['more than 50,000 base64 characters', randomBytes(45_003)],
    ['several megabytes', randomBytes(5_000_000)],
  ])('gives back a frame of %s byte by byte: B17', async (_, content) => {
    const archive = withFrames(await countedOf(100), Uint8Array.from(Buffer.from(content)));
    await saveArchive(archive, folder);
    await saveArchive(await countedOf(100), folder, { keepOld: true });
    const [frame] = (await loadArchive(join(folder, 'previous'))).frames;
    expect(Buffer.from(frame!.data).equals(archive.frames[0]!.data)).toBe(true);
    expect(statSync(join(folder, 'archive.json')).size).toBeLessThan(20_000);
  });

  test('paints a frame anew whose bytes changed or that is missing, and names it', async () => {
    const archive = await countedOf(300);
    await saveArchive(archive, folder);
    const frame = join(folder, 'frames/0002.png');
    const bytes = readFileSync(frame);
    bytes[100]! ^= 1;
    writeFileSync(frame, bytes);
    rmSync(join(folder, 'frames/0001.png'));
    const repairs: string[] = [];
    expect(await loadArchive(folder, { onRepair: (file) => repairs.push(file) })).toEqual(archive);
    expect(repairs).toEqual(['frames/0001.png', 'frames/0002.png']);
  });

  test.each([
    ['archive.json', 'segments', (json: Edited) => ({ ...json, segments: [5] })],
    ['archive.json', 'settings', (json: Edited) => ({ ...json, settings: undefined })],
    ['archive.json', 'parts', (json: Edited) => ({ ...json, parts: [{ type: 'frame', frame: 77 }] })],
    [
      'manifest.json',
      'a shape',
      (json: Edited) => ({ ...json, frames: [{ ...json.frames[0], shape: 'x' }] }),
    ],
    [
      'manifest.json',
      'a size',
      (json: Edited) => ({ ...json, frames: [{ ...json.frames[0], widthPx: -5 }] }),
    ],
    ['manifest.json', 'its digest', (json: Edited) => ({ ...json, archiveSha256: undefined })],
  ])('refuses an archive whose %s was edited in %s', async (file, _, edit) => {
    await saveArchive(await archiveOf(30), folder);
    const path = join(folder, file);
    writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')))));
    await expect(loadArchive(folder)).rejects.toMatchObject({ code: 'broken-input', exitCode: 3 });
  });

  test('cannot do without the text', async () => {
    await saveArchive(await archiveOf(300), folder);
    rmSync(join(folder, 'archive.json'));
    await expect(loadArchive(folder)).rejects.toMatchObject({ code: 'unreadable-input' });
  });
});
