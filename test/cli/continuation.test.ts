/** What a transcript is to an archive that is there already: a later state, more history, or something else. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { useWorkFolder } from '../support/work-folder.js';

const folder = useWorkFolder();
beforeEach(() => {
  mkdirSync('other');
});

const fixtures = resolve('test/fixtures/transcripts');
const run = (...args: string[]) => runCli(args, { home: folder() });
const done = async (...args: string[]) => {
  const { out, err, exitCode } = await run(...args);
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
  return out;
};
const json = async (...args: string[]) => JSON.parse(await done(...args, '--json'));
const painted = ['--threads', '0'];
const chat = (path: string, ...words: string[]) => {
  const messages = words.map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content }));
  writeFileSync(path, JSON.stringify(messages));
};
const read = (path: string) => readFileSync(path, 'utf8');

describe('rearchive with a transcript whose entries have no ids of their own', () => {
  beforeEach(async () => {
    chat('c.json', 'ALPHA keep', 'fine');
    await done('archive', 'c.json', '-o', 'a', ...painted);
  });

  test('takes a longer state of it for the whole', async () => {
    chat('c.json', 'ALPHA keep', 'fine', 'and more');
    await done('rearchive', 'a', 'c.json', ...painted);
    expect((await done('recover', 'a')).match(/ALPHA/g)).toHaveLength(1);
    expect(await done('recover', 'a')).toContain('and more');
  });

  test('adds another conversation under the same name, and loses nothing', async () => {
    chat('other/c.json', 'BETA', 'x', 'second');
    await done('rearchive', 'a', 'other/c.json', ...painted);
    const text = await done('recover', 'a');
    for (const words of ['ALPHA keep', 'fine', 'BETA', 'second']) expect(text).toContain(words);
  });

  test('refuses one that says something else in the same place, or nothing, unless told to add it', async () => {
    const before = read('a/archive.json');
    chat('c.json', 'ALPHA keep', 'other words', 'more');
    const refused = await run('rearchive', 'a', 'c.json');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/word for word .*got other words in \S+.*--add/);
    chat('c.json', 'ALPHA keep');
    expect((await run('rearchive', 'a', 'c.json')).err).toMatch(/got none with id/);
    expect(read('a/archive.json')).toBe(before);
    await done('rearchive', 'a', 'c.json', '--add', ...painted);
    expect((await done('recover', 'a')).match(/ALPHA/g)).toHaveLength(2);
  });

  test('refuses the same file read as another format', async () => {
    const refused = await run('rearchive', 'a', 'c.json', '--format-in', 'text');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/--format-in openai-chat/);
  });

  test('archive replaces it by a later state only, and by another conversation only with --force', async () => {
    chat('other/c.json', 'BETA', 'x', 'second');
    const refused = await run('archive', 'other/c.json', '-o', 'a', ...painted);
    expect(refused.exitCode).toBe(4);
    expect(refused.err).toMatch(/other user turns.*--force/);
    await done('archive', 'c.json', '-o', 'a', ...painted);
    chat('c.json', 'ALPHA keep', 'fine', 'more');
    await done('archive', 'c.json', '-o', 'a', ...painted);
    await done('archive', 'other/c.json', '-o', 'a', '--force', ...painted);
  });
});

describe('rearchive with a transcript that is known by its bytes or by how it begins', () => {
  test('finds nothing new in the same file under another name', async () => {
    chat('c.json', 'ALPHA keep', 'fine');
    chat('d.json', 'ALPHA keep', 'fine');
    await done('archive', 'c.json', '-o', 'a', ...painted);
    const { counts } = await json('rearchive', 'a', 'd.json', ...painted);
    expect(counts.messages).toBe(2);
  });

  test('takes a text that goes on for the whole', async () => {
    writeFileSync('notes.md', 'first line\n');
    await done('archive', 'notes.md', '-o', 'a', ...painted);
    writeFileSync('notes.md', 'first line\nsecond line\n');
    await done('rearchive', 'a', 'notes.md', ...painted);
    expect((await done('recover', 'a')).match(/first line/g)).toHaveLength(1);
    expect((await json('rearchive', 'a', 'notes.md', ...painted)).status).toBe('unchanged');
  });
});

describe('rearchive with a text that the source has no room for', () => {
  test('refuses another text in its place', async () => {
    const task = (output: string) => [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        tool_calls: [{ id: 't', type: 'function', function: { name: 'run', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 't', content: output },
    ];
    writeFileSync('c.json', JSON.stringify(task('x'.repeat(9_000))));
    await done('archive', 'c.json', '-o', 'a', '--source-bytes', '500', ...painted);
    expect((await json('rearchive', 'a', 'c.json', ...painted)).status).toBe('unchanged');
    writeFileSync('c.json', JSON.stringify(task('y'.repeat(9_100))));
    expect((await run('rearchive', 'a', 'c.json', ...painted)).err).toMatch(/got other words/);
  });
});

describe('an archive remembers', () => {
  test('that abandoned branches were asked for', async () => {
    const tree = join(fixtures, 'pi/tree.jsonl');
    await done('archive', tree, '--branches', '-o', 'a', ...painted);
    expect((await json('rearchive', 'a', tree, ...painted)).status).toBe('unchanged');
    const without = await run('rearchive', 'a', tree, '--no-branches', ...painted);
    expect(without.err).toMatch(/word for word/);
  });

  test('that subagents were left out', async () => {
    const session = join(fixtures, 'claude-code/session.jsonl');
    await done('archive', session, '--no-subagents', '-o', 'a', ...painted);
    expect((await json('rearchive', 'a', session, ...painted)).status).toBe('unchanged');
    const more = await json('rearchive', 'a', session, '--subagents', ...painted);
    expect(more.counts.messages).toBeGreaterThan(0);
  });

  test('its window, and that its reader takes no images', async () => {
    chat('c.json', 'a', 'b');
    await done('archive', 'c.json', '-o', 'w', '--window', '200k', ...painted);
    await done('rearchive', 'w', '--used-tokens', '1000', ...painted);
    expect((await run('archive', 'c.json', '-o', 'x', '--used-tokens', '1000')).err).toMatch(/no --window/);
    await done('archive', 'c.json', '-o', 't', '-m', 'gpt-3.5-turbo', '--allow', 'no-vision', ...painted);
    expect((await json('rearchive', 't')).status).toBe('unchanged');
  });

  test('a stated default is no change', async () => {
    const session = join(fixtures, 'claude-code/session.jsonl');
    await done('archive', session, '-o', 'a', ...painted);
    const before = read('a/manifest.json');
    await done('rearchive', 'a', '--edge', '1', ...painted);
    expect(JSON.parse(read('a/manifest.json')).layout).toEqual(JSON.parse(before).layout);
  });
});

describe('what goes without a trace elsewhere is said', () => {
  test('reasoning that leaves the source', async () => {
    const session = join(fixtures, 'claude-code/turns.jsonl');
    await done('archive', session, '-o', 'a', ...painted);
    const { reasoningGone } = await json('rearchive', 'a', '--reasoning', 'off', ...painted);
    expect(reasoningGone.texts).toBeGreaterThan(0);
    expect((await json('rearchive', 'a', '--reasoning', 'off', ...painted)).status).toBe('unchanged');
  });

  test('pins that name nothing, and mistyped routes and families', async () => {
    chat('c.json', 'a', 'b');
    const { idlePins } = await json(
      'archive',
      'c.json',
      '-o',
      'a',
      '--pin',
      'id:nope',
      '--pin',
      '/A/gi',
      ...painted,
    );
    expect(idlePins).toEqual(['id:nope']);
    expect(await done('plan', 'c.json', '--pin', 'id:nope')).toMatch(/nothing is pinned by id:nope/);
    const route = await run('plan', 'c.json', '--route', 'bedrok');
    expect(route.exitCode).toBe(2);
    expect(route.err).toMatch(/did you mean bedrock/);
    expect((await run('plan', 'c.json', '--api', 'nope')).exitCode).toBe(2);
  });

  test('that nothing is gained, by the exit code, also where nothing would be written', async () => {
    chat('c.json', 'a', 'b');
    expect((await run('plan', 'c.json', '--only-if-smaller')).exitCode).toBe(4);
    expect((await run('archive', 'c.json', '--dry-run', '--only-if-smaller')).exitCode).toBe(4);
    expect((await run('plan', 'c.json', '--replace')).exitCode).toBe(0);
  });
});

describe('an archive folder', () => {
  beforeEach(async () => {
    chat('c.json', 'a', 'b');
    await done('archive', 'c.json', '-o', 'a', ...painted);
  });

  test.each([
    ['context.json', () => rmSync('a/context.json')],
    ['context.json', () => writeFileSync('a/context.json', '[]')],
    [
      'manifest.json',
      () => writeFileSync('a/manifest.json', read('a/manifest.json').replace('c.json', 'd.json')),
    ],
  ])('has %s written anew where it is not what the archive gives', async (file, damage) => {
    const before = read(join('a', file));
    damage();
    expect((await run('inspect', 'a')).err).toContain(`damaged: ${file}`);
    const { err, exitCode } = await run('rearchive', 'a', ...painted);
    expect({ err, exitCode }).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining(`written anew: ${file}`),
    });
    expect(read(join('a', file))).toBe(before);
  });

  test('is not said to be put right where the pass refuses', async () => {
    rmSync('a/context.json');
    mkdirSync('a/context.json');
    const { err, exitCode } = await run('rearchive', 'a', ...painted);
    expect(exitCode).toBe(4);
    expect(err).not.toContain('anew');
  });

  test('takes no archive inside, and is no place for its own copy', async () => {
    for (const out of ['a/inner', 'a/previous', 'a/frames/x']) {
      const refused = await run('rearchive', 'a', '-o', out, '--edge', '0', ...painted);
      expect(refused.exitCode).toBe(4);
      expect(refused.err).toMatch(/inside the archive/);
    }
    expect((await run('rearchive', 'a', '-o', './a')).exitCode).toBe(2);
    expect((await run('archive', 'c.json', '-o', 'a/b', ...painted)).exitCode).toBe(4);
    expect((await json('rearchive', 'a')).status).toBe('unchanged');
  });

  test('with somebody’s file among the frames is not touched', async () => {
    writeFileSync('a/frames/0099.png', 'mine');
    const refused = await run('rearchive', 'a', '-m', 'gpt-5.5', ...painted);
    expect(refused.exitCode).toBe(4);
    expect(refused.err).toContain('frames/0099.png');
    expect(read('a/frames/0099.png')).toBe('mine');
  });

  test('with a pipe in place of a file does not keep anybody waiting', async () => {
    rmSync('a/frames/0001.png');
    execFileSync('mkfifo', ['a/frames/0001.png']);
    expect((await run('inspect', 'a')).err).toMatch(/0001\.png: no file but a pipe/);
    rmSync('a/manifest.json');
    execFileSync('mkfifo', ['a/manifest.json']);
    for (const command of ['inspect', 'rearchive', 'undo'])
      expect((await run(command, 'a')).exitCode).toBeGreaterThan(0);
  });
});
