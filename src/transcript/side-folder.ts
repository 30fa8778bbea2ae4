/**
 * The folder that belongs to a transcript file: `<session>.jsonl` owns `<session>/`. This is the only place that
 * an import may open besides the transcript itself; links that lead out of it are not followed.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import type { SideFolder } from './importer.js';
import { JsonLines } from './json-lines.js';
import type { ImportTally } from './tally.js';

export function sideFolderOf(path: string, tally: ImportTally): SideFolder {
  const root = join(dirname(path), basename(path, extname(path)));
  return {
    async list(folder) {
      const inside = await insideOf(root, folder);
      if (inside === undefined) return [];
      const entries = await readdir(inside, { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
        .sort();
    },
    async readText(file, maxBytes) {
      const inside = await insideOf(root, file);
      if (inside === undefined || !(await isFileUpTo(inside, maxBytes))) return undefined;
      return readFile(inside, 'utf8').catch(() => undefined);
    },
    async read(file, sink) {
      const inside = await insideOf(root, file);
      if (inside === undefined) tally.warn(`${file} of the side folder is not there`);
      else await readRecords(inside, file, sink, tally);
    },
  };
}

async function isFileUpTo(path: string, maxBytes: number): Promise<boolean> {
  const entry = await stat(path).catch(() => undefined);
  return entry?.isFile() === true && entry.size <= maxBytes;
}

async function readRecords(
  path: string,
  file: string,
  sink: (value: unknown, line: number) => void,
  tally: ImportTally,
): Promise<void> {
  const reader = new JsonLines({
    value(value, line) {
      tally.records += 1;
      sink(value, line);
    },
    passed: (kind) => tally.skip(kind),
    broken(line, reason, torn) {
      tally.broken({ file, line, reason });
      if (torn) tally.warn(`line ${line} of ${file} is cut off: the writer stopped in the middle of it`);
    },
    noise: (line) => tally.broken({ file, line, reason: 'not JSON' }),
  });
  try {
    for await (const chunk of createReadStream(path)) reader.push(chunk as Buffer);
  } catch (error) {
    tally.warn(
      `${file} of the side folder cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    );
  }
  reader.end();
}

/** The real path of `relative` below `root`, or undefined if it is missing or lies elsewhere. */
async function insideOf(root: string, relative: string): Promise<string | undefined> {
  try {
    const [base, target] = await Promise.all([realpath(root), realpath(join(root, relative))]);
    return target.startsWith(base + sep) ? target : undefined;
  } catch {
    return undefined;
  }
}
