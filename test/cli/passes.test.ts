import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { useWorkFolder } from '../support/work-folder.js';

const session = resolve('test/fixtures/transcripts/claude-code/session.jsonl');
const omp = resolve('test/fixtures/omp/whole-text.json');
const records = readFileSync(session, 'utf8').trimEnd().split('\n');
const folder = useWorkFolder();

const run = (command: string, ...args: string[]) => runCli([command, ...args], { home: folder() });
const json = async (command: string, ...args: string[]) => {
  const { out, err, exitCode } = await run(command, ...args, '--json');
  expect(err).toBe('');
  expect(exitCode).toBe(0);
  return JSON.parse(out);
};
const claude = ['--model', 'claude-opus-4-8'];
const manifest = (archive: string) => JSON.parse(readFileSync(join(archive, 'manifest.json'), 'utf8'));
const grow = (share: number) =>
  writeFileSync('session.jsonl', `${records.slice(0, Math.floor(records.length * share)).join('\n')}\n`);

describe('plan', () => {
  test('says what archive then does, part by part, and names the limit', async () => {
    const limits = [...claude, '--window', '64k', '--threads', '0'];
    const plan = await json('plan', session, ...limits.slice(0, 4));
    const archived = await json('archive', session, ...limits, '-o', 'a');
    expect(plan.frames).toBe(archived.counts.frames);
    expect(plan.framedChars).toBe(archived.counts.framedChars);
    expect(plan.binding).toEqual(archived.binding);
    expect(plan.binding.limit).toBe('window');
    expect(archived.cost.totalTokens).toBeLessThanOrEqual(plan.tokens);
    expect(plan.tokens).toBeLessThanOrEqual(plan.budget.tokens);
    expect(plan.degradation).toEqual(archived.degradation);
    const { out } = await run('plan', session, ...limits.slice(0, 4));
    expect(out).toMatch(/hq +\d+ +[\d,]+ +[\d,]+ +[\d,]+ +\$/);
    expect(out).toMatch(/binding limit: window, room for \d+ full frames, \d+ wanted/);
  });

  test('writes nothing, and neither does a dry run', async () => {
    await json('plan', session, ...claude, '--replace');
    const { frames, status } = await json('archive', session, ...claude, '--dry-run');
    expect(status).toBe('planned');
    expect(frames).toBeGreaterThan(3);
    expect(() => readFileSync('session.snapcompact')).toThrow(/ENOENT/);
  });

  test('says that there is nothing to gain for a short text, with both numbers', async () => {
    writeFileSync('short.md', 'a few words');
    const plan = await json('plan', 'short.md', ...claude, '--replace');
    expect(plan.status).toBe('nothing');
    expect(plan.tokens).toBeGreaterThan(plan.replacedTokens);
  });
});

describe('rearchive', () => {
  test('adds what a grown session has more, and keeps the frames that hold the rest', async () => {
    grow(0.8);
    await json('archive', 'session.jsonl', ...claude, '-o', 'a', '--threads', '0');
    const before = manifest('a');
    grow(1);
    const grown = await json('rearchive', 'a', 'session.jsonl', '--threads', '0');
    expect(grown.status).toBe('archived');
    expect(grown.unchanged).toBeGreaterThanOrEqual(before.counts.frames - before.counts.openFrames);
    expect(grown.counts.frames).toBeGreaterThan(before.counts.frames);
    const whole = await json('archive', 'session.jsonl', ...claude, '-o', 'b', '--threads', '0');
    expect(grown.counts.sourceChars).toBe(whole.counts.sourceChars);
    expect((await json('rearchive', 'a', 'session.jsonl')).status).toBe('unchanged');
    grow(0.5);
    const shrunk = await run('rearchive', 'a', 'session.jsonl');
    expect(shrunk.exitCode).toBe(3);
    expect(shrunk.err).toMatch(/every entry that is archived/);
    writeFileSync('more.md', 'and one more thing');
    const more = await json('rearchive', 'a', 'more.md', '--threads', '0');
    expect(more.counts.sourceChars).toBe(whole.counts.sourceChars + 'and one more thing'.length);
  });

  test('makes an archive anew for another model, and undo brings the old one back', async () => {
    await json('archive', session, ...claude, '-o', 'a', '--threads', '0');
    cpSync('a', 'copy', { recursive: true });
    const { reader } = await json(
      'rearchive',
      'a',
      '--model',
      'gemini-3-pro',
      '--keep-old',
      '--threads',
      '0',
    );
    expect(reader.shape).toBe('8on22-bw');
    await json('undo', 'a');
    expect(readFileSync('a/manifest.json', 'utf8')).toBe(readFileSync('copy/manifest.json', 'utf8'));
    expect(await run('undo', 'a')).toMatchObject({ exitCode: 4 });
  });

  test('refuses what does not fit, and leaves the archive as it was', async () => {
    await json('archive', session, ...claude, '-o', 'a', '--threads', '0');
    const before = readFileSync('a/manifest.json', 'utf8');
    const refused = await run('rearchive', 'a', '--max-bytes', '12k');
    expect(refused.exitCode).toBe(4);
    expect(refused.err).toMatch(/expected .*--max-/s);
    expect(readFileSync('a/manifest.json', 'utf8')).toBe(before);
    expect((await run('rearchive', 'nowhere')).exitCode).toBe(3);
  });
});

describe('rearchive of a damaged archive', () => {
  test('paints what is missing or torn anew, and says so', async () => {
    await json('archive', session, ...claude, '-o', 'a', '--threads', '0');
    cpSync('a', 'b', { recursive: true });
    rmSync('b/frames/0002.png');
    writeFileSync('b/frames/0003.png', 'torn');
    const { err, exitCode } = await run('rearchive', 'b');
    expect(exitCode).toBe(0);
    expect(err).toMatch(/painted anew: frames\/0002\.png: no such file.*frames\/0003\.png: 4 bytes/s);
    for (const file of ['frames/0002.png', 'frames/0003.png', 'manifest.json', 'archive.json']) {
      expect(readFileSync(join('b', file))).toEqual(readFileSync(join('a', file)));
    }
  });
});

describe('rearchive --out', () => {
  test('leaves the archive as it is, and reads one of Oh-My-Pi', async () => {
    await json('archive', session, ...claude, '-o', 'a', '--threads', '0');
    const before = readFileSync('a/manifest.json', 'utf8');
    await json('rearchive', 'a', '--model', 'gpt-5.5', '-o', 'b', '--threads', '0');
    expect(readFileSync('a/manifest.json', 'utf8')).toBe(before);
    expect(manifest('b').reader.shape).toBe('8on22-bw');
    const { counts } = await json('rearchive', omp, '-o', 'c', '--threads', '0');
    expect(counts.frames).toBe(1);
    expect((await json('decode', 'c'))[0].text).toContain('npm test');
    expect((await run('rearchive', omp)).exitCode).toBe(3);
  });
});

describe('archive', () => {
  test('keeps pins as text, whole, and says what it would refuse', async () => {
    await json('archive', session, ...claude, '-o', 'a', '--pin', 'role:user', '--threads', '0');
    const { pins, parts } = JSON.parse(readFileSync('a/archive.json', 'utf8'));
    expect(pins).toContain('¶user:');
    expect(JSON.stringify(parts)).toContain('[pinned: ');
    expect((await run('archive', session, '-o', 'a', '--pin', '/(/')).exitCode).toBe(2);
    const small = await run('archive', session, ...claude, '-o', 'b', '--max-bytes', '12k');
    expect(small.exitCode).toBe(4);
    expect(small.err).toMatch(/bytes.*--max-bytes/);
  });

  test('writes frames as WebP that decode reads', async () => {
    const { folder, counts } = await json('archive', session, ...claude, '-o', 'a', '--format', 'webp');
    const png = await json('archive', session, ...claude, '-o', 'b', '--threads', '0');
    expect(counts.bytes).toBeLessThan(png.counts.bytes * 0.9);
    const decoded = await json('decode', folder);
    expect(decoded.map(({ text }: { text: string }) => text)).toEqual(
      (await json('decode', 'b')).map(({ text }: { text: string }) => text),
    );
  });

  test('says what would be cheaper where frames cost more than text', async () => {
    writeFileSync('prose.md', 'Plain words that cost few tokens, over and over. '.repeat(4000));
    const { out } = await run('archive', 'prose.md', '--model', 'claude-sonnet-4-5', '--threads', '0');
    if (out.includes('LOSE')) expect(out).toMatch(/better +--(?:shape|model) \S+: about/);
    const { advice, cost } = await json('archive', 'prose.md', '--model', 'gpt-5.5', '--shape', '11on16-bw');
    expect(cost.savedTokens < 0).toBe(advice !== undefined);
  });
});
