/** A folder of its own for each test, which is the working folder meanwhile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** Asks for one before each test of the file; returns its path, from within a test. */
export function useWorkFolder(): () => string {
  let folder: string;
  let former: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'snapcompact-'));
    former = process.cwd();
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(former);
    rmSync(folder, { recursive: true, force: true });
  });
  return () => folder;
}
