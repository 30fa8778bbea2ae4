/**
 * What a model id says, whatever provider or agent spelled it: the model line, the version and the rest.
 *
 * Everything known of spellings is data in `shapes/readers.json`; this file only interprets it: `cleaning` takes
 * provider paths, regions, dates and variants off the id, and some of them tell the route; `lines` finds the model
 * line and the version in what is left. Reader rules, prices and context windows all key on the result.
 */
import { SnapcompactError } from './errors.js';
import { readPackageJson } from './package-files.js';

export interface Version {
  readonly major: number;
  /** Absent: any, where it ends a range; 0 where it starts one or belongs to a model. */
  readonly minor?: number;
}

/** A range of versions, both ends included; absent ends are open. `4` as an end means every 4.x. */
export interface VersionRange {
  readonly from?: string;
  readonly to?: string;
}

/** What an id says. */
export interface ModelName {
  /** The id in lower case without provider, region, date and variant; empty where no model was named. */
  readonly cleaned: string;
  /** Who carries the request, where the id tells. */
  readonly route?: string;
  readonly line?: string;
  readonly version?: Version;
  /** What follows line and version in `cleaned`: `-flash-lite`, `-codex`, or nothing. */
  readonly rest?: string;
  /** How `cleaned` came about, one step a line. */
  readonly steps: readonly string[];
}

/** Longer ids are cut: no model has one, and the patterns of the table stay cheap on hostile text. */
export const maxModelIdChars = 200;

/** Reads an id in any spelling. Never throws for an id, whatever it is. */
export function readModelName(model: string): ModelName {
  const { cleaning, lines } = loadSpellings();
  const steps: string[] = [];
  let cleaned = String(model).trim().toLowerCase().slice(0, maxModelIdChars);
  let route: string | undefined;
  for (const step of cleaning) {
    const left = cleaned.replace(step.strip, '');
    if (left === cleaned || left === '') continue;
    steps.push(`"${cleaned}" reads as "${left}": ${step.why}`);
    cleaned = left;
    route ??= step.route;
  }
  const name = { cleaned, ...(route !== undefined && { route }), steps };
  for (const { line, patterns } of lines) {
    for (const pattern of patterns) {
      const match = pattern.exec(cleaned);
      if (match === null) continue;
      const version = versionOf(match.groups?.['major'], match.groups?.['minor']);
      const rest = cleaned.slice(match[0].length);
      return { ...name, line, rest, ...(version !== undefined && { version }) };
    }
  }
  return name;
}

/** Whether a range holds a version; no version counts as newer than all. */
export function coversVersion({ from, to }: VersionRange, version: Version | undefined): boolean {
  if (version === undefined) return to === undefined;
  const value = [version.major, version.minor ?? 0] as const;
  const low = from === undefined ? undefined : parseVersion(from);
  const high = to === undefined ? undefined : parseVersion(to);
  if (low !== undefined && compare(value, [low.major, low.minor ?? 0]) < 0) return false;
  return high === undefined || compare(value, [high.major, high.minor ?? Number.POSITIVE_INFINITY]) <= 0;
}

function compare(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] === b[0] ? Math.sign(a[1] - b[1]) : a[0] - b[0];
}

function parseVersion(text: string): Version | undefined {
  const [major, minor] = text.split('.');
  return versionOf(major, minor);
}

function versionOf(major: string | undefined, minor: string | undefined): Version | undefined {
  if (major === undefined) return undefined;
  return { major: Number(major), ...(minor !== undefined && { minor: Number(minor) }) };
}

interface Spellings {
  readonly cleaning: readonly { readonly strip: RegExp; readonly route?: string; readonly why: string }[];
  readonly lines: readonly { readonly line: string; readonly patterns: readonly RegExp[] }[];
}

let loaded: Spellings | undefined;

/** A version in a pattern: `4`, `4.7`, `4-7`, `4p7`; at most two digits each, so that a date is none. */
const versionPattern = '(?<major>\\d{1,2})(?:[-._p](?<minor>\\d{1,2})(?!\\d))?(?!\\d)';

const headWord = (pattern: string) =>
  new RegExp(`^(?:${pattern.replace('{v}', versionPattern)})(?![a-z0-9])`);

/** The two tables, compiled once per process. */
function loadSpellings(): Spellings {
  if (loaded !== undefined) return loaded;
  const data = readPackageJson('shapes/readers.json');
  loaded = {
    cleaning: tableOf<{ strip: string; route?: string; why: string }>(data, 'cleaning').map((step) => ({
      ...step,
      strip: new RegExp(step.strip),
    })),
    lines: tableOf<{ line: string; patterns: readonly string[] }>(data, 'lines').map(
      ({ line, patterns }) => ({
        line,
        patterns: patterns.map(headWord),
      }),
    ),
  };
  return loaded;
}

function tableOf<T>(data: unknown, key: string): readonly T[] {
  const value =
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[key] : undefined;
  if (Array.isArray(value)) return value;
  const where = 'shapes/readers.json';
  throw new SnapcompactError('bad-data-file', { expected: 'a table', of: key, got: String(value), where });
}
