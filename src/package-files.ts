/**
 * Where the data files of the package lie.
 *
 * `src` and `dist` have the same depth below the package root, so one relative step finds a data file from the
 * sources, from the build and from an installed package alike.
 */
import { readFileSync } from 'node:fs';
import { SnapcompactError } from './errors.js';

/** URL of a file or folder of the package, `path` relative to the package root: `fonts/fonts.json`. */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** A JSON data file of the package. The caller narrows; a missing or torn file is a fault of the installation. */
export function readPackageJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(packageFile(path), 'utf8'));
  } catch (cause) {
    throw new SnapcompactError('bad-data-file', {
      expected: 'a readable JSON file',
      of: path,
      got: cause instanceof Error ? cause.message : String(cause),
      hint: 'reinstall snapcompact',
      cause,
    });
  }
}
