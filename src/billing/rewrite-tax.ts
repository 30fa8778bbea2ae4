/**
 * What it costs to change an archive that is warm in a provider's cache: its tokens are written again instead of read.
 * Source of the arithmetic: a change in the first frame re-bills everything behind it at the write price.
 */

/** Prices of a cache as multiples of the input price. */
export interface CacheFactors {
  readonly writeFactor: number;
  readonly readFactor: number;
}

export interface RewriteTax {
  /** The extra cost, in tokens at the input price. */
  readonly tokenEquivalents: number;
  /** How many warm turns of reading the archive cost the same. */
  readonly warmTurns: number;
}

/** `archiveTokens` behind the first byte that changes. Nothing is due on a cold cache; that is the caller's to know. */
export function rewriteTax({ writeFactor, readFactor }: CacheFactors, archiveTokens: number): RewriteTax {
  const perToken = writeFactor - readFactor;
  return { tokenEquivalents: Math.round(perToken * archiveTokens), warmTurns: perToken / readFactor };
}
