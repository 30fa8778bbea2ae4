/** Where the archives lie in a session of Oh-My-Pi or its kin. */

export interface FoundOmpArchive {
  readonly entryId: string;
  /** The `compaction` entry, for `readOmpArchive`. */
  readonly entry: unknown;
  /** The conversation was cleared after it: no later context holds it. */
  readonly isCleared: boolean;
}

interface Entry {
  readonly id: string;
  readonly parentId: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The `compaction` entries with an archive on the active path, which leads from the last entry to a root by `parentId`;
 * the newest first. Takes the text of the session file or its parsed lines; lines that are no JSON object are passed by,
 * as the agent itself does. Sessions without ids are a list: every entry is on the path, and the ids are `line:3`.
 */
export function findOmpArchives(session: string | readonly unknown[]): FoundOmpArchive[] {
  const values = typeof session === 'string' ? session.split('\n').map(parsed) : session;
  const found: FoundOmpArchive[] = [];
  let isCleared = false;
  for (const { id, fields } of activePath(values.flatMap(entryOf))) {
    if (fields['type'] === 'reset_boundary') isCleared = true;
    if (fields['type'] !== 'compaction') continue;
    const preserved = fields['preserveData'];
    const archive =
      typeof preserved === 'object' && (preserved as { snapcompact?: unknown } | null)?.snapcompact;
    if (archive) found.push({ entryId: id, entry: fields, isCleared });
  }
  return found;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Header and title stand before the tree. */
function entryOf(value: unknown, index: number): Entry[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const fields = value as Entry['fields'];
  const { type, id } = fields;
  if (type === 'session' || type === 'title') return [];
  return [{ id: typeof id === 'string' ? id : `line:${index + 1}`, parentId: fields['parentId'], fields }];
}

/**
 * From the last entry back. A parent stands before its child, so no ring can arise; for one that does not, or that is
 * missing, the entry before the child takes its place.
 */
function* activePath(entries: readonly Entry[]): Generator<Entry> {
  const parents: number[] = [];
  const indexOfId = new Map<string, number>();
  for (const [i, { id, parentId }] of entries.entries()) {
    const known = typeof parentId === 'string' ? indexOfId.get(parentId) : undefined;
    parents.push(parentId === null ? -1 : (known ?? i - 1));
    indexOfId.set(id, i);
  }
  for (let i = entries.length - 1; i >= 0; i = parents[i]!) yield entries[i]!;
}
