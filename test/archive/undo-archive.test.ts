import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { loadArchive } from '../../src/archive/load-archive.js';
import { saveArchive } from '../../src/archive/save-archive.js';
import { undoArchive } from '../../src/archive/undo-archive.js';
import { updateArchive } from '../../src/archive/update-archive.js';

const archiveOf = (text: string) =>
  archiveHistory(
    { messages: [{ id: 'm', role: 'user', blocks: [{ type: 'text', text }] }] },
    { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 }, threads: 0 },
  );
const [older, newer] = await Promise.all([archiveOf('one '.repeat(300)), archiveOf('other '.repeat(100))]);

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

test('makes the state before the last pass the archive again, once', async () => {
  await updateArchive(folder, async () => newer, { keepOld: true });
  expect(await undoArchive(folder)).toEqual(older);
  expect(await loadArchive(folder)).toEqual(older);
  expect(readdirSync(folder).sort()).toEqual(['archive.json', 'context.json', 'frames', 'manifest.json']);
  expect(statSync(join(folder, 'manifest.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(parent)).toEqual(['s1.snapcompact']);
  await expect(undoArchive(folder)).rejects.toThrow(/a state that the last pass kept.*got none/);
  expect(await loadArchive(folder)).toEqual(older);
});

test('says that nothing is kept after a pass that keeps nothing', async () => {
  await updateArchive(folder, async () => newer);
  await expect(undoArchive(folder)).rejects.toMatchObject({ code: 'nothing-kept', exitCode: 4 });
  expect(await loadArchive(folder)).toEqual(newer);
});

test('undoes a pass whose result was damaged since', async () => {
  await updateArchive(folder, async () => newer, { keepOld: true });
  writeFileSync(join(folder, 'manifest.json'), '{');
  rmSync(join(folder, 'frames'), { recursive: true });
  expect(await undoArchive(folder)).toEqual(older);
  expect(await loadArchive(folder)).toEqual(older);
});

test('leaves all as it is when what was kept is damaged, or files of somebody are in the folder', async () => {
  await updateArchive(folder, async () => newer, { keepOld: true });
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await expect(undoArchive(folder)).rejects.toMatchObject({ code: 'target-exists', exitCode: 4 });
  rmSync(join(folder, 'notes.txt'));
  writeFileSync(join(folder, 'previous/archive.json'), 'damaged');
  await expect(undoArchive(folder)).rejects.toMatchObject({ code: 'broken-input', exitCode: 3 });
  expect(await loadArchive(folder)).toEqual(newer);
});

test('runs beside no pass', async () => {
  await updateArchive(folder, async () => newer, { keepOld: true });
  await updateArchive(folder, async (archive) => {
    await expect(undoArchive(folder)).rejects.toMatchObject({ code: 'archive-in-use', exitCode: 4 });
    return archive;
  });
  expect(await undoArchive(folder)).toEqual(older);
});

test('refuses what is no archive, and makes nothing where nothing is', async () => {
  const missing = join(parent, 'deep/missing');
  await expect(undoArchive(missing)).rejects.toMatchObject({ code: 'unreadable-input', exitCode: 3 });
  mkdirSync(join(parent, 'mine/previous'), { recursive: true });
  await expect(undoArchive(join(parent, 'mine'))).rejects.toMatchObject({ code: 'unreadable-input' });
  expect(readdirSync(parent).sort()).toEqual(['mine', 's1.snapcompact']);
});
