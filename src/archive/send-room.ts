/** What a request has room for, and what blocks take of it. */
import { base64Bytes } from '../billing/base64-bytes.js';
import {
  imageBytesLimit,
  imageLimit,
  patchCount,
  patchLimit,
  requestBytesLimit,
  sideLimitPx,
} from '../billing/check-request.js';
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { type RequestLimits, requestLimits } from '../billing/request-limits.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { SnapcompactError } from '../errors.js';
import type { Reader } from '../page/readers.js';
import type { Archive, ArchivedFrame } from './archive.js';
import { windowTokensLeft } from './budget.js';
import type { ContextBlock, ContextOptions } from './context-blocks.js';
import { imageBlockBytes, textBlockBytes } from './wire-bytes.js';

/** Numbers from 0 up, infinity included; what is `undefined` is not stated. */
export interface SendLimits {
  readonly maxImages?: number;
  /** Of the body: base64, text as JSON has it, and what stands around them. */
  readonly maxBytes?: number;
  readonly maxTokens?: number;
}

type Limits = Required<SendLimits>;

/** To see what all of an archive takes. */
export const NO_LIMITS: Limits = {
  maxImages: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxTokens: Number.POSITIVE_INFINITY,
};

/** What blocks take. */
export interface SendCost {
  readonly images: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly textTokens: number;
}

interface BlockCost {
  readonly bytes: number;
  readonly tokens: number;
}

export class SendRoom {
  readonly #reader: Reader;
  readonly #overrides: BillingOverrides | undefined;
  readonly #route: RequestLimits;
  readonly #maxSidePx: number;
  /** Whether the archive was made for the limits it is sent under. */
  readonly #isPlanned: boolean;
  readonly #limits: Limits;
  readonly #frames: ReadonlyMap<string, ArchivedFrame>;
  /** Texts by what they say, images as they are: the same ones are counted again and again. */
  readonly #counted = new Map<string | ContextBlock, BlockCost>();

  /** Throws `usage` for limits that are none. */
  constructor(archive: Archive, reader: Reader, { reader: target, limits = {}, overrides }: ContextOptions) {
    this.#route = requestLimits(reader.limits.route, overrides);
    this.#reader = reader;
    this.#overrides = overrides;
    this.#isPlanned = target === undefined;
    this.#limits = {
      ...(this.#isPlanned ? plannedLimits(archive) : this.#readerLimits()),
      ...statedLimits(limits),
    };
    this.#maxSidePx = sideLimitPx(this.#route, Math.min(this.#limits.maxImages, archive.frames.length));
    this.#frames = new Map(archive.frames.map((frame) => [frame.sha256, frame]));
  }

  /** Whether the route refuses this image whatever else is sent. */
  isTooLarge({ widthPx, heightPx, data }: ArchivedFrame): boolean {
    if (this.#isPlanned) return false;
    return (
      Math.max(widthPx, heightPx) > this.#maxSidePx ||
      patchCount({ widthPx, heightPx }) > patchLimit(this.#route) ||
      base64Bytes(data.length) > imageBytesLimit(this.#route)
    );
  }

  holds(blocks: readonly ContextBlock[]): boolean {
    const { images, bytes, tokens } = this.costOf(blocks);
    const { maxImages, maxBytes, maxTokens } = this.#limits;
    return images <= maxImages && bytes <= maxBytes && tokens <= maxTokens;
  }

  /** Throws `over-budget` where there is no room for blocks of text that must go. */
  demand(blocks: readonly ContextBlock[]): void {
    const { bytes, tokens } = this.costOf(blocks);
    const { maxBytes, maxTokens } = this.#limits;
    if (tokens > maxTokens) throw tooLong('tokens', tokens, maxTokens);
    if (bytes > maxBytes) throw tooLong('bytes', bytes, maxBytes);
  }

  costOf(blocks: readonly ContextBlock[]): SendCost {
    let [images, bytes, imageTokens, textTokens] = [0, 0, 0, 0];
    for (const block of blocks) {
      const cost = this.#costOf(block);
      bytes += cost.bytes;
      if (block.type === 'image') {
        images++;
        imageTokens += cost.tokens;
      } else textTokens += cost.tokens;
    }
    return { images, bytes, tokens: imageTokens + textTokens, textTokens };
  }

  #costOf(block: ContextBlock): BlockCost {
    const key = block.type === 'image' ? block : block.text;
    const cost = this.#counted.get(key) ?? this.#count(block);
    this.#counted.set(key, cost);
    return cost;
  }

  #count(block: ContextBlock): BlockCost {
    if (block.type === 'image') {
      const { budgetTokens } = estimateImageTokens(this.#reader.billing, this.#frames.get(block.sha256)!);
      return { bytes: imageBlockBytes(block.data.length), tokens: budgetTokens };
    }
    const tokens = estimateTextTokens(block.text, this.#reader.tokenizer, this.#overrides);
    return { bytes: textBlockBytes(block.text), tokens };
  }

  #readerLimits(): Limits {
    return {
      maxImages: imageLimit(this.#route),
      maxBytes: requestBytesLimit(this.#route),
      maxTokens: windowTokensLeft(this.#reader, this.#overrides),
    };
  }
}

function plannedLimits({ budget: { images, bytes, tokens } }: Archive): Limits {
  const orNone = (limit: number | null) => limit ?? Number.POSITIVE_INFINITY;
  return { maxImages: orNone(images), maxBytes: orNone(bytes), maxTokens: orNone(tokens) };
}

function statedLimits(limits: SendLimits): SendLimits {
  const names = ['maxImages', 'maxBytes', 'maxTokens'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const limit: unknown = limits[name];
      if (limit === undefined) return [];
      if (typeof limit === 'number' && limit >= 0) return [[name, limit]];
      throw new SnapcompactError('usage', {
        expected: 'a number from 0 up',
        of: `the limit ${name}`,
        got: String(limit),
      });
    }),
  );
}

function tooLong(what: 'tokens' | 'bytes', taken: number, limit: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${limit} ${what}`,
    of: 'guide, pins and the newest request',
    got: String(taken),
    hint: 'leave the archive more of the request (option limits), or pin less',
  });
}
