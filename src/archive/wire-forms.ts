/**
 * Context blocks → the content of one user message, as each API wants it.
 *
 * Frames go inline as base64, or to Anthropic as files that `uploadFrames` left there. Every function keeps the order
 * of the blocks, adds nothing of its own, and leaves out text of white space only: Anthropic refuses it (400), and
 * it says nothing elsewhere.
 */
import { SnapcompactError } from '../errors.js';
import type { ContextBlock } from './context-blocks.js';

type ImageBlock = Extract<ContextBlock, { type: 'image' }>;

/** What the cache has to know of a block: whether every later pass leaves it as it is. */
interface Sealable {
  readonly sealed?: boolean;
}

/** Marks that one Anthropic request may have, in its tools, system prompt and messages together. */
const marksPerRequest = 4;

/** Blocks that the cache looks back from a mark for an earlier one. */
const lookBackBlocks = 20;

export interface CacheOptions {
  /**
   * Marks at most, 1 to 4, default 4. Anthropic refuses a request with more than four, so a caller that marks its
   * tools, its system prompt or its own turns takes those off. One goes to the last sealed block, the second to the
   * end.
   */
  readonly breakpoints?: number;
  /**
   * How long an unread entry lives: a write costs 1.25 times the input price for `5m`, twice for `1h`. Default: none is
   * sent, which the API takes for `5m`. In one request the marks with the longer life must come first.
   */
  readonly lifetime?: '5m' | '1h';
}

export interface AnthropicOptions {
  /**
   * Ask for the archive to be cached, so that a later request reads it for a tenth of the price or less. `true` is
   * `{}`; default false.
   */
  readonly cache?: boolean | CacheOptions;
  /**
   * File ids by a frame's digest, from `uploadFrames`. A frame that is not in it goes inline. Default: all go inline,
   * the only way that Amazon Bedrock and Google Cloud take.
   */
  readonly files?: ReadonlyMap<string, string>;
}

/**
 * Content of an Anthropic Messages user turn.
 *
 * With `files`, a frame is `{ type: 'file', file_id }`. Since August 2026 that needs no beta header (SDK 0.122.0 dropped
 * it); a gateway of an older API wants `anthropic-beta: files-api-2025-04-14`. Keep to one way of sending a frame: the
 * block is part of the prefix that the cache compares.
 *
 * With `cache`, marks stand, in this order of importance:
 * 1. on the last block with `sealed`: all before it is the same in the next pass, so that one hits there, while the
 *    factsheet and tail behind it change;
 * 2. on the last block, for the turns between two passes;
 * 3. every 20 blocks back from the end to the first mark, then every 20 back from there, as far as the marks last. A
 *    lookup finds an earlier request's mark only within 20 blocks of one of its own, so these keep hitting when a pass
 *    seals more than 20 frames at once. Marks themselves cost nothing; one behind less than the model's least prefix
 *    (512 to 4,096 tokens) is ignored.
 *
 * Source: look-back, number of marks, least prefix and prices are those of platform.claude.com, prompt caching (read
 * 2026-11); that images before a mark are read from the cache is what pxpipe saw in its sessions (2026).
 *
 * Throws `usage` for other `breakpoints` or another `lifetime`.
 */
export function toAnthropic(
  blocks: readonly ContextBlock[],
  { cache = false, files }: AnthropicOptions = {},
) {
  const sent = sendable(blocks);
  const { breakpoints, mark } = cachePlan(cache);
  const marked = cacheMarks(sent, breakpoints);
  return sent.map((block, index) => ({
    ...(block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'image' as const, source: anthropicSource(block, files) }),
    ...(marked.has(index) && { cache_control: mark }),
  }));
}

function anthropicSource(block: ImageBlock, files: ReadonlyMap<string, string> | undefined) {
  const fileId = files?.get(block.sha256);
  return fileId
    ? { type: 'file' as const, file_id: fileId }
    : { type: 'base64' as const, media_type: block.mime, data: base64(block.data) };
}

/** The options with their defaults; no marks at all for `false`. */
function cachePlan(cache: boolean | CacheOptions) {
  const { breakpoints = marksPerRequest, lifetime } = typeof cache === 'boolean' ? {} : cache;
  if (!Number.isInteger(breakpoints) || breakpoints < 1 || breakpoints > marksPerRequest) {
    throw new SnapcompactError('usage', {
      expected: `an integer from 1 to ${marksPerRequest}`,
      of: 'breakpoints',
      got: String(breakpoints),
    });
  }
  if (lifetime !== undefined && lifetime !== '5m' && lifetime !== '1h') {
    throw new SnapcompactError('usage', { expected: '5m or 1h', of: 'lifetime', got: String(lifetime) });
  }
  const mark = { type: 'ephemeral' as const, ...(lifetime !== undefined && { ttl: lifetime }) };
  return { breakpoints: cache === false ? 0 : breakpoints, mark };
}

/** Indices of the blocks to mark. */
function cacheMarks(blocks: readonly (ContextBlock & Sealable)[], breakpoints: number): ReadonlySet<number> {
  const end = blocks.length - 1;
  const sealed = blocks.findLastIndex((block) => block.sealed === true);
  const wanted = [sealed, end, ...stepsBack(end, sealed), ...stepsBack(sealed, -1)].filter((at) => at >= 0);
  return new Set([...new Set(wanted)].slice(0, breakpoints));
}

/** Every 20th index from `from` down to above `to`, `from` itself left out. */
function stepsBack(from: number, to: number): number[] {
  const count = Math.max(0, Math.ceil((from - to) / lookBackBlocks) - 1);
  return Array.from({ length: count }, (_, i) => from - (i + 1) * lookBackBlocks);
}

export interface OpenAIOptions {
  /**
   * Value of each image's `detail`; a reader states the one its bill is for. Default: none is sent, which the API takes
   * for `auto`. GitHub Copilot refuses `original` (400).
   */
  readonly detail?: string;
}

/** Content of an OpenAI Chat Completions user message. */
export function toOpenAIChat(blocks: readonly ContextBlock[], { detail }: OpenAIOptions = {}) {
  return sendable(blocks).map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : {
          type: 'image_url' as const,
          image_url: { url: dataUrl(block), ...(detail !== undefined && { detail }) },
        },
  );
}

/** Content of an OpenAI Responses user message. */
export function toOpenAIResponses(blocks: readonly ContextBlock[], { detail }: OpenAIOptions = {}) {
  return sendable(blocks).map((block) =>
    block.type === 'text'
      ? { type: 'input_text' as const, text: block.text }
      : { type: 'input_image' as const, image_url: dataUrl(block), ...(detail !== undefined && { detail }) },
  );
}

/** Parts of a Gemini user content. */
export function toGoogle(blocks: readonly ContextBlock[]) {
  return sendable(blocks).map((block) =>
    block.type === 'text'
      ? { text: block.text }
      : { inlineData: { mimeType: block.mime, data: base64(block.data) } },
  );
}

/** Content of a pi or Oh-My-Pi user message. */
export function toPi(blocks: readonly ContextBlock[]) {
  return sendable(blocks).map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'image' as const, data: base64(block.data), mimeType: block.mime },
  );
}

/** Content of an AI SDK user message. */
export function toAISDK(blocks: readonly ContextBlock[]) {
  return sendable(blocks).map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'image' as const, image: block.data, mediaType: block.mime },
  );
}

function sendable(blocks: readonly ContextBlock[]): ContextBlock[] {
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

function dataUrl({ mime, data }: ImageBlock): string {
  return `data:${mime};base64,${base64(data)}`;
}
