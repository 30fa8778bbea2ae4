/** What the storage folder of OpenCode and its database have in common. */
import { type Fields, fieldsOf } from './fields.js';
import type { BrokenLine } from './importer.js';
import { type OpenCodeMessage, timeOf } from './opencode-messages.js';

export interface StoredSession {
  readonly id: string;
  readonly parentId?: string;
  readonly info: Fields;
  /** What names it alone as a transcript: the path of its file, or that of the database and its id. */
  readonly source: string;
}

export interface SessionStore {
  /** Oldest first. */
  sessions(): Promise<readonly StoredSession[]>;
  /** The messages of one session, in the order in which they were said. */
  messages(session: StoredSession): AsyncIterable<OpenCodeMessage>;
  close(): Promise<void>;
}

/** What is found while a store is read. */
export interface StoreFaults {
  readonly broken: BrokenLine[];
  readonly warnings: string[];
}

/** The JSON object in `text`; what is none is noted under the name of its place. */
export function parsed(text: unknown, place: string, faults: StoreFaults): Fields | undefined {
  try {
    const value = fieldsOf(JSON.parse(text as string));
    if (value !== undefined) return value;
  } catch {
    // Noted below.
  }
  faults.broken.push({ file: place, line: 1, reason: 'not a JSON object' });
  return undefined;
}

/** Messages or sessions by time, since the clock inside the ids begins anew every two years; by id where a message has no time. */
export function inOrder<T extends { readonly id: string; readonly info: Fields }>(
  messages: readonly T[],
): T[] {
  const times = new Map(messages.map((message) => [message, timeOf(message.info)]));
  const isTimed = [...times.values()].every((time) => time !== undefined);
  const byId = (a: T, b: T): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return [...messages].sort(
    (a, b) => (isTimed ? Number(times.get(a)) - Number(times.get(b)) : 0) || byId(a, b),
  );
}
