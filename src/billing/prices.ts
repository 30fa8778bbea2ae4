/**
 * What tokens cost in US dollars, cache reads and writes included.
 *
 * The table is `prices.json`: `records` hold the prices, `carriers` who bills them. Image tokens cost what text tokens
 * cost with every provider in it. A model, a version, a variant or a route that no record names has no price:
 * `usd` is `undefined` and `why` says what is missing. Nothing is guessed.
 */
import { SnapcompactError } from '../errors.js';
import { type ModelName, readModelName } from '../model-name.js';
import { readPackageJson } from '../package-files.js';
import { findModelRecord, findOverride, type ModelRecord } from './model-records.js';
import type { BillingOverrides } from './overrides.js';
import { requestLimits } from './request-limits.js';

/** US dollars per million tokens. */
export interface Rates {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  /** `null`: the vendor sells no cache read. */
  readonly cacheReadUsdPerMillion: number | null;
  /** The input price where writing is free. */
  readonly cacheWriteUsdPerMillion: number;
  /** Writing for the longer lifetime, where there are two. */
  readonly longCacheWriteUsdPerMillion?: number;
}

export interface PriceRecord extends ModelRecord, Rates {
  /** Prompts below are not cached; `null`: not published. */
  readonly cacheMinimumTokens: number | null;
  readonly cacheMinutes: number | null;
  readonly longCacheMinutes?: number;
  /** Rates of prompts with more than `contextTokens` tokens, ascending. */
  readonly above: readonly (Rates & { readonly contextTokens: number })[];
}

/** Tokens of one request by how they are billed; absent: none. */
export interface BilledTokens {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly longCacheWrite?: number;
  /** Tokens of the whole prompt, which decide the tier; default: input, cache reads and writes together. */
  readonly contextTokens?: number;
}

export interface PriceOptions {
  /** Who carries the request; default: what the model id tells, else the vendor. */
  readonly route?: string;
  readonly overrides?: BillingOverrides;
}

export interface TokenPrice {
  /** `undefined`: not known. */
  readonly usd: number | undefined;
  readonly parts: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>> | undefined;
  /** The record that decided, overrides and surcharges worked in. */
  readonly record: PriceRecord | undefined;
  /** Why there is no price. */
  readonly why?: string;
}

interface Carrier {
  readonly routes: readonly string[];
  readonly lines: readonly string[];
  /** Ids, as they were given, that cost `factor` times the price. */
  readonly surcharge?: { readonly pattern: string; readonly factor: number };
  readonly source: string;
  readonly date: string;
}

interface PriceTable {
  readonly unpriced: { readonly pattern: string; readonly why: string };
  readonly carriers: readonly Carrier[];
  readonly records: readonly PriceRecord[];
}

let loaded: PriceTable | undefined;

/** The whole table. */
export function priceTable(): PriceTable {
  loaded ??= readPackageJson('src/billing/prices.json') as PriceTable;
  return loaded;
}

/** Price of one request's tokens. Throws `usage` for counts that are no counts; never for a model. */
export function priceTokens(model: string, tokens: BilledTokens, options: PriceOptions = {}): TokenPrice {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, longCacheWrite = 0 } = tokens;
  const { contextTokens = input + cacheRead + cacheWrite + longCacheWrite } = tokens;
  for (const count of [input, output, cacheRead, cacheWrite, longCacheWrite, contextTokens])
    checkCount(count);
  const { record, why } = findPrice(model, options);
  if (record === undefined)
    return { usd: undefined, parts: undefined, record, ...(why !== undefined && { why }) };
  const rates = record.above.findLast((tier) => contextTokens > tier.contextTokens) ?? record;
  const usd = (count: number, rate: number) => (count * rate) / 1e6;
  const parts = {
    input: usd(input, rates.inputUsdPerMillion),
    output: usd(output, rates.outputUsdPerMillion),
    // Without a cache, what was meant to be read from it is ordinary input.
    cacheRead: usd(cacheRead, rates.cacheReadUsdPerMillion ?? rates.inputUsdPerMillion),
    cacheWrite:
      usd(cacheWrite, rates.cacheWriteUsdPerMillion) +
      usd(longCacheWrite, rates.longCacheWriteUsdPerMillion ?? rates.cacheWriteUsdPerMillion),
  };
  return { usd: parts.input + parts.output + parts.cacheRead + parts.cacheWrite, parts, record };
}

/** The record that prices a model on a route, or why there is none. */
export function findPrice(
  model: string,
  { route, overrides }: PriceOptions = {},
): { readonly record: PriceRecord | undefined; readonly why?: string } {
  const table = priceTable();
  const name = readModelName(model);
  const record = findModelRecord(table.records, name);
  const override = findOverride(overrides?.prices, name, record);
  if (override !== undefined) return overriddenPrice(name, record, override);
  if (record === undefined) return { record, why: `no price is known for "${name.cleaned || 'no model'}"` };
  if (new RegExp(table.unpriced.pattern).test(model.trim().toLowerCase())) {
    return { record: undefined, why: `"${model.trim()}": ${table.unpriced.why}` };
  }
  const wanted = route ?? name.route;
  const carriers = table.carriers.filter(({ lines }) => lines.includes(name.line!));
  const carrier =
    wanted === undefined ? carriers[0] : carriers.find(({ routes }) => routes.includes(canonical(wanted)));
  if (carrier === undefined) {
    return { record: undefined, why: `no price is known for ${record.id} on the route ${wanted}` };
  }
  return { record: surcharged(record, model, carrier) };
}

/** An alias of a route, and a name that nobody knows, which stays what it is. */
function canonical(route: string): string {
  const { route: found } = requestLimits(route);
  return found === 'unknown' ? route.trim().toLowerCase() : found;
}

/** A price the user states holds on every route. Tiers go when a price is stated without them. */
function overriddenPrice(name: ModelName, record: PriceRecord | undefined, override: Partial<PriceRecord>) {
  const input = override.inputUsdPerMillion ?? record?.inputUsdPerMillion;
  const output = override.outputUsdPerMillion ?? record?.outputUsdPerMillion;
  if (input === undefined || output === undefined) {
    return { record: undefined, why: `the configured price of ${name.cleaned} lacks input or output` };
  }
  const restated = Object.keys(override).some((key) => key.endsWith('UsdPerMillion'));
  const blank = { lines: [], cacheReadUsdPerMillion: null, cacheMinimumTokens: null, cacheMinutes: null };
  return {
    record: {
      id: name.cleaned,
      ...blank,
      cacheWriteUsdPerMillion: input,
      date: 'no date given',
      ...record,
      above: restated ? [] : (record?.above ?? []),
      source: record === undefined ? 'configuration' : `configuration; else ${record.source}`,
      ...override,
      inputUsdPerMillion: input,
      outputUsdPerMillion: output,
    },
  };
}

function surcharged(record: PriceRecord, model: string, { surcharge }: Carrier): PriceRecord {
  if (surcharge === undefined || !new RegExp(surcharge.pattern).test(model.trim().toLowerCase()))
    return record;
  const raised = <T extends Rates>(rates: T): T =>
    Object.fromEntries(
      Object.entries(rates).map(([key, value]) => [
        key,
        key.endsWith('UsdPerMillion') && value !== null
          ? Number((value * surcharge.factor).toFixed(6))
          : value,
      ]),
    ) as unknown as T;
  return { ...raised(record), above: record.above.map(raised) };
}

function checkCount(count: number): void {
  if (Number.isFinite(count) && count >= 0) return;
  throw new SnapcompactError('usage', {
    expected: 'a number of tokens from 0',
    of: 'a token count to price',
    got: String(count),
  });
}
