/**
 * Sessions that OpenCode stores in a folder of many files, or in a database, as the lines of one source: for each
 * session its `info`, then its messages. The session that was asked for comes first, then those it started.
 */
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SnapcompactError } from '../errors.js';
import { wholeJsonText } from '../history/json-text.js';
import { openCode } from './opencode.js';
import { openOpenCodeDatabase } from './opencode-database.js';
import type { SessionStore, StoredSession, StoreFaults } from './opencode-store.js';
import { isStorageFolder, openTree, storageOfSession } from './opencode-tree.js';
import type { OpenSource, TranscriptSource } from './source.js';
import { isSqlite } from './sqlite.js';

/** A source made of several files or of rows; its digest is that of the lines. */
export interface StoredSource extends OpenSource {
  /** Complete once the lines were read. */
  readonly faults: StoreFaults;
}

interface Place {
  readonly path: string;
  /** The session that was named; absent if all are meant. */
  readonly sessionId?: string;
  open(faults: StoreFaults): Promise<SessionStore>;
}

/**
 * Undefined for what is no store of OpenCode, and if another `format` is forced. The lines throw `unreadable-input` if there are several sessions and
 * none was named, or not the one that was, and `unrecognised-format` for a database of another program.
 */
export async function openStored(
  source: TranscriptSource,
  format = openCode.name,
): Promise<StoredSource | undefined> {
  if (format !== openCode.name) return undefined;
  if (source instanceof URL && source.protocol !== 'file:') return undefined;
  if (typeof source !== 'string' && !(source instanceof URL)) return undefined;
  const place = await placeOf(typeof source === 'string' ? source : fileURLToPath(source));
  if (place === undefined) return undefined;
  const faults: StoreFaults = { broken: [], warnings: [] };
  return { name: basename(place.path), chunks: linesOf(place, faults), faults };
}

/**
 * What names each session of a store that no other started; undefined for what is no store of OpenCode, or the
 * name of one session in it. Throws as the lines do.
 */
export async function storedSessions(path: string): Promise<readonly string[] | undefined> {
  const place = await placeOf(path);
  if (place === undefined || place.sessionId !== undefined) return undefined;
  const store = await place.open({ broken: [], warnings: [] });
  try {
    return firstSessions(await store.sessions()).map((session) => session.source);
  } finally {
    await store.close();
  }
}

async function placeOf(given: string): Promise<Place | undefined> {
  const kind = await stat(given).catch(() => undefined);
  if (kind === undefined) return namedRow(given);
  if (kind.isDirectory()) {
    if (!(await isStorageFolder(given))) return undefined;
    return { path: given, open: async (faults) => openTree(given, faults) };
  }
  if (!kind.isFile()) return undefined;
  if (await isSqlite(given)) return { path: given, open: (faults) => openOpenCodeDatabase(given, faults) };
  const file = resolve(given);
  const root = await storageOfSession(file);
  if (root === undefined) return undefined;
  const sessionId = basename(file, '.json');
  return { path: given, sessionId, open: async (faults) => openTree(root, faults, dirname(file)) };
}

/** `opencode.db#ses_1`, where there is no file of that name. */
async function namedRow(given: string): Promise<Place | undefined> {
  const at = given.lastIndexOf('#');
  const path = given.slice(0, Math.max(0, at));
  if (at < 0 || !(await isSqlite(path))) return undefined;
  return { path, sessionId: given.slice(at + 1), open: (faults) => openOpenCodeDatabase(path, faults) };
}

async function* linesOf(place: Place, faults: StoreFaults): AsyncIterable<Uint8Array> {
  const store = await place.open(faults);
  try {
    const sessions = await store.sessions();
    for (const session of withDescendants(chosen(sessions, place), sessions)) {
      yield line({ info: session.info, messages: [] });
      for await (const message of store.messages(session)) yield line(message);
    }
  } finally {
    await store.close();
  }
}

function line(value: unknown): Uint8Array {
  return Buffer.from(`${wholeJsonText(value)}\n`);
}

function chosen(sessions: readonly StoredSession[], { path, sessionId }: Place): StoredSession {
  if (sessionId !== undefined) {
    const named = sessions.find((session) => session.id === sessionId);
    if (named !== undefined) return named;
    throw choice(path, `no session ${sessionId}`, sessions);
  }
  const [only, ...others] = firstSessions(sessions);
  if (only === undefined) throw choice(path, 'no sessions', []);
  if (others.length === 0) return only;
  throw choice(path, `${others.length + 1} sessions`, [only, ...others]);
}

const maxNamed = 5;

function choice(path: string, got: string, sessions: readonly StoredSession[]): SnapcompactError {
  const named = sessions.slice(-maxNamed).map(({ source }) => source);
  const more = sessions.length > maxNamed ? `, or ${sessions.length - maxNamed} others` : '';
  return new SnapcompactError('unreadable-input', {
    expected: 'one session',
    of: path,
    got,
    ...(named.length > 0 && { hint: `name one of them: ${named.join(', ')}${more}` }),
  });
}

/** Those that no session of the store started. */
function firstSessions(sessions: readonly StoredSession[]): StoredSession[] {
  const ids = new Set(sessions.map(({ id }) => id));
  return sessions.filter(
    ({ id, parentId }) => parentId === undefined || parentId === id || !ids.has(parentId),
  );
}

/** In the order in which they were started; each once, also where they are the parents of each other. */
function withDescendants(first: StoredSession, sessions: readonly StoredSession[]): Set<StoredSession> {
  const byParent = new Map<string | undefined, StoredSession[]>();
  for (const session of sessions) {
    const siblings = byParent.get(session.parentId);
    if (siblings === undefined) byParent.set(session.parentId, [session]);
    else siblings.push(session);
  }
  const found = new Set([first]);
  // A set gives what is added while it is walked.
  for (const session of found) for (const child of byParent.get(session.id) ?? []) found.add(child);
  return found;
}
