/**
 * Rows of a SQLite database. An agent may be writing to it: it is read from a copy in a temporary folder, since
 * reading takes a lock beside the file, and what was written last lies in a second file until it is merged.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { BindValues, Database, Statement } from 'node-sqlite3-wasm';
import { SnapcompactError, systemReason } from '../errors.js';

export type Row = Readonly<Record<string, unknown>>;

export interface OpenDatabase {
  /** Names of the tables. */
  readonly tables: ReadonlySet<string>;
  rows(sql: string, values?: BindValues): Row[];
  /** As `rows`, one by one. */
  each(sql: string, values?: BindValues): Iterable<Row>;
  /** Also removes the copy. */
  close(): Promise<void>;
}

const magic = Buffer.from('SQLite format 3\0', 'latin1');

/** Whether there is a file at `path` that begins as a database does. */
export async function isSqlite(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  try {
    const head = await file?.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return head?.buffer.equals(magic) === true;
  } catch {
    // A folder can be opened, and not read.
    return false;
  } finally {
    await file?.close();
  }
}

/** All rows of one query. For several queries `openDatabase` copies only once. */
export async function readRows(path: string, sql: string, values?: BindValues): Promise<Row[]> {
  const database = await openDatabase(path);
  try {
    return database.rows(sql, values);
  } finally {
    await database.close();
  }
}

/** Throws `unreadable-input` if the file cannot be copied, `broken-input` if it is damaged. */
export async function openDatabase(path: string): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'snapcompact-sqlite-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  let database: Database | undefined;
  try {
    const copy = join(folder, 'copy.db');
    await copyWhole(path, copy);
    const { default: sqlite } = await import('node-sqlite3-wasm');
    const opened = new sqlite.Database(copy, { fileMustExist: true });
    database = opened;
    // Without it the memory that processes share is asked for, which this build does not have.
    opened.exec('PRAGMA locking_mode = EXCLUSIVE');
    const names = opened.all("SELECT name FROM sqlite_schema WHERE type = 'table'");
    return {
      tables: new Set(names.map(({ name }) => String(name))),
      rows: (sql, values) => [...each(opened, sql, values, path)],
      each: (sql, values) => each(opened, sql, values, path),
      async close() {
        opened.close();
        await remove();
      },
    };
  } catch (cause) {
    database?.close();
    await remove();
    throw cause instanceof SnapcompactError ? cause : damaged(path, cause);
  }
}

function* each(database: Database, sql: string, values: BindValues | undefined, path: string): Iterable<Row> {
  let statement: Statement | undefined;
  try {
    statement = database.prepare(sql);
    yield* statement.iterate(values) as Iterable<Row>;
  } catch (cause) {
    throw cause instanceof SnapcompactError ? cause : damaged(path, cause);
  } finally {
    statement?.finalize();
  }
}

const companions = ['-wal', '-journal'];
const maxTries = 3;

/** Copies the files of a database, again if one of them changed meanwhile. */
async function copyWhole(path: string, copy: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = await stampOf(path);
    await copyOne(path, copy).catch((cause: unknown) => {
      throw new SnapcompactError('unreadable-input', {
        expected: 'a readable file, and room for a copy of it in the temporary folder',
        of: path,
        got: systemReason(cause),
        cause,
      });
    });
    for (const suffix of companions) {
      await rm(copy + suffix, { force: true });
      await copyOne(path + suffix, copy + suffix).catch(() => undefined);
    }
    if (tries === maxTries || before === (await stampOf(path))) return;
  }
}

/** Costs nothing where the file system can share the blocks. */
async function copyOne(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

async function stampOf(path: string): Promise<string> {
  const stamps = ['', ...companions].map(async (suffix) => {
    const entry = await stat(path + suffix).catch(() => undefined);
    return entry === undefined ? '' : `${entry.mtimeMs}/${entry.size}`;
  });
  return (await Promise.all(stamps)).join(' ');
}

function damaged(path: string, cause: unknown): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: 'a SQLite database',
    of: basename(path),
    got: cause instanceof Error ? cause.message : String(cause),
    cause,
  });
}
