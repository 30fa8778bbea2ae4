/** How much a model takes in and gives out. The table is `windows.json`, a record for each model seen in a source. */
import { readModelName } from '../model-name.js';
import { readPackageJson } from '../package-files.js';
import { findModelRecord, findOverride, type ModelRecord } from './model-records.js';
import type { BillingOverrides } from './overrides.js';

export interface WindowRecord extends ModelRecord {
  readonly contextTokens: number;
  readonly maxOutputTokens: number | null;
}

export interface ModelWindow {
  /** Tokens of input and output together. */
  readonly contextTokens: number;
  /** Absent where no source says it. */
  readonly maxOutputTokens?: number;
  /** Where the figures come from, with date. */
  readonly source: string;
}

let loaded: readonly WindowRecord[] | undefined;

/** Every record of the table. */
export function windowRecords(): readonly WindowRecord[] {
  loaded ??= (readPackageJson('src/billing/windows.json') as { records: WindowRecord[] }).records;
  return loaded;
}

/** The window of a model in any spelling; `undefined` for one that no record names, newer versions included. */
export function modelWindow(model: string, overrides?: BillingOverrides): ModelWindow | undefined {
  const name = readModelName(model);
  const record = findModelRecord(windowRecords(), name);
  const override = findOverride(overrides?.windows, name, record);
  const contextTokens = override?.contextTokens ?? record?.contextTokens;
  if (contextTokens === undefined) return undefined;
  const maxOutputTokens = override?.maxOutputTokens ?? record?.maxOutputTokens ?? undefined;
  const sources = [override && 'configuration', record && `${record.source}; ${record.date}`];
  return {
    contextTokens,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    source: sources.filter(Boolean).join('; else '),
  };
}
