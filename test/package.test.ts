/** The package as somebody installs it: packed, put into an empty folder, imported, and its binary run. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;
let binary: string;

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8' });

const installed = () => join(folder, 'node_modules/snapcompact');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root });
  const [tarball] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run(
    'npm',
    'install',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--silent',
    `./${tarball}`,
  );
  binary = join(folder, 'node_modules/.bin/snapcompact');
  writeFileSync(join(folder, 'session.md'), 'hello\n\nworld');
}, 120_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the installed package', () => {
  test('holds what it needs and no tests', () => {
    const top = readdirSync(installed())
      .filter((name) => name !== 'node_modules')
      .sort();
    expect(top).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'fonts',
      'package.json',
      'shapes',
      'src',
    ]);
  });

  test('imports by name, with every export of the door', () => {
    const names = run(
      process.execPath,
      '--input-type=module',
      '-e',
      "console.log(Object.keys(await import('snapcompact')).join())",
    );
    for (const name of ['archiveHistory', 'readTranscript', 'decodeFrame', 'createRenderer', 'saveArchive']) {
      expect(names.trim().split(',')).toContain(name);
    }
  });

  test('runs its binary through a link, as npx does', () => {
    expect(run(binary, '--version').trim()).toBe(
      JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8')).version,
    );
    const report = JSON.parse(run(binary, 'archive', 'session.md', '--json', '--model', 'claude-opus-4-8'));
    expect(report).toMatchObject({ status: 'archived', counts: { frames: 1 } });
    expect(run(binary, 'decode', 'session.snapcompact/frames/0001.png')).toContain('hello█world');
  });

  test('finds its types', () => {
    writeFileSync(
      join(folder, 'use.mts'),
      "import { archiveHistory } from 'snapcompact';\nexport const run = archiveHistory;\n",
    );
    run(
      process.execPath,
      join(root, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--skipLibCheck',
      'use.mts',
    );
  });
});
