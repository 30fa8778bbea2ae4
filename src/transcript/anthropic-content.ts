/**
 * Content blocks in the shape of the Anthropic Messages API, which Claude Code, its stream-json output and
 * request logs share. Block types: Messages API reference as of autumn 2026.
 */
import type { Block, MediaBlock, ResultBlock, TextBlock } from '../history/history.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { encryptedMedia, inlineMedia, linkedMedia } from './media.js';

/** Results of server tools nest their content at most this deep; deeper is counted as unknown. */
const maxNesting = 4;

/**
 * Blocks of `message.content`, in order. Empty thinking (a signature without text) and blank text are dropped
 * and tallied; a string is one text block.
 */
export function anthropicBlocks(content: unknown, tally: Tally): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return textBlocks(content, tally);
  if (!Array.isArray(content)) {
    tally.unknown('content that is neither text nor blocks');
    return [];
  }
  return content.flatMap((block) => blocksOf(block, tally));
}

function blocksOf(value: unknown, tally: Tally): Block[] {
  if (typeof value === 'string') return textBlocks(value, tally);
  const block = fieldsOf(value);
  const type = textOf(block?.['type']);
  if (block === undefined || type === undefined) {
    tally.unknown('block without a type');
    return [];
  }
  switch (type) {
    case 'thinking':
      return reasoningBlocks(block['thinking'], tally);
    case 'redacted_thinking':
      return [encryptedMedia(block['data'])];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [callBlock(block)];
    case 'fallback':
      tally.skip('block/fallback');
      return [];
    default:
      if (type.endsWith('tool_result')) return [resultBlock(block, tally)];
      return plainBlocks(block, type, tally, 0);
  }
}

/** Blocks that may stand in a message and in a result alike. */
function plainBlocks(block: Fields, type: string, tally: Tally, depth: number): (TextBlock | MediaBlock)[] {
  switch (type) {
    case 'text':
      if (typeof block['text'] === 'string') return textBlocks(block['text'], tally);
      break;
    case 'image':
      return [sourceMedia('image', block['source'], undefined)];
    case 'document':
      return documentBlocks(block, tally, depth);
    case 'search_result':
      return [
        ...labelled(textOf(block['title']), 'search-result'),
        ...contentBlocks(block['content'], tally, depth + 1),
      ];
    case 'tool_reference':
      return labelled(textOf(block['tool_name']), 'tool-reference');
    case 'container_upload':
      return [linkedMedia('file', block['file_id'])];
    case 'compaction':
      return labelled(textOf(block['content']), 'compaction-summary');
  }
  tally.unknown(`block/${type}`);
  return [];
}

function textBlocks(text: string, tally: Tally): TextBlock[] {
  if (/\S/.test(text)) return [{ type: 'text', text }];
  tally.skip('blank text');
  return [];
}

function reasoningBlocks(text: unknown, tally: Tally): Block[] {
  if (typeof text === 'string' && /\S/.test(text)) return [{ type: 'reasoning', text }];
  tally.skip('empty thinking');
  return [];
}

function labelled(text: string | undefined, injected: string): TextBlock[] {
  return text === undefined ? [] : [{ type: 'text', text, injected }];
}

function callBlock(block: Fields): Block {
  const name = textOf(block['name']) ?? '';
  const server = textOf(block['server_name']);
  return defined<Block & { type: 'call' }>({
    type: 'call',
    callId: textOf(block['id']),
    // Claude Code spells tools of MCP servers this way; the API keeps the server in a field of its own.
    name: server === undefined ? name : `mcp__${server}__${name}`,
    input: block['input'] ?? {},
  });
}

function resultBlock(block: Fields, tally: Tally): ResultBlock {
  const inner = fieldsOf(block['content']);
  const failed = block['is_error'] === true || inner?.['error_code'] !== undefined;
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(block['tool_use_id']),
    content: contentBlocks(block['content'], tally, 0),
    failed: failed || undefined,
  });
}

/** Content of a result: text, blocks, or the object a server tool answers with. */
export function contentBlocks(content: unknown, tally: Tally, depth = 0): (TextBlock | MediaBlock)[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (depth > maxNesting) {
    tally.unknown('content nested too deep');
    return [];
  }
  if (Array.isArray(content)) return content.flatMap((item) => contentBlocks(item, tally, depth + 1));
  const block = fieldsOf(content);
  if (block === undefined) return [{ type: 'text', text: String(content) }];
  const type = textOf(block['type']) ?? 'untyped';
  return serverToolBlocks(block, tally, depth) ?? plainBlocks(block, type, tally, depth);
}

/** The objects that server tools answer with, told by their fields: they are many, and named alike. */
function serverToolBlocks(
  block: Fields,
  tally: Tally,
  depth: number,
): (TextBlock | MediaBlock)[] | undefined {
  if (typeof block['error_code'] === 'string')
    return [{ type: 'text', text: `error: ${block['error_code']}` }];
  if (block['type'] === 'web_search_result' || block['type'] === 'web_fetch_result') {
    const text = [textOf(block['title']), textOf(block['url'])]
      .filter((part) => part !== undefined)
      .join(' ');
    return [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...contentBlocks(block['content'], tally, depth + 1),
    ];
  }
  const streams = [textOf(block['stdout']), textOf(block['stderr'])].filter((part) => part !== undefined);
  const isExecution = 'stdout' in block || 'stderr' in block;
  if (isExecution || String(block['type']).endsWith('execution_view_result')) {
    return [
      ...streams.map((text): TextBlock => ({ type: 'text', text })),
      ...contentBlocks(block['content'], tally, depth + 1),
    ];
  }
  return undefined;
}

function sourceMedia(kind: MediaBlock['kind'], value: unknown, name: unknown): MediaBlock {
  const source = fieldsOf(value);
  if (typeof source?.['url'] === 'string') return linkedMedia(kind, source['url'], source['media_type']);
  if (typeof source?.['file_id'] === 'string') return linkedMedia(kind, source['file_id']);
  return inlineMedia(kind, source?.['data'], source?.['media_type'], name);
}

function documentBlocks(block: Fields, tally: Tally, depth: number): (TextBlock | MediaBlock)[] {
  const source = fieldsOf(block['source']);
  const title = block['title'];
  if (source?.['type'] === 'text') {
    return [...labelled(textOf(title), 'document'), ...labelled(textOf(source['data']), 'document')];
  }
  if (source?.['type'] === 'content') {
    return [
      ...labelled(textOf(title), 'document'),
      ...contentBlocks(listOf(source['content']), tally, depth + 1),
    ];
  }
  return [sourceMedia('document', source, title)];
}
