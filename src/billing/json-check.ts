/**
 * Checks on JSON that a user wrote: each names file, path, what was expected and what came.
 *
 * A check takes a value and its place and throws `usage`, or returns. Larger checks are made of smaller ones.
 */
import { SnapcompactError } from '../errors.js';
import { nearNames } from '../near-names.js';

/** Where a value stands: `path` starts with `$` and reads like JavaScript. */
export interface Place {
  readonly file: string;
  readonly path: string;
}

export type Check = (value: unknown, place: Place) => void;

export const text: Check = (value, place) => {
  if (typeof value !== 'string' || value.trim() === '')
    throw complaint('a text that is not empty', value, place);
};

export const flag: Check = (value, place) => {
  if (typeof value !== 'boolean') throw complaint('true or false', value, place);
};

/** A number in a range, both ends included. */
export const number =
  (from: number, to = Number.POSITIVE_INFINITY): Check =>
  (value, place) => {
    if (typeof value === 'number' && Number.isFinite(value) && value >= from && value <= to) return;
    throw complaint(`a number ${range(from, to)}`, value, place);
  };

export const integer =
  (from: number, to = Number.MAX_SAFE_INTEGER): Check =>
  (value, place) => {
    if (Number.isInteger(value) && (value as number) >= from && (value as number) <= to) return;
    throw complaint(`an integer ${range(from, to)}`, value, place);
  };

export const choice =
  (...values: readonly string[]): Check =>
  (value, place) => {
    if (values.includes(value as string)) return;
    throw complaint(`one of ${values.join(', ')}`, value, place, hintFor(value, values));
  };

export const nullable =
  (check: Check): Check =>
  (value, place) => {
    if (value !== null) check(value, place);
  };

export const list =
  (check: Check): Check =>
  (value, place) => {
    if (!Array.isArray(value)) throw complaint('a list', value, place);
    for (const [index, item] of value.entries()) {
      check(item, { ...place, path: `${place.path}[${index}]` });
    }
  };

/** An object with these fields and no others; `required` ones must be there. */
export const fields =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, place) => {
    const names = Object.keys(checks);
    for (const [key, item] of entriesOf(value, place)) {
      const inner = member(place, key);
      if (!Object.hasOwn(checks, key)) {
        throw complaint(`one of the keys ${names.join(', ')}`, key, inner, hintFor(key, names));
      }
      checks[key]!(item, inner);
    }
    for (const key of required) {
      if (!Object.hasOwn(value as object, key)) throw complaint('a value', undefined, member(place, key));
    }
  };

/** An object whose keys are all names of the user's; `checkFor` gives the check of each, or why the key is none. */
export const named =
  (
    checkFor: (key: string) => Check | { readonly expected: string; readonly near: readonly string[] },
  ): Check =>
  (value, place) => {
    for (const [key, item] of entriesOf(value, place)) {
      const inner = member(place, key);
      const check = checkFor(key);
      if (typeof check !== 'function') throw complaint(check.expected, key, inner, hintFor(key, check.near));
      check(item, inner);
    }
  };

function entriesOf(value: unknown, place: Place): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw complaint('an object', value, place);
}

function member({ file, path }: Place, key: string): Place {
  return {
    file,
    path: /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`,
  };
}

const range = (from: number, to: number) =>
  Number.isFinite(to) && to !== Number.MAX_SAFE_INTEGER ? `from ${from} to ${to}` : `from ${from}`;

function hintFor(value: unknown, names: readonly string[]): string | undefined {
  const near = typeof value === 'string' ? nearNames(value, names) : [];
  return near.length === 0 ? undefined : `did you mean ${near.join(' or ')}?`;
}

function complaint(expected: string, got: unknown, { file, path }: Place, hint?: string): SnapcompactError {
  const shown = JSON.stringify(got) ?? 'nothing';
  return new SnapcompactError('usage', {
    expected,
    of: path,
    got: shown.length > 80 ? `${shown.slice(0, 80)}…` : shown,
    where: file,
    ...(hint !== undefined && { hint }),
  });
}
