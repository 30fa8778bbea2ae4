/**
 * The storage folder of OpenCode before version 1.2: one file per session, per message and per part. Names come
 * from the folder itself, never from what is in a file, and links are not followed.
 */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { type Fields, textOf } from './fields.js';
import type { OpenCodeMessage } from './opencode-messages.js';
import {
  inOrder,
  parsed,
  type SessionStore,
  type StoredSession,
  type StoreFaults,
} from './opencode-store.js';

/** Whether `folder` is the top of such a tree. */
export async function isStorageFolder(folder: string): Promise<boolean> {
  if (!(await isFolder(join(folder, 'session')))) return false;
  return (await isFolder(join(folder, 'message'))) || isFolder(join(folder, 'session/message'));
}

/** The tree that a session file stands in, or undefined for any other file. */
export async function storageOfSession(path: string): Promise<string | undefined> {
  const sessions = dirname(dirname(path));
  const folder = dirname(sessions);
  const isOne = path.endsWith('.json') && basename(sessions) === 'session' && (await isStorageFolder(folder));
  return isOne ? folder : undefined;
}

/** The sessions of all projects, or of the one whose folder is given: a child lies beside its parent. */
export function openTree(root: string, faults: StoreFaults, project?: string): SessionStore {
  const read = async (file: string): Promise<Fields | undefined> => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return parsed(text, relative(root, file), faults);
  };
  return {
    async sessions() {
      const projects = project === undefined ? await projectFolders(root) : [project];
      const files = (await Promise.all(projects.map(jsonFiles))).flat();
      const sessions: StoredSession[] = [];
      for (const file of files) sessions.push(sessionOf(file, (await read(file)) ?? {}));
      return inOrder(sessions);
    },
    async *messages({ id }) {
      const messages: { readonly id: string; readonly info: Fields }[] = [];
      for (const folder of [join(root, 'message', id), join(root, 'session/message', id)]) {
        for (const file of await jsonFiles(folder)) {
          const info = await read(file);
          if (info !== undefined) messages.push({ id: stemOf(file), info });
        }
      }
      for (const message of inOrder(messages)) yield await withParts(root, id, message, read);
    },
    close: async () => undefined,
  };
}

async function withParts(
  root: string,
  sessionId: string,
  { id, info }: { readonly id: string; readonly info: Fields },
  read: (file: string) => Promise<Fields | undefined>,
): Promise<OpenCodeMessage> {
  const folders = [
    join(root, 'part', id),
    join(root, 'session/part', sessionId, id),
    join(root, 'session/part', id),
  ];
  const parts: Fields[] = [];
  for (const folder of folders) {
    for (const file of await jsonFiles(folder)) {
      const part = await read(file);
      if (part !== undefined) parts.push({ id: stemOf(file), ...part });
    }
  }
  return { info: { ...info, id, sessionID: sessionId }, parts };
}

function sessionOf(file: string, info: Fields): StoredSession {
  const id = stemOf(file);
  const parentId = textOf(info['parentID']);
  return { id, info: { ...info, id }, source: file, ...(parentId !== undefined && { parentId }) };
}

/** The older layout keeps its messages in a folder beside that of the sessions. */
async function projectFolders(root: string): Promise<string[]> {
  const folder = join(root, 'session');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'message' && entry.name !== 'part')
    .map((entry) => join(folder, entry.name));
}

async function jsonFiles(folder: string): Promise<string[]> {
  if (!(await isFolder(folder))) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(folder, entry.name))
    .sort();
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

function stemOf(file: string): string {
  return basename(file, '.json');
}
