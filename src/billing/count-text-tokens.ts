/** Tokens of a text by the vendor's own tokenizer where it is public, by estimate elsewhere; and which of the two. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BillingOverrides } from './overrides.js';
import { columnOf, encodingOf, estimateTextTokens } from './text-tokens.js';
import { tokenPieces } from './token-pieces.js';
import { type Encoding, loadEncoding } from './tokenizers.js';

export interface TextTokenCount {
  readonly tokens: number;
  readonly method: 'tokenizer' | 'estimate';
  /** Package and encoding, or the column of the table of characters per token. */
  readonly by: string;
}

/** Counting hands the thread back after about this many characters, some tens of milliseconds. */
const turnUnits = 262_144;

/**
 * Tokens of `text` in the vocabulary `tokenizer`, a key of `text-tokens.json` as `resolveReader` gives it.
 *
 * Exact with a tokenizer, but for runs of more than 128 characters without any break; time is linear in the length
 * in either case, and the tokenizer loads on the first call. `overrides` change estimates only.
 */
export async function countTextTokens(
  text: string,
  tokenizer = 'default',
  overrides?: BillingOverrides,
): Promise<TextTokenCount> {
  const encoding = await loadEncoding(encodingOf(tokenizer) ?? '');
  if (encoding !== undefined) {
    return { tokens: await countPieces(text, encoding), method: 'tokenizer', by: encoding.by };
  }
  const by = `characters per token of ${columnOf(tokenizer)}`;
  return { tokens: estimateTextTokens(text, tokenizer, overrides), method: 'estimate', by };
}

/** Adds up the pieces of `text`; linear where the encoding is at most quadratic in a part. */
export async function countPieces(text: string, encoding: Encoding): Promise<number> {
  let tokens = 0;
  let units = 0;
  try {
    for (const piece of tokenPieces(text, encoding.pattern)) {
      tokens += encoding.count(piece);
      units += piece.length;
      if (units < turnUnits) continue;
      units = 0;
      await nextTurn();
    }
  } finally {
    encoding.forget();
  }
  return tokens;
}
