import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { saveArchive } from '../../src/archive/save-archive.js';
import { type RecoverCommandOptions, recoverCommand } from '../../src/cli/recover-command.js';
import type { History } from '../../src/history/history.js';

const evil = 'red \u001b[31mtext\u0007\r\nnext\u202e line\tend';
const history: History = {
  messages: [
    { id: 'u1', role: 'user', blocks: [{ type: 'text', text: evil }] },
    { id: 'a1', role: 'assistant', blocks: [{ type: 'call', callId: 'c', name: 'Read', input: { p: 'x' } }] },
    {
      id: 'r1',
      role: 'tool',
      blocks: [{ type: 'result', callId: 'c', content: [{ type: 'text', text: 'row\n'.repeat(900) }] }],
    },
    { id: 'u2', role: 'user', blocks: [{ type: 'text', text: 'go on\n' }] },
  ],
};
const options = { shape: '8on16-bw', frame: { widthPx: 200, maxHeightPx: 96 }, threads: 0, edge: 0 };

let folder: string;
let poor: string;
beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  folder = join(parent, 'a.snapcompact');
  poor = join(parent, 'b.snapcompact');
  await saveArchive(await archiveHistory(history, options), folder);
  await saveArchive(await archiveHistory(history, { ...options, sourceBytes: 100 }), poor);
});
afterAll(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

async function recover(given: RecoverCommandOptions, isOutTerminal = false, path = folder) {
  let out = '';
  let err = '';
  await recoverCommand(path, given, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: true,
    isOutTerminal,
    signal: new AbortController().signal,
    env: {},
    home: '/nonexistent',
    check: () => undefined,
  });
  return { out, err };
}

describe('snapcompact recover', () => {
  test('prints the text of an entry and not a character more', async () => {
    expect(await recover({ entry: 'u1' })).toEqual({ out: evil, err: '' });
    expect((await recover({ entry: 'r1' })).out).toBe('row\n'.repeat(900));
    expect((await recover({ entry: 'a1' })).out).toBe('Read\np: x');
    expect((await recover({})).out).toBe([evil, 'Read\np: x', 'row\n'.repeat(900), 'go on\n'].join('\n'));
  });

  test('lets no transcript write to the terminal, and ends the line there', async () => {
    const { out } = await recover({ entry: 'u1' }, true);
    expect(out).toBe('red [U+001B][31mtext[U+0007]\nnext[U+202E] line\tend\n');
    expect((await recover({ entry: 'u2' }, true)).out).toBe('go on\n');
  });

  test('gives one JSON value, with pieces and what is missing', async () => {
    const { out } = await recover({ entry: 'a1', json: true });
    expect(JSON.parse(out)).toEqual({
      archive: folder,
      entry: 'a1',
      asPrinted: false,
      text: 'Read\np: x',
      pieces: [
        {
          entryId: 'a1',
          scope: 'call',
          part: 'call',
          name: 'Read',
          text: 'Read\np: x',
          args: [{ key: 'p', text: 'x' }],
        },
      ],
      missing: [],
    });
  });

  test('prints a frame and rows of it as they are printed, and what stands behind them', async () => {
    const { pages } = JSON.parse(readFileSync(join(folder, 'archive.json'), 'utf8'));
    const printed = { asPrinted: true, frame: 1 };
    expect((await recover(printed)).out).toBe(pages[0].text);
    const rows = await Promise.all(
      ['1', '2-2', '3-6'].map(async (given) => (await recover({ ...printed, rows: given })).out),
    );
    expect(rows.join('')).toBe(pages[0].text);
    expect((await recover({ ...printed, lines: true })).out).toBe(pages[0].text.replaceAll('█', '\n'));
    expect((await recover({ frame: 1, rows: '1' })).out).toBe(evil);
  });

  test('notes on stderr what is missing, unless it is told to be quiet', async () => {
    const { out, err } = await recover({ entry: 'r1' }, false, poor);
    expect(out).toBe('[…3600 ch elided…]');
    expect(err).toBe('snapcompact: note: output of r1, 3,600 characters: not kept in the archive\n');
    expect((await recover({ entry: 'r1', quiet: true }, false, poor)).err).toBe('');
    const cut = await recover({ entry: 'r1', asPrinted: true });
    expect(cut.err).toMatch(
      /^snapcompact: note: output of r1, [\d,]+ characters: cut where it is printed\n$/,
    );
  });

  test.each<[RecoverCommandOptions, RegExp]>([
    [{ frame: 1, rows: 'a' }, /rows as in 3-5, or one for --rows, got a/],
    [{ frame: 1, rows: '1-' }, /rows as in 3-5/],
    [{ frame: 1, rows: '5-2' }, /1 to 6 for the rows of frame 1, got 5 to 2/],
    [{ rows: '1-2' }, /a frame/],
    [{ frame: 900 }, /1 to \d+ for the frame/],
    [{ entry: 'x9' }, /one of 4, from u1 to u2/],
  ])('refuses %j', async (given, message) => {
    await expect(recover(given)).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
    await expect(recover(given)).rejects.toThrow(message);
  });

  test('refuses a folder that is not there', async () => {
    await expect(recover({}, false, '/nonexistent')).rejects.toMatchObject({ exitCode: 3 });
  });
});
