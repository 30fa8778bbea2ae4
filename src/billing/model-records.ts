/**
 * Records keyed by model, as `prices.json` and `windows.json` hold them, and the one way to find a model's.
 *
 * A record speaks of model lines, of a closed range of versions and of variants. Unlike a reader rule it never
 * stands in for a model it does not name: a newer version, a missing version or another variant finds nothing,
 * because a price or a window that is guessed is worse than none.
 */
import { coversVersion, type ModelName, readModelName, type VersionRange } from '../model-name.js';

export interface ModelRecord extends VersionRange {
  /** Unique in its table; reads like the model it speaks of. */
  readonly id: string;
  readonly lines: readonly string[];
  /** Pattern of all that may follow line and version in an id; absent: `plainVariant`. */
  readonly variant?: string;
  readonly source: string;
  readonly date: string;
  readonly note?: string;
}

/** What a user says of models, by record id or by model id in any spelling. */
export type RecordOverrides<T extends ModelRecord> = Readonly<
  Record<string, { readonly [K in keyof T]?: T[K] | undefined }>
>;

/** Variants that change neither price nor window. */
const plainVariant = '(?:-(?:latest|preview|thinking))*';

/** The record that names the model, or none. `records` is a short table, searched in order. */
export function findModelRecord<T extends ModelRecord>(
  records: readonly T[],
  { line, version, rest = '' }: ModelName,
): T | undefined {
  if (line === undefined) return undefined;
  return records.find((record) => {
    if (!record.lines.includes(line)) return false;
    if (version === undefined && record.from !== undefined) return false;
    return (
      coversVersion(record, version) && new RegExp(`^${record.variant ?? `(?:${plainVariant})`}$`).test(rest)
    );
  });
}

/** What the overrides say of a model: those under its record's id, then those under its own. */
export function findOverride<T extends ModelRecord>(
  overrides: RecordOverrides<T> | undefined,
  name: ModelName,
  record: T | undefined,
): Partial<T> | undefined {
  if (overrides === undefined || name.cleaned === '') return undefined;
  const byRecord = record !== undefined && Object.hasOwn(overrides, record.id) ? overrides[record.id] : {};
  const byModel = Object.entries(overrides).find(([key]) => isSameModel(readModelName(key), name))?.[1];
  const found = { ...byRecord, ...byModel };
  return Object.keys(found).length === 0 ? undefined : (found as Partial<T>);
}

/** `claude-opus-4.6` is `claude-opus-4-6`; names of no known line must agree to the letter. */
function isSameModel(a: ModelName, b: ModelName): boolean {
  if (a.line === undefined || b.line === undefined) return a.cleaned === b.cleaned;
  const isSameVersion =
    a.version?.major === b.version?.major && (a.version?.minor ?? 0) === (b.version?.minor ?? 0);
  return a.line === b.line && isSameVersion && a.rest === b.rest;
}
