/** `fonts/fonts.json`: what each font of the package is, before any of its glyphs is read. */
import { SnapcompactError } from '../errors.js';
import { readPackageJson } from '../package-files.js';

export interface FontRecord {
  readonly name: string;
  /** Below `fonts/`; a name that ends in `.gz` is compressed. */
  readonly file: string;
  /** Our own drawings over it, below `fonts/`. */
  readonly overrides: string | null;
  readonly heightPx: number;
  readonly ascentPx: number;
  readonly glyphs: number;
  readonly sha256: string;
}

let records: ReadonlyMap<string, FontRecord> | undefined;

/** The record of a font; throws `unknown-font` with the names there are. */
export function fontRecord(name: string): FontRecord {
  records ??= readRecords();
  const record = records.get(name);
  if (record !== undefined) return record;
  throw new SnapcompactError('unknown-font', {
    expected: `one of ${[...records.keys()].join(', ')}`,
    of: 'the name of a font',
    got: JSON.stringify(name),
    where: 'fonts/fonts.json',
  });
}

function readRecords(): ReadonlyMap<string, FontRecord> {
  // Written by fonts/build.mjs and held to its shape by test/glyph/font-records.test.ts.
  const { fonts } = readPackageJson('fonts/fonts.json') as { readonly fonts: readonly FontRecord[] };
  return new Map(fonts.map((font) => [font.name, font]));
}
