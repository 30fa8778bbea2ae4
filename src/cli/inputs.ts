/** Arguments → transcript files, and a folder name for each archive. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { SnapcompactError, systemReason } from '../errors.js';
import { storedSessions } from '../transcript/opencode-source.js';

/** Extensions that agents give their transcripts; in a folder, other files are left alone. */
const TRANSCRIPT_EXTENSIONS = new Set(['.jsonl', '.ndjson', '.json', '.txt', '.md', '.log']);
const ARCHIVE_EXTENSION = '.snapcompact';

export interface Inputs {
  readonly files: readonly InputFile[];
  /** Files of a folder that are left alone for their extension. */
  readonly leftAlone: readonly string[];
  /** Folders that cannot be read. */
  readonly unreadable: readonly SnapcompactError[];
  /** Whether the archives go side by side into one folder. */
  readonly areMany: boolean;
}

export interface InputFile {
  readonly path: string;
  /** Found in a folder rather than named. */
  readonly isFound: boolean;
}

/**
 * Expands folders, deep and sorted, and stores of OpenCode into their sessions. A side folder belongs to the session
 * beside it and is not expanded.
 */
export async function expandInputs(given: readonly string[]): Promise<Inputs> {
  const found = { files: [] as InputFile[], leftAlone: [] as string[], unreadable: [] as SnapcompactError[] };
  let areMany = given.length > 1;
  for (const path of given) {
    if (await isFolder(path)) {
      areMany = true;
      await walk(path, found);
      continue;
    }
    const sessions = await sessionsOf(path);
    // A database of one session stands for that, and one that cannot be read is told when it is its turn.
    const paths = sessions !== undefined && sessions.length > 1 ? sessions : [path];
    if (paths.length > 1) areMany = true;
    for (const each of paths) found.files.push({ path: each, isFound: false });
  }
  return { ...found, areMany };
}

/** Undefined also for a database that is not of OpenCode, or is damaged. */
async function sessionsOf(path: string): Promise<readonly string[] | undefined> {
  try {
    return await storedSessions(path);
  } catch (error) {
    if (error instanceof SnapcompactError) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

interface Found {
  readonly files: InputFile[];
  readonly leftAlone: string[];
  readonly unreadable: SnapcompactError[];
}

async function walk(folder: string, found: Found): Promise<void> {
  const stored = await sessionsOf(folder);
  if (stored !== undefined) {
    for (const path of stored) found.files.push({ path, isFound: true });
    return;
  }
  const entries = await readFolder(folder, found);
  const sessions = new Set(
    entries
      .filter((entry) => entry.name.endsWith('.jsonl'))
      .map(({ name }) => name.slice(0, -'.jsonl'.length)),
  );
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name.endsWith(ARCHIVE_EXTENSION)) continue;
    if (entry.isDirectory()) {
      if (!sessions.has(entry.name)) await walk(path, found);
    } else if (entry.isFile() && TRANSCRIPT_EXTENSIONS.has(extname(entry.name).toLowerCase())) {
      found.files.push({ path, isFound: true });
    } else {
      const sessions = entry.isFile() ? await sessionsOf(path) : undefined;
      if (sessions === undefined) found.leftAlone.push(path);
      for (const each of sessions ?? []) found.files.push({ path: each, isFound: true });
    }
  }
}

async function readFolder(folder: string, { unreadable }: Found): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    unreadable.push(
      new SnapcompactError('unreadable-input', {
        expected: 'a readable folder',
        of: 'the input',
        got: systemReason(cause),
        where: folder,
        cause,
      }),
    );
    return [];
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

/** Leaves room for the extension and a number within the 255 bytes of a file name. */
const MAX_NAME_BYTES = 160;

function plainName(name: string): string {
  const plain = name
    .slice(0, MAX_NAME_BYTES)
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[._]+/, '');
  let cut = plain;
  while (Buffer.byteLength(cut) > MAX_NAME_BYTES) cut = cut.slice(0, -1);
  return cut.toWellFormed();
}
