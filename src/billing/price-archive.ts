/**
 * What an archive costs on the wire: once without a cache, once when it is written to the cache, and again on each
 * later turn that reads it from there.
 */
import { type BilledTokens, findPrice, type PriceOptions, type PriceRecord, priceTokens } from './prices.js';

export interface ArchiveTokens {
  readonly imageTokens: number;
  readonly textTokens: number;
  /** Tokens of the whole prompt around the archive, which decide the price tier; default: the archive's. */
  readonly contextTokens?: number;
}

export interface ArchivePriceOptions extends PriceOptions {
  /** Which cache lifetime the archive is written for, where the vendor has two. Default `short`. */
  readonly lifetime?: 'short' | 'long';
}

/** Dollars; each `undefined` where the price is not known. */
export interface ArchivePrice {
  readonly tokens: number;
  /** Sent once, as plain input. */
  readonly uncachedUsd: number | undefined;
  /** Sent once and written to the cache. */
  readonly writeUsd: number | undefined;
  /** Each later turn while the cache is warm. */
  readonly readUsd: number | undefined;
  /** Of `uncachedUsd`. */
  readonly imageUsd: number | undefined;
  readonly textUsd: number | undefined;
  /** `false`: too small for the vendor's cache, or no cache is sold; then all three prices are the same. */
  readonly cached: boolean;
  readonly record: PriceRecord | undefined;
  readonly why?: string;
}

/** Prices of an archive for `model`. Output is not in them. Throws `usage` for counts that are no counts. */
export function priceArchive(
  model: string,
  { imageTokens, textTokens, contextTokens }: ArchiveTokens,
  options: ArchivePriceOptions = {},
): ArchivePrice {
  const tokens = imageTokens + textTokens;
  const { record, why } = findPrice(model, options);
  const cached =
    record !== undefined &&
    record.cacheReadUsdPerMillion !== null &&
    tokens >= (record.cacheMinimumTokens ?? 0);
  const price = (billed: BilledTokens) =>
    priceTokens(model, { contextTokens: contextTokens ?? tokens, ...billed }, options).usd;
  const written = options.lifetime === 'long' ? { longCacheWrite: tokens } : { cacheWrite: tokens };
  return {
    tokens,
    uncachedUsd: price({ input: tokens }),
    writeUsd: price(cached ? written : { input: tokens }),
    readUsd: price(cached ? { cacheRead: tokens } : { input: tokens }),
    imageUsd: price({ input: imageTokens }),
    textUsd: price({ input: textTokens }),
    cached,
    record,
    ...(why !== undefined && { why }),
  };
}
