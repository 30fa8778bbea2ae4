import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { renderText } from '../../src/archive/render-text.js';
import { saveArchive } from '../../src/archive/save-archive.js';
import { type InspectCommandOptions, type Inspected, inspectCommand } from '../../src/cli/inspect-command.js';
import { encodePng } from '../../src/frame/png.js';
import { readPng } from '../../src/frame/read-png.js';
import { toWebp } from '../../src/frame/webp.js';
import type { History } from '../../src/history/history.js';

const secret = 'sentence of the session';
const history: History = {
  messages: Array.from({ length: 40 }, (_, i) => ({
    id: `m${i}`,
    role: i % 2 ? ('assistant' as const) : ('user' as const),
    blocks: [{ type: 'text' as const, text: `${secret} ${i} ${'word '.repeat(20)} 12345${i} src/a${i}.ts` }],
  })),
};
const source = {
  name: 's\u001b[31m.jsonl',
  format: 'pi',
  bytes: 1234,
  sha256: 'ab'.repeat(32),
  sessionId: 'sess-1',
  title: 'A title',
};
const small = { shape: '11on16-bw', frame: { widthPx: 352, maxHeightPx: 176 }, threads: 0 };

let parent: string;
const at = (name: string) => join(parent, name);
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  const options = { ...small, maxFrames: 9, edge: 1, pins: ['id:m3'], source };
  await saveArchive(await archiveHistory(history, options), at('a.snapcompact'));
  const { frames } = await renderText('first line\nsecond line, 請', small);
  writeFileSync(at('named.png'), frames[0]!.png);
  writeFileSync(at('nameless.png'), encodePng(readPng(frames[0]!.png), ''));
  writeFileSync(at('frame.webp'), await toWebp(frames[0]!.png));
  writeFileSync(at('torn.png'), frames[0]!.png.subarray(0, 90));
  writeFileSync(at('torn.webp'), (await toWebp(frames[0]!.png)).subarray(0, 60));
  writeFileSync(at('data.json'), '{ "name": "x" }');
  writeFileSync(at('log.jsonl'), '{"role":"user","content":"x"}\n'.repeat(2));
  writeFileSync(
    at('data.bin'),
    Uint8Array.from({ length: 400 }, (_, i) => (i * 37) % 256),
  );
  writeFileSync(at('empty.jsonl'), '');
  mkdirSync(at('folder'));
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
});

async function inspect(path: string, given: InspectCommandOptions = {}) {
  let out = '';
  let err = '';
  await inspectCommand(path, given, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: false,
    signal: new AbortController().signal,
    env: {},
    home: '/nonexistent',
    check: () => undefined,
  });
  return { out, err };
}
async function json<K extends Inspected['kind']>(
  path: string,
  kind: K,
): Promise<Extract<Inspected, { kind: K }>> {
  const value = JSON.parse((await inspect(path, { json: true })).out);
  expect(value.kind).toBe(kind);
  return value;
}

describe('snapcompact inspect of an archive', () => {
  test('gives everything but bytes and words as one JSON value: B18', async () => {
    const path = at('a.snapcompact');
    const { out } = await inspect(path, { json: true });
    expect(out.length).toBeLessThan(64_000);
    expect(out).not.toContain(secret);
    const archive = await json(path, 'archive');
    const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
    for (const name of ['reader', 'settings', 'budget', 'layout', 'binding', 'counts', 'cost', 'source']) {
      expect(archive[name as keyof typeof archive]).toEqual(manifest[name]);
    }
    expect(archive.frames.map(({ chars: _, ...frame }) => frame)).toEqual(manifest.frames);
    expect(archive.frames.reduce((sum, { chars }) => sum + chars, 0)).toBe(archive.counts.framedChars);
    expect(archive.parts[0]).toMatchObject({ type: 'text', role: 'head' });
    expect(archive.parts.at(-1)).toMatchObject({ type: 'text', role: 'tail' });
    expect(archive.elided).toEqual([
      {
        reason: 'budget',
        what: 'segments',
        count: archive.elisions.length,
        chars: archive.elisions.reduce((sum, { chars }) => sum + chars, 0),
      },
    ]);
    expect(archive.facts['path']).toBeGreaterThan(0);
    expect(archive.pinnedChars).toBeGreaterThan(100);
    expect(archive.liveChars).toBeGreaterThan(100);
    expect(archive.damaged).toEqual([]);
  });

  test('tells people the same, a figure a line, and a line for each frame', async () => {
    const { out, err } = await inspect(at('a.snapcompact'));
    expect(err).toBe('');
    for (const line of [
      /a\.snapcompact: an archive of \d+ frames, \d+ of them open$/m,
      /^ {2}source +s \[31m\.jsonl \(pi\), 1,234 bytes, sha256 abab/m,
      /^ {2}session +sess-1$/m,
      /^ {2}reader +unknown, 11on16-bw on 352×176$/m,
      /^ {2}messages +40 in 40 segments \(user, ai\)$/m,
      /^ {2}shapes +\d+ 11on16-bw \(hq\), \d+ 8on16-bw \(lq\)$/m,
      /^ {2}limit +binding limit: frames, room for 9 full frames, \d+ wanted, \d+ made$/m,
      /^ {2}cut down +step answer, up to segment \d+$/m,
      /^ {2}elisions +budget: \d+ × segments, [\d,]+ characters$/m,
      /^ {2}facts +\d+ (number|id|path)/m,
      /^ {2}pins +\d+ characters, by id:m3$/m,
      /^ {2}settings +reasoning on, sourceBytes 16000000.* maxFrames 9/m,
      /^ {2}parts +head text \([\d,]+ characters\), frames 1–\d+, tail text/m,
      /^ {2}frame +tier +shape +size +bytes +characters +state +entries$/m,
      /^ {2}frames\/0001\.png +hq +11on16-bw +352×176 +[\d,]+ +[\d,]+ +(sealed|open) +m\d+ – m\d+$/m,
    ]) {
      expect(out).toMatch(line);
    }
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  test('names frames that are damaged', async () => {
    cpSync(at('a.snapcompact'), at('torn.snapcompact'), { recursive: true });
    writeFileSync(at('torn.snapcompact/frames/0002.png'), 'no picture');
    expect((await inspect(at('torn.snapcompact'))).err).toMatch(/note: damaged: frames\/0002\.png: 10 bytes/);
    expect((await inspect(at('torn.snapcompact'), { quiet: true })).err).toBe('');
    expect((await json(at('torn.snapcompact'), 'archive')).damaged).toMatchObject([
      { file: 'frames/0002.png' },
    ]);
  });

  test('reads an archive without frames', async () => {
    await saveArchive(await archiveHistory({ messages: [] }, small), at('none.snapcompact'));
    const { out } = await inspect(at('none.snapcompact'));
    expect(out).toMatch(/an archive of 0 frames/);
    expect(out).toMatch(/^ {2}elisions +none$/m);
  });

  test('reads an archive that Oh-My-Pi keeps in a file', async () => {
    const { out } = await inspect(resolve('test/fixtures/omp/whole-text.json'));
    expect(out).toMatch(/an archive of 1 frame/);
  });
});

describe('snapcompact inspect of a frame', () => {
  test.each([
    ['named.png', '11on16-bw', 'image/png'],
    ['nameless.png', null, 'image/png'],
    ['frame.webp', '11on16-bw', 'image/webp'],
  ])('tells what %s shows', async (name, namedShape, mime) => {
    expect(await json(at(name), 'frame')).toEqual({
      kind: 'frame',
      path: at(name),
      mime,
      bytes: readFileSync(at(name)).length,
      widthPx: 352,
      heightPx: 16,
      bitDepth: 1,
      namedShape,
      shape: '11on16-bw',
      columnsCells: 32,
      rowsCells: 1,
      chars: 25,
      dimChars: 0,
      unread: [],
      firstLine: 'first line',
    });
    const { out } = await inspect(at(name));
    expect(out).toMatch(/^ {2}size +352×16 pixels, 1 bit each$/m);
    expect(out).toMatch(namedShape === null ? /found from the pixels/ : /named in the file/);
    expect(out).toMatch(/^ {2}unread +none\n {2}first line +first line$/m);
  });

  test('goes by the content and not by the name', async () => {
    cpSync(at('named.png'), at('frame.txt'));
    expect((await json(at('frame.txt'), 'frame')).chars).toBe(25);
  });

  test('counts cells that it cannot read', async () => {
    const painting = readPng(readFileSync(at('named.png')));
    const rows = Uint8Array.from(painting.rows);
    rows[5 * (rows.length / painting.heightPx) + 1]! ^= 0x20;
    writeFileSync(at('spoiled.png'), encodePng({ ...painting, rows }, '11on16-bw'));
    expect((await json(at('spoiled.png'), 'frame')).unread).toEqual([{ row: 0, column: 0 }]);
    const { out } = await inspect(at('spoiled.png'));
    expect(out).toMatch(/^ {2}unread +1 cell, the first at row 1 column 1$/m);
  });
});

describe('snapcompact inspect of a transcript', () => {
  const session = resolve('test/fixtures/transcripts/claude-code/session.jsonl');

  test('tells format, session, messages and what was not read', async () => {
    const transcript = await json(session, 'transcript');
    expect(transcript).toMatchObject({ format: 'claude-code', confidence: 'certain' });
    const { roles, messages, report, firstTime, lastTime } = transcript;
    expect(Object.values(roles).reduce((sum, count) => sum + count, 0)).toBe(messages);
    expect(report.records).toBeGreaterThan(messages);
    expect(Date.parse(firstTime!)).toBeLessThan(Date.parse(lastTime!));
    expect(transcript).not.toHaveProperty('history');
    const { out } = await inspect(session);
    expect(out).toMatch(/^ {2}format +claude-code \(certain\)$/m);
    expect(out).toMatch(/^ {2}session +\S+/m);
    expect(out).toMatch(/^ {2}messages +[\d,]+: [\d,]+ (user|assistant)/m);
    expect(out).toMatch(/^ {2}time +\d{4}-\d\d-\d\dT\S+Z to \d{4}/m);
  });

  test('lists broken lines and unknown kinds, and lets none of them write to the terminal', async () => {
    const lines = readFileSync(session, 'utf8').trimEnd().split('\n');
    const strange = JSON.stringify({ type: 'x\u001b[31m', uuid: 'q', sessionId: 's' });
    writeFileSync(at('bad.jsonl'), `${[...lines, strange, ...Array(7).fill('{"a":')].join('\n')}\n`);
    const { out } = await inspect(at('bad.jsonl'));
    expect(out).toMatch(/^ {2}unknown +1 .*x \[31m/m);
    expect(out.match(/^ {2}broken /gm)).toHaveLength(6);
    expect(out).toMatch(/and 2 more of these/);
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect((await json(at('bad.jsonl'), 'transcript')).report.broken).toHaveLength(7);
  });

  test('takes a file for the format that it is told', async () => {
    const { out } = await inspect(at('log.jsonl'), { formatIn: 'openai-chat', json: true });
    expect(JSON.parse(out)).toMatchObject({ format: 'openai-chat', confidence: 'forced', messages: 2 });
    expect(await json(at('data.json'), 'transcript')).toMatchObject({
      format: 'text',
      confidence: 'probable',
    });
  });

  test('counts times that are no times of day as none', async () => {
    const records = [
      { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/x' },
      { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'x', timestamp: 9e99 } },
    ];
    writeFileSync(at('odd.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    expect(await json(at('odd.jsonl'), 'transcript')).not.toHaveProperty('lastTime');
  });
});

describe('snapcompact inspect of anything else', () => {
  test.each([
    ['nothing', 'unreadable-input', /no such file/],
    [
      'folder',
      'unrecognised-format',
      /an archive, a frame or a transcript .*a folder without an archive in it/,
    ],
    ['torn.png', 'unrecognised-format', /whole chunks for a frame.*torn\.png/],
    ['torn.webp', 'unrecognised-format', /bytes, as the file states.*torn\.webp/],
    ['log.jsonl', 'unrecognised-format', /--format-in openai-chat/],
    ['data.bin', 'unrecognised-format', /binary data/],
    ['empty.jsonl', 'broken-input', /an empty file/],
  ])('refuses %s with a clear error', async (name, code, message) => {
    await expect(inspect(at(name))).rejects.toMatchObject({ code, exitCode: 3 });
    await expect(inspect(at(name))).rejects.toThrow(message);
  });

  test('refuses a newer archive, and one whose text is not what was saved', async () => {
    cpSync(at('a.snapcompact'), at('newer.snapcompact'), { recursive: true });
    const path = at('newer.snapcompact/manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, schema: 99 }));
    await expect(inspect(at('newer.snapcompact'))).rejects.toMatchObject({ code: 'newer-schema' });
    renameSync(path, `${path}.gone`);
    writeFileSync(path, '{}');
    await expect(inspect(at('newer.snapcompact'))).rejects.toMatchObject({ code: 'broken-input' });
  });
});
