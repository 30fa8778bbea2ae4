import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { useWorkFolder } from '../support/work-folder.js';

const session = [
  { type: 'summary', summary: 'Fix it', leafUuid: 'u1' },
  {
    type: 'user',
    uuid: 'u1',
    sessionId: 'sess-1',
    parentUuid: null,
    isSidechain: false,
    message: { role: 'user', content: 'list the files, 請' },
  },
  {
    type: 'assistant',
    uuid: 'a1',
    sessionId: 'sess-1',
    parentUuid: 'u1',
    message: {
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
    },
  },
  {
    type: 'user',
    uuid: 'u2',
    sessionId: 'sess-1',
    parentUuid: 'a1',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a.ts\nb.ts' }] },
  },
];
const jsonl = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

useWorkFolder();
beforeEach(() => {
  writeFileSync('session.jsonl', jsonl(session));
});

const archive = (...args: string[]) => runCli(['archive', '--threads', '0', ...args]);

describe('snapcompact archive', () => {
  test('reports what it did and leaves an archive named after the session, twice in a row', async () => {
    for (let round = 0; round < 2; round++) {
      const { exitCode, out, err } = await archive('session.jsonl', '--model', 'claude-opus-4-8');
      expect([exitCode, err]).toEqual([0, '']);
      for (const word of [
        'messages',
        'characters',
        'frames',
        'bytes',
        'image tokens',
        'text tokens',
        'elisions',
        'sess-1.snapcompact',
      ]) {
        expect(out).toContain(word);
      }
    }
    expect(readdirSync('sess-1.snapcompact').sort()).toEqual([
      'archive.json',
      'context.json',
      'frames',
      'manifest.json',
    ]);
  });

  test('says plainly when frames cost more than the text', async () => {
    const { out } = await archive('session.jsonl', '--model', 'gemini-3-pro');
    expect(out).toMatch(/frames LOSE [\d,]+ .* against/);
  });

  test('gives one JSON value with --json, and nothing with --quiet', async () => {
    const { out } = await archive('session.jsonl', '--json');
    expect(JSON.parse(out)).toMatchObject({
      status: 'archived',
      format: 'claude-code',
      counts: { frames: 1 },
    });
    expect((await archive('session.jsonl', '--quiet')).out).toBe('');
  });

  test('prints text that its frames decode to', async () => {
    await archive('session.jsonl');
    const { out } = await runCli(['decode', 'sess-1.snapcompact/frames/0001.png']);
    expect(out).toBe('¶user:list the files, 請█¶call:Bash(command="ls")<out>a.ts█b.ts</out>\n');
    expect((await runCli(['decode', '--lines', 'sess-1.snapcompact/frames/0001.png'])).out).toContain(
      'a.ts\nb.ts',
    );
  });

  test('goes on after a bad file among several, reports each, and exits 3', async () => {
    mkdirSync('in/deep', { recursive: true });
    cpSync('session.jsonl', 'in/deep/good.jsonl');
    writeFileSync('in/empty.jsonl', '');
    writeFileSync('in/picture.bin', 'x');
    const { exitCode, out, err } = await archive('in', '-o', 'out', '--json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(out).map(({ status }: { status: string }) => status)).toEqual(['archived', 'failed']);
    expect(err).toMatch(/in\/empty\.jsonl/);
    expect(err).toMatch(/left alone: in\/picture\.bin/);
    expect(readdirSync('out')).toEqual(['sess-1.snapcompact']);
  });

  test('gives transcripts of one name archives of their own', async () => {
    mkdirSync('a');
    mkdirSync('b');
    writeFileSync('a/x.md', 'one');
    writeFileSync('b/x.md', 'two');
    expect((await archive('a/x.md', 'b/x.md')).exitCode).toBe(0);
    expect(readdirSync('.').filter((name) => name.endsWith('.snapcompact'))).toEqual([
      'x-2.snapcompact',
      'x.snapcompact',
    ]);
  });

  test('lets no session id choose a folder outside the target', async () => {
    writeFileSync(
      'evil.jsonl',
      jsonl(session.map((record) => ({ ...record, sessionId: '../../evil/../x' }))),
    );
    await archive('evil.jsonl', '-o', 'out', 'session.jsonl');
    expect(readdirSync('out').sort()).toEqual(['evil_.._x.snapcompact', 'sess-1.snapcompact']);
    expect(existsSync('../evil')).toBe(false);
  });

  test('lets no transcript write to the terminal', async () => {
    const evil = { type: '\u001b]0;PWNED\u0007x\narchive  /etc/fake', uuid: 'u8', sessionId: 'sess-1' };
    writeFileSync('evil.jsonl', jsonl([...session, evil]));
    const { out, err } = await archive('evil.jsonl', '-m', 'x\u001b[31m');
    expect(out).toContain('PWNED');
    expect(out + err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(out).not.toMatch(/^archive {2}\/etc/m);
  });

  test('never writes over a folder that is no archive', async () => {
    mkdirSync('sess-1.snapcompact');
    writeFileSync('sess-1.snapcompact/mine.txt', 'mine');
    const { exitCode, err } = await archive('session.jsonl', '--force');
    expect(exitCode).toBe(4);
    expect(err).toMatch(/no archive/);
    expect(readdirSync('sess-1.snapcompact')).toEqual(['mine.txt']);
  });

  test('never puts archives into an archive', async () => {
    await archive('session.jsonl', '-o', 'arch');
    writeFileSync('other.md', 'text');
    const { exitCode, err } = await archive('session.jsonl', 'other.md', '-o', 'arch');
    expect(exitCode).toBe(4);
    expect(err).toMatch(/an archive/);
  });

  test('goes on where a folder cannot be read or a name is too long for the file system', async () => {
    mkdirSync('in');
    cpSync('session.jsonl', 'in/good.jsonl');
    writeFileSync(
      'long.jsonl',
      jsonl(session.map((record) => ({ ...record, sessionId: '漢'.repeat(5000) }))),
    );
    expect((await archive('in', 'long.jsonl', 'nowhere', '-o', 'out')).exitCode).toBe(3);
    expect(readdirSync('out').sort()).toEqual(['sess-1.snapcompact', `${'漢'.repeat(53)}.snapcompact`]);
  });

  test('takes no JSON of unknown kind out of a folder for a transcript', async () => {
    mkdirSync('in');
    writeFileSync('in/package.json', '{ "name": "x", "version": "1" }');
    const { exitCode, err } = await archive('in', '-o', 'out');
    expect(exitCode).toBe(3);
    expect(err).toMatch(/in\/package\.json.*--format-in text/);
    expect((await archive('in/package.json', '--format-in', 'text', '-o', 'one')).exitCode).toBe(0);
  });

  test('gives a JSON value on stdout for every failure, too', async () => {
    for (const args of [
      ['archive', 'nope.jsonl', '--json'],
      ['archive', '--json', 'session.jsonl', '--shape', 'x'],
      ['decode', 'nope.png', '--json'],
      ['render', 'nope', '--json'],
      ['archive', '--json', '--threads', 'x', 'y'],
      ['arch', '--json'],
    ]) {
      expect(JSON.stringify(JSON.parse((await runCli(args)).out))).toMatch(/"message":"/);
    }
  });

  test('takes the forced format, and names the option for a file of flat role lines: B53', async () => {
    writeFileSync(
      'log.jsonl',
      jsonl([
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'y' },
      ]),
    );
    const refused = await archive('log.jsonl');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('--format-in');
    expect((await archive('log.jsonl', '--format-in', 'openai-chat')).exitCode).toBe(0);
  });

  test.each([
    [['archive', 'missing.jsonl'], 3, /missing\.jsonl/],
    [['archive', 'session.jsonl', '--model', 'gpt-oss-20b'], 4, /--allow no-vision/],
    [['archive', 'session.jsonl', '-o', '/proc/nowhere/x'], 4, /a place that can be written/],
    [['archive', 'session.jsonl', '-o', 'session.jsonl/x'], 4, /session\.jsonl\/x/],
    [['archive', 'session.jsonl', '--shape', '11on16'], 2, /11on16-bw/],
    [['archive', 'session.jsonl', '--max-frames', '0'], 2, /integer from 1 to 600/],
    [['archive', 'session.jsonl', '--format-in', 'claud-code'], 2, /claude-code/],
    [['archive'], 2, /missing required argument/],
    [['archiv', 'x'], 2, /archive/],
    [['archive', 'session.jsonl', '--modle', 'x'], 2, /--model/],
  ])('answers %j with exit code %i and a clear error', async (args, exitCode, message) => {
    const run = await runCli(args);
    expect(run.exitCode).toBe(exitCode);
    expect(run.err).toMatch(message);
  });

  test('stops cleanly when interrupted, and leaves nothing', async () => {
    const run = await runCli(['archive', 'session.jsonl'], { signal: AbortSignal.abort() });
    expect(run.exitCode).toBe(130);
    expect(readdirSync('.')).toEqual(['session.jsonl']);
  });

  test('leaves reasoning out on request', async () => {
    writeFileSync(
      'think.jsonl',
      jsonl([
        ...session.slice(0, 2),
        {
          ...session[2],
          uuid: 'a9',
          message: {
            id: 'm9',
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'alpha plan', signature: 's' },
              { type: 'text', text: 'ok' },
            ],
          },
        },
      ]),
    );
    await archive('think.jsonl', '--reasoning', 'off');
    for (const file of ['archive.json', 'context.json', 'manifest.json']) {
      expect(readFileSync(join('sess-1.snapcompact', file), 'utf8')).not.toMatch(/alpha plan|¶think/);
    }
  });
});

describe('snapcompact decode', () => {
  test('reads a folder of frames, and goes on after a file it cannot read', async () => {
    await archive('session.jsonl', '-o', 'arch');
    writeFileSync('torn.png', readFileSync('arch/frames/0001.png').subarray(0, 90));
    const run = await runCli(['decode', 'torn.png', 'missing.png', 'arch', '--quiet']);
    expect(run.out).toContain('list the files');
    expect(run.err).toMatch(/torn\.png/);
    expect(run.err).toMatch(/no such file.*missing\.png/);
    expect(run.exitCode).toBe(3);
  });
});

describe('snapcompact render', () => {
  test('prints any text on frames that decode to it, its own marks spelled out', async () => {
    writeFileSync('note.txt', 'a █ b\n  indented');
    expect((await runCli(['render', 'note.txt', '--shape', '8on22-bw'])).out).toMatch(/1 frame of 8on22-bw/);
    expect((await runCli(['decode', 'note.frames/0001.png'])).out).toBe('a [U+2588] b█indented\n');
  });

  test('needs --force to replace frames, and never replaces anything else', async () => {
    writeFileSync('note.txt', 'x');
    await runCli(['render', 'note.txt']);
    expect((await runCli(['render', 'note.txt'])).exitCode).toBe(4);
    expect((await runCli(['render', 'note.txt', '--force'])).exitCode).toBe(0);
    mkdirSync('other');
    writeFileSync('other/mine.txt', 'mine');
    expect((await runCli(['render', 'note.txt', '-o', 'other', '--force'])).exitCode).toBe(4);
  });

  test('refuses a text that needs more frames than allowed', async () => {
    writeFileSync('long.txt', 'word '.repeat(20_000));
    const { exitCode, err } = await runCli(['render', 'long.txt', '--max-frames', '2']);
    expect(exitCode).toBe(4);
    expect(err).toMatch(/--max-frames/);
  });
});

describe('the registries', () => {
  test('list the shapes', async () => {
    const { out } = await runCli(['shapes']);
    for (const id of ['11on16-bw', '8on22-bw', '8on16-bw']) expect(out).toContain(id);
  });

  test('list the rules when no model is named', async () => {
    const { out } = await runCli(['models']);
    expect(out).toMatch(/^claude-high .*1932×1932/m);
    expect(out).toMatch(/^unknown .*unmeasured any other/m);
  });

  test('explain how a model resolves', async () => {
    const { out } = await runCli(['models', 'anthropic/claude-opus-6']);
    expect(out).toMatch(/11on16-bw/);
    expect(out).toMatch(/because/);
  });
});

describe('the command line', () => {
  test('prints the version of the package', async () => {
    const { out } = await runCli(['--version']);
    expect(out.trim()).toBe(
      JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    );
  });

  test('offers help for every command', async () => {
    const { out } = await runCli(['--help']);
    for (const name of ['archive', 'render', 'decode', 'shapes', 'models']) expect(out).toContain(name);
  });
});
