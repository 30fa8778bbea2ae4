/** One item of the Responses API as messages. Item types: API reference as of autumn 2026. */
import type { Block, CallBlock, MediaBlock, ResultBlock, TextBlock } from '../history/history.js';
import { anthropicBlocks } from './anthropic-content.js';
import { type Draft, splitResults } from './draft.js';
import { type Fields, fieldsOf, listOf, textOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { encryptedMedia, inlineMedia, linkedMedia } from './media.js';
import { toolCall, toolResult } from './responses-tools.js';
import type { ResultContent } from './result-content.js';
import { roleOf } from './roles.js';

/** Items that only set the model up, or stand for one that lies elsewhere. */
const silentTypes: ReadonlySet<string> = new Set([
  'item_reference',
  'mcp_list_tools',
  'additional_tools',
  'ghost_snapshot',
]);

/** The messages of one item; what gives none is tallied. Their id is empty where the item has none. */
export function itemDrafts(item: Fields, tally: Tally): Draft[] {
  const type = textOf(item['type']) ?? 'message';
  if (type === 'message') return messageDrafts(item, tally);
  if (silentTypes.has(type)) {
    tally.skip(`item/${type}`);
    return [];
  }
  const id = textOf(item['id']) ?? '';
  if (type === 'reasoning') {
    const blocks = reasoningBlocks(item, tally);
    return blocks.length === 0 ? [] : [{ id, role: 'assistant', blocks }];
  }
  if (type === 'compaction' || type === 'compaction_summary') {
    const blocks: Block[] = [{ type: 'note', text: 'Compaction' }, encryptedMedia(item['encrypted_content'])];
    return [{ id, role: 'system', blocks }];
  }
  const blocks = [toolCall(item, type), toolResult(item, type, partBlocks)].filter(
    (block) => block !== undefined,
  ) as (CallBlock | ResultBlock)[];
  if (blocks.length === 0) tally.unknown(`item/${type}`);
  return splitResults({ id, role: 'assistant', blocks });
}

/** A message; `easy` ones have a role and no type. */
export function messageDrafts(item: Fields, tally: Tally): Draft[] {
  const stated = roleOf(item['role']);
  if (stated === undefined) tally.unknown(`role/${wordOf(item['role'])}`);
  // Nothing of a message is a result; a role of that name is another API's.
  const role = stated === undefined || stated === 'tool' ? 'user' : stated;
  const blocks = contentBlocks(item['content'], tally);
  const draft: Draft = {
    id: textOf(item['id']) ?? '',
    role,
    blocks: role === 'user' ? withLabels(blocks) : blocks,
  };
  const runs = splitResults(draft);
  if (runs.length === 0) return [draft];
  return runs.map((run) => liftLabel(run, item['role'] === 'developer' ? 'developer' : undefined));
}

function contentBlocks(content: unknown, tally: Tally): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return text(content);
  if (!Array.isArray(content)) {
    tally.unknown('content that is neither text nor parts');
    return [];
  }
  return content.flatMap((value): Block[] => {
    const part = fieldsOf(value);
    return (part && partBlocks(part)) ?? anthropicBlocks([value], tally);
  });
}

/** Parts that may stand in a message and in an output alike; undefined for every other. */
export function partBlocks(part: Fields): ResultContent | undefined {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
    case 'text':
      return typeof part['text'] === 'string' ? text(part['text']) : undefined;
    case 'refusal':
      return text(part['refusal']);
    case 'input_image':
    case 'computer_screenshot':
    case 'image_url':
      return [image(part)];
    case 'input_file':
      return [file(part)];
    case 'input_audio': {
      const audio = fieldsOf(part['input_audio']) ?? part;
      const format = textOf(audio['format']);
      return [inlineMedia('audio', audio['data'], format && `audio/${format}`)];
    }
  }
  return undefined;
}

function image(part: Fields): MediaBlock {
  const url = part['image_url'];
  return linkedMedia('image', fieldsOf(url)?.['url'] ?? url ?? part['file_id']);
}

function file(part: Fields): MediaBlock {
  if (typeof part['file_data'] === 'string')
    return inlineMedia('file', part['file_data'], undefined, part['filename']);
  return linkedMedia('file', part['filename'] ?? part['file_url'] ?? part['file_id']);
}

function text(value: unknown): TextBlock[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : [];
}

/** The reasoning itself if the model gives it away, else its summary, else a note that there is some. */
function reasoningBlocks(item: Fields, tally: Tally): Block[] {
  const texts = [joined(item['content']), joined(item['summary'])].filter((each) => /\S/.test(each));
  const [told, other] = texts;
  const sealed = textOf(item['encrypted_content']);
  if (other !== undefined && other.trim() !== told?.trim())
    tally.skip('second account of the same reasoning');
  if (told !== undefined) {
    if (sealed !== undefined) tally.skip('encrypted reasoning with a summary');
    return [{ type: 'reasoning', text: told }];
  }
  if (sealed !== undefined) return [encryptedMedia(sealed)];
  tally.skip('empty thinking');
  return [];
}

function joined(parts: unknown): string {
  if (typeof parts === 'string') return parts;
  const texts = listOf(parts).map((part) =>
    typeof part === 'string' ? part : wordOf(fieldsOf(part)?.['text']),
  );
  return texts.filter((each) => /\S/.test(each)).join('\n\n');
}
