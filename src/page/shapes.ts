/**
 * The shapes a frame can be printed in: one JSON file each in `shapes/`, checked when it is first read.
 *
 * A new shape is a new file there; nothing in the code names one.
 */
import { readdirSync } from 'node:fs';
import { SnapcompactError } from '../errors.js';
import { nearNames } from '../near-names.js';
import { packageFile, readPackageJson } from '../package-files.js';

export interface Shape {
  /** Name of the shape and of its file: `11on16-bw`. */
  readonly id: string;
  /** Fonts in order of preference, by their names in `fonts/fonts.json`. */
  readonly fonts: readonly string[];
  /** Distance from one cell to the next, and from one row to the next. */
  readonly cell: { readonly advancePx: number; readonly pitchPx: number };
  /** Where a glyph sits in its cell; a wide glyph takes two cells and sits at `wideXPx` in the first. */
  readonly offset: { readonly xPx: number; readonly wideXPx: number; readonly yPx: number };
  /** Black on white. */
  readonly ink: 'bw';
  /** Columns of text side by side; only 1 is laid out so far. */
  readonly textColumns: number;
  /** How often each line is printed; only 1 is laid out so far. */
  readonly repetition: number;
  /** The shape of the `lq` tier: same pixels, same bill, more characters. `null` where there is none denser. */
  readonly dense: string | null;
  /** Whether decoding the pixels gives back the page's text character by character. */
  readonly exact: boolean;
}

let loaded: readonly Shape[] | undefined;

/**
 * Every shape of the package, sorted by id; read once per process.
 * Throws `bad-data-file` when a file breaks the form above or names a companion that does not exist.
 */
export function shapes(): readonly Shape[] {
  loaded ??= loadShapes();
  return loaded;
}

/** The shape called `id`, letter case included. Throws `unknown-shape` with the near names and the whole list. */
export function getShape(id: string): Shape {
  const shape = shapes().find((candidate) => candidate.id === id);
  if (shape !== undefined) return shape;
  const ids = shapes().map((candidate) => candidate.id);
  const near = nearNames(String(id), ids);
  throw new SnapcompactError('unknown-shape', {
    expected: `one of ${ids.join(', ')}`,
    of: 'the shape',
    got: JSON.stringify(id) ?? String(id),
    ...(near.length > 0 && { hint: `did you mean ${near.join(' or ')}?` }),
  });
}

function loadShapes(): readonly Shape[] {
  const files = readdirSync(packageFile('shapes/'))
    .filter((name) => name.endsWith('.json') && name !== 'readers.json')
    .sort();
  const all = files.map((name) => checkShape(readPackageJson(`shapes/${name}`), name));
  for (const { id, dense, fonts } of all) {
    const companion = all.find((shape) => shape.id === dense);
    // Both print one normal text, so both must have a glyph for the same characters.
    const fits = companion !== undefined && dense !== id && companion.fonts.join() === fonts.join();
    if (dense !== null && !fits) {
      throw badShape(`${id}.json`, 'dense', 'the id of another shape with the same fonts, or null', dense);
    }
  }
  return Object.freeze(all);
}

/** A cell wider than this is a mistake in the file: the fonts of the package are at most 16 pixels. */
const maxCellPx = 256;

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 1;
const isCellPx = (value: unknown) => isCount(value) && value <= maxCellPx;
const isOffsetPx = (value: unknown) => Number.isInteger(value) && Math.abs(value as number) < maxCellPx;
const isName = (value: unknown) => typeof value === 'string' && value !== '';

/** What each field must be, in the words of the error and as a test. Paths of two parts name nested fields. */
const fields: readonly (readonly [path: string, expected: string, holds: (value: unknown) => boolean])[] = [
  [
    'fonts',
    'a list of font names',
    (value) => Array.isArray(value) && value.length > 0 && value.every(isName),
  ],
  ['cell.advancePx', `an integer from 1 to ${maxCellPx}`, isCellPx],
  ['cell.pitchPx', `an integer from 1 to ${maxCellPx}`, isCellPx],
  ['offset.xPx', 'an integer', isOffsetPx],
  ['offset.wideXPx', 'an integer', isOffsetPx],
  ['offset.yPx', 'an integer', isOffsetPx],
  ['ink', '"bw"', (value) => value === 'bw'],
  ['textColumns', '1', (value) => value === 1],
  ['repetition', '1', (value) => value === 1],
  ['dense', 'a shape id or null', (value) => value === null || isName(value)],
  ['exact', 'true or false', (value) => typeof value === 'boolean'],
];

function checkShape(data: unknown, file: string): Shape {
  const id = file.slice(0, -'.json'.length);
  if (at(data, 'id') !== id) throw badShape(file, 'id', `"${id}", the name of the file`, at(data, 'id'));
  for (const [path, expected, holds] of fields) {
    const value = at(data, path);
    if (!holds(value)) throw badShape(file, path, expected, value);
  }
  return Object.freeze(data as Shape);
}

function at(data: unknown, path: string): unknown {
  let value = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function badShape(file: string, field: string, expected: string, got: unknown): SnapcompactError {
  return new SnapcompactError('bad-data-file', {
    expected,
    of: `the field ${field}`,
    got: JSON.stringify(got) ?? 'nothing',
    where: `shapes/${file}`,
  });
}
