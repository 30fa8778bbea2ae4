/**
 * Context blocks → the content of one user message, as each API wants it.
 *
 * Frames go inline as base64 PNG. Every function keeps the order of the blocks and adds nothing of its own.
 */
import type { ContextBlock } from './context-blocks.js';

export interface AnthropicOptions {
  /**
   * Ask for the archive to be cached: marks its last block. Default false. A request may have four marks; the others
   * stay the caller's.
   */
  readonly cache?: boolean;
}

/** Content of an Anthropic Messages user turn. */
export function toAnthropic(blocks: readonly ContextBlock[], { cache = false }: AnthropicOptions = {}) {
  return blocks.map((block, index) => ({
    ...(block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : {
          type: 'image' as const,
          source: { type: 'base64' as const, media_type: block.mime, data: base64(block.data) },
        }),
    ...(cache && index === blocks.length - 1 && { cache_control: { type: 'ephemeral' as const } }),
  }));
}

export interface OpenAIOptions {
  /** Value of each image's `detail`; a reader states the one its bill is for. Default: none is sent. */
  readonly detail?: string;
}

/** Content of an OpenAI Chat Completions user message. */
export function toOpenAIChat(blocks: readonly ContextBlock[], { detail }: OpenAIOptions = {}) {
  return blocks.map((block) =>
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
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'input_text' as const, text: block.text }
      : { type: 'input_image' as const, image_url: dataUrl(block), ...(detail !== undefined && { detail }) },
  );
}

/** Parts of a Gemini user content. */
export function toGoogle(blocks: readonly ContextBlock[]) {
  return blocks.map((block) =>
    block.type === 'text'
      ? { text: block.text }
      : { inlineData: { mimeType: block.mime, data: base64(block.data) } },
  );
}

/** Content of a pi or Oh-My-Pi user message. */
export function toPi(blocks: readonly ContextBlock[]) {
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'image' as const, data: base64(block.data), mimeType: block.mime },
  );
}

/** Content of an AI SDK user message. */
export function toAISDK(blocks: readonly ContextBlock[]) {
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text' as const, text: block.text }
      : { type: 'image' as const, image: block.data, mediaType: block.mime },
  );
}

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

function dataUrl({ mime, data }: Extract<ContextBlock, { type: 'image' }>): string {
  return `data:${mime};base64,${base64(data)}`;
}
