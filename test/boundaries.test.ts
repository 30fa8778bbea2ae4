/** Holds the import table of the design as data, and fails on every import against it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src/', import.meta.url));

/** Files that anything may import: they import nothing of ours but each other. */
const leaves = [
  'errors.ts',
  'model-name.ts',
  'near-names.ts',
  'package-files.ts',
  'read-input.ts',
  'turns.ts',
];

/** What each folder may import beside itself and the leaves. */
const table: Readonly<Record<string, readonly string[]>> = {
  history: [],
  billing: ['history'],
  glyph: [],
  transcript: ['history'],
  text: ['history'],
  page: ['text', 'glyph'],
  frame: ['glyph', 'page'],
  archive: ['history', 'text', 'page', 'frame', 'billing'],
  cli: ['history', 'billing', 'glyph', 'transcript', 'text', 'page', 'frame', 'archive'],
};

/** Heavy packages and the files that may import them. */
const homes: Readonly<Record<string, RegExp>> = {
  '@napi-rs/canvas': /^(glyph|bench)\//,
  sharp: /^frame\//,
  pngjs: /^frame\/decode/,
  piscina: /^frame\/(pool|worker)/,
  commander: /^cli\//,
  'gpt-tokenizer': /^billing\/tokenizers/,
  fzstd: /^transcript\/compressed/,
  'node-sqlite3-wasm': /^transcript\/sqlite/,
  '@anthropic-ai/sdk': /^(strategy\/|billing\/|archive\/transport)/,
};

/** Packages that load on first use: a static import of one would slow every command down. */
const lazy = new Set([
  '@napi-rs/canvas',
  'sharp',
  '@anthropic-ai/sdk',
  'gpt-tokenizer',
  'fzstd',
  'node-sqlite3-wasm',
]);

interface Import {
  readonly file: string;
  readonly target: string;
  /** Loads the target with the file; types load nothing. */
  readonly isStatic: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const imports: readonly Import[] = files.flatMap((file) => {
  const code = readFileSync(join(src, file), 'utf8');
  const fixed = [...code.matchAll(/^(?:import|export)\b[^;'"]*?from '([^']+)'|^import '([^']+)'/gm)];
  const dynamic = [...code.matchAll(/\bimport\('([^']+)'\)/g)];
  return [
    ...fixed.map((match) => ({
      file,
      target: (match[1] ?? match[2])!,
      isStatic: !/^\w+ type /.test(match[0]),
    })),
    ...dynamic.map((match) => ({ file, target: match[1]!, isStatic: false })),
  ];
});

const folderOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '');
const inside = (from: string, target: string) =>
  relative(src, resolve(src, dirname(from), target)).replace(/\.js$/, '.ts');

describe('imports', () => {
  test('are found by this test', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter(({ isStatic }) => !isStatic).length).toBeGreaterThan(3);
  });

  test('go only where the table of folders allows', () => {
    const wrong = imports
      .filter(({ target }) => target.startsWith('.'))
      .map(({ file, target }) => ({ file, target: inside(file, target) }))
      .filter(({ file, target }) => {
        const [from, to] = [folderOf(file), folderOf(target)];
        if (leaves.includes(target) || (from === '' && !leaves.includes(file))) return false;
        return from !== to && !(table[from] ?? []).includes(to);
      });
    expect(wrong).toEqual([]);
  });

  test('name only folders of the table', () => {
    const folders = new Set(files.map(folderOf).filter((folder) => folder !== ''));
    expect([...folders].filter((folder) => !(folder in table))).toEqual([]);
  });

  test('take heavy packages only at home, and the heaviest on first use', () => {
    const packages = imports.filter(({ target }) => target in homes);
    expect(packages.filter(({ file, target }) => !homes[target]!.test(file))).toEqual([]);
    expect(packages.filter(({ target, isStatic }) => isStatic && lazy.has(target))).toEqual([]);
  });

  test('take no package but the dependencies and Node', () => {
    const { dependencies } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8'));
    const foreign = imports.filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'));
    expect(foreign.filter(({ target }) => !(target in dependencies))).toEqual([]);
  });
});
