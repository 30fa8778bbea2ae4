/** Arguments → transcript files, and a folder name for each archive. */
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

/** Extensions that agents give their transcripts; in a folder, other files are left alone. */
const TRANSCRIPT_EXTENSIONS = new Set(['.jsonl', '.ndjson', '.json', '.txt', '.md', '.log']);
const ARCHIVE_EXTENSION = '.snapcompact';

export interface Inputs {
  readonly files: readonly string[];
  /** Files of a folder that are left alone for their extension. */
  readonly leftAlone: readonly string[];
  /** Whether the archives go side by side into one folder. */
  readonly areMany: boolean;
}

/** Expands folders, deep and sorted. A side folder belongs to the session beside it and is not expanded. */
export async function expandInputs(given: readonly string[]): Promise<Inputs> {
  const files: string[] = [];
  const leftAlone: string[] = [];
  let hasFolder = false;
  for (const path of given) {
    if (await isFolder(path)) {
      hasFolder = true;
      await walk(path, files, leftAlone);
    } else files.push(path);
  }
  return { files, leftAlone, areMany: hasFolder || given.length > 1 };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function walk(folder: string, files: string[], leftAlone: string[]): Promise<void> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const sessions = new Set(
    entries.filter((entry) => entry.name.endsWith('.jsonl')).map(({ name }) => name.slice(0, -6)),
  );
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name.endsWith(ARCHIVE_EXTENSION)) continue;
    if (entry.isDirectory()) {
      if (!sessions.has(entry.name)) await walk(path, files, leftAlone);
    } else if (TRANSCRIPT_EXTENSIONS.has(extname(entry.name).toLowerCase())) files.push(path);
    else leftAlone.push(path);
  }
}

/** Names archive folders, never the same twice in one run. */
export class TargetNames {
  readonly #taken = new Set<string>();

  /** `<session>.snapcompact`; a session id comes from the transcript, so only plain characters of it are used. */
  next(sessionId: string | undefined, sourceName: string): string {
    const stem =
      plainName(sessionId ?? '') || plainName(basename(sourceName, extname(sourceName))) || 'session';
    let name = `${stem}${ARCHIVE_EXTENSION}`;
    for (let n = 2; this.#taken.has(name); n++) name = `${stem}-${n}${ARCHIVE_EXTENSION}`;
    this.#taken.add(name);
    return name;
  }
}

const MAX_NAME_CHARS = 120;

function plainName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[._]+/, '')
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
}
