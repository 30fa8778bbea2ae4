/**
 * Content blocks in the shape of the Anthropic Messages API, which Claude Code, its stream-json output and
 * request logs share. Block types: Messages API reference as of autumn 2026.
 */
import type { Block, MediaBlock, ResultBlock, TextBlock } from '../history/history.js';
import { defined, type Fields, fieldsOf, listOf, printedOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { encryptedMedia, inlineMedia, linkedMedia } from './media.js';
import { foreignContent, type ResultContent, resultContent } from './result-content.js';

/** Results of server tools nest their content at most this deep; deeper is kept as JSON text. */
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
  const blocks = block && (anthropicBlock(block, tally) ?? plainBlocks(block, tally));
  if (blocks !== undefined) return blocks;
  const type = textOf(block?.['type']);
  tally.unknown(type === undefined ? 'block without a type' : `block/${type}`);
  return [];
}

/** Calls, results and thinking; undefined for every other block. */
export function anthropicBlock(block: Fields, tally: Tally): Block[] | undefined {
  const type = textOf(block['type']);
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
  }
  return type?.endsWith('tool_result') === true ? [resultBlock(block, tally)] : undefined;
}

/** Blocks that may stand in a message and in a result alike; undefined for every other. */
export function plainBlocks(block: Fields, tally: Tally, depth = 0): ResultContent | undefined {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? textBlocks(block['text'], tally) : undefined;
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
    case 'code_execution_output':
      return [linkedMedia('file', block['file_id'])];
    case 'compaction':
      return labelled(textOf(block['content']), 'compaction-summary');
  }
  return undefined;
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

/** A result; one that names no call and holds nothing is another format's, and is tallied. */
export function resultBlock(block: Fields, tally: Tally): ResultBlock {
  const inner = fieldsOf(block['content']);
  const failed = block['is_error'] === true || inner?.['error_code'] !== undefined;
  const callId = textOf(block['tool_use_id']) ?? textOf(block['tool_call_id']);
  if (callId === undefined && !('content' in block)) tally.unknown('result without a call and content');
  return defined<ResultBlock>({
    type: 'result',
    callId,
    content: contentBlocks(block['content'], tally, 0),
    failed: failed || undefined,
  });
}

/** Content of a result: text, blocks, or the object a server tool answers with. */
function contentBlocks(content: unknown, tally: Tally, depth: number): ResultContent {
  if (depth > maxNesting && typeof content === 'object' && content !== null) return foreignContent(content);
  return resultContent(
    content,
    (block) => serverToolBlocks(block, tally, depth) ?? plainBlocks(block, tally, depth),
  );
}

/** The objects that server tools answer with; undefined for every other. */
function serverToolBlocks(block: Fields, tally: Tally, depth: number): ResultContent | undefined {
  const texts = serverTexts(block);
  return (
    texts && [
      ...texts
        .map(textOf)
        .flatMap((text): TextBlock[] => (text === undefined ? [] : [{ type: 'text', text }])),
      ...contentBlocks(block['tool_references'] ?? block['content'], tally, depth + 1),
    ]
  );
}

/** What such an object says outside its content. It is told by its fields: the types are many, and named alike. */
function serverTexts(block: Fields): unknown[] | undefined {
  const type = textOf(block['type']);
  if (type === undefined) return undefined;
  if (typeof block['error_code'] === 'string') return [`error: ${block['error_code']}`];
  if (type === 'web_search_result' || type === 'web_fetch_result')
    return [[block['title'], block['url']].filter((part) => typeof part === 'string').join(' ')];
  if ('stdout' in block || 'stderr' in block) return [block['stdout'], block['stderr']];
  if (Array.isArray(block['lines'])) return [block['lines'].map(printedOf).join('\n')];
  return type.endsWith('execution_view_result') || 'tool_references' in block ? [] : undefined;
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
