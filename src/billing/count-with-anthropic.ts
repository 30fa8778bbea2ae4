/**
 * Asks Anthropic's free token counter what blocks cost a Claude model, and holds the answer against a prediction.
 *
 * The one function of this folder that goes on the network, and only when it is called. The counter takes bodies of
 * up to 32 MB and estimates images from their sides; its yes is no promise that a request is within the limits.
 */
import { SnapcompactError } from '../errors.js';
import { countFailure } from './count-failure.js';
import type { CountedBlock } from './predict-tokens.js';

export interface CounterOptions {
  /** As Anthropic spells it. */
  readonly model: string;
  readonly blocks: readonly CountedBlock[];
  /** What `predictTokens` or a plan says the blocks cost. */
  readonly predictedTokens: number;
  readonly apiKey: string;
  /** Default https://api.anthropic.com. */
  readonly baseUrl?: string;
  /** Tries after the first, on 408, 409, 429, 5xx, a broken connection and a timeout; 0 to 10, default 2. */
  readonly maxRetries?: number;
  /** For each try, in milliseconds; default 60,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CounterReport {
  readonly model: string;
  readonly countedTokens: number;
  readonly predictedTokens: number;
  /** Counted less predicted: above 0 where the prediction was too low. */
  readonly differenceTokens: number;
  /** The difference as a share of what was counted. */
  readonly differenceShare: number;
}

const vendorUrl = 'https://api.anthropic.com';

/**
 * One call of `messages.countTokens` with the blocks as one user message. Throws `usage` for a request that the API
 * will never take (no key, a key or a model it refuses), `interrupted` for the signal, and what `countFailure` says
 * for a counter that gives no answer. The key appears in no message.
 */
export async function countWithAnthropic(options: CounterOptions): Promise<CounterReport> {
  const { model, blocks, predictedTokens, apiKey, baseUrl = vendorUrl, signal } = options;
  if (apiKey.trim() === '') throw noKey();
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey,
    // Only what the caller gives is sent; the SDK would look for tokens and addresses in the environment.
    authToken: null,
    baseURL: baseUrl,
    maxRetries: options.maxRetries ?? 2,
    timeout: options.timeoutMs ?? 60_000,
    logLevel: 'off',
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });
  // The API refuses a text without a word.
  const content = blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '').map(toContent);
  try {
    const { input_tokens: countedTokens } = await client.messages.countTokens(
      { model, messages: [{ role: 'user', content }] },
      signal === undefined ? {} : { signal },
    );
    if (!Number.isInteger(countedTokens)) throw new TypeError(`input_tokens is ${String(countedTokens)}`);
    const differenceTokens = countedTokens - predictedTokens;
    const differenceShare = countedTokens === 0 ? 0 : differenceTokens / countedTokens;
    return { model, countedTokens, predictedTokens, differenceTokens, differenceShare };
  } catch (error) {
    throw countFailure(error, { of: `the token count of ${model}`, where: baseUrl, signal });
  }
}

function toContent(block: CountedBlock) {
  if (block.type === 'text') return { type: 'text' as const, text: block.text };
  const data = Buffer.from(block.data.buffer, block.data.byteOffset, block.data.byteLength).toString(
    'base64',
  );
  // The API's four types; a frame is PNG or WebP.
  const mime = block.mime as 'image/png' | 'image/webp' | 'image/jpeg' | 'image/gif';
  return { type: 'image' as const, source: { type: 'base64' as const, media_type: mime, data } };
}

function noKey(): SnapcompactError {
  return new SnapcompactError('usage', {
    expected: 'an API key of Anthropic',
    of: '--count-tokens',
    got: 'none',
    hint: 'set ANTHROPIC_API_KEY',
  });
}
