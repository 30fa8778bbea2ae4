/** One Chat Completions message: OpenAI's own fields as of autumn 2026, and the reasoning fields of vendors. */
import type { Block, CallBlock, ResultBlock, Role, TextBlock } from '../history/history.js';
import { anthropicBlocks, plainBlocks } from './anthropic-content.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, fromJsonText, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { encryptedMedia, inlineMedia, linkedMedia } from './media.js';
import { type ResultContent, resultContent } from './result-content.js';
import { roleOf } from './roles.js';

/** The messages of one source message, at least one; their id is empty where it has none. */
export function openaiDrafts(message: Fields, tally: Tally): Draft[] {
  const stated = roleOf(message['role']);
  if (stated === undefined) tally.unknown(`role/${wordOf(message['role'])}`);
  const role = stated ?? 'user';
  const draft = defined<Draft>({
    id: textOf(message['id']) ?? '',
    role,
    blocks: messageBlocks(message, role, tally),
    injected: undefined,
    timeMs: timeMsOf(message['timestamp'] ?? message['created_at']),
  });
  // Some proxies put the result blocks of the Anthropic API into a user message.
  const runs = splitResults(draft);
  return runs.length === 0
    ? [draft]
    : runs.map((run) => (run.role === 'user' ? liftLabel(run, undefined) : run));
}

function messageBlocks(message: Fields, role: Role, tally: Tally): Block[] {
  const { content } = message;
  if (role === 'tool') return [resultBlock(message, tally)];
  if (role === 'user') return withLabels(contentBlocks(content, tally));
  return [
    ...reasoning(message, tally),
    ...contentBlocks(content, tally),
    ...extras(message),
    ...calls(message, tally),
  ];
}

/** A result pairs by id; the old `function` role has none and pairs with the call before it. */
function resultBlock(message: Fields, tally: Tally): ResultBlock {
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(message['tool_call_id']) ?? textOf(message['tool_use_id']),
    name: textOf(message['name']),
    content: resultContent(message['content'], (part) => partBlocks(part) ?? plainBlocks(part, tally)),
    failed: message['is_error'] === true || undefined,
  });
}

function contentBlocks(content: unknown, tally: Tally): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return text(content);
  if (Array.isArray(content)) return content.flatMap((value) => messagePart(value, tally));
  tally.unknown('content that is neither text nor parts');
  return [];
}

/** Proxies leave blocks of the Anthropic API as they are. */
function messagePart(value: unknown, tally: Tally): Block[] {
  const part = fieldsOf(value);
  return (part && partBlocks(part)) ?? anthropicBlocks([value], tally);
}

/** The parts of this API; undefined for every other. */
function partBlocks(part: Fields): ResultContent | undefined {
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return typeof part['text'] === 'string' ? text(part['text']) : undefined;
    case 'refusal':
      return text(part['refusal']);
    case 'image_url': {
      const image = part['image_url'];
      return [linkedMedia('image', fieldsOf(image)?.['url'] ?? image)];
    }
    case 'input_audio': {
      const audio = fieldsOf(part['input_audio']);
      const format = textOf(audio?.['format']);
      return [inlineMedia('audio', audio?.['data'], format && `audio/${format}`)];
    }
    case 'file': {
      const file = fieldsOf(part['file']);
      if (file === undefined) return undefined;
      if ('file_data' in file) return [inlineMedia('file', file['file_data'], undefined, file['filename'])];
      return [linkedMedia('file', file['filename'] ?? file['file_id'])];
    }
  }
  return undefined;
}

function text(value: unknown): TextBlock[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : [];
}

/** Vendors state the same reasoning under several names; the first that says something is read. */
function reasoning(message: Fields, tally: Tally): Block[] {
  const fields = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'].map(
    (key) => message[key],
  );
  const [told, ...others] = fields.map((field) => reasoningText(field, 0)).filter((part) => /\S/.test(part));
  for (const other of others)
    if (other.trim() !== told?.trim()) tally.skip('second account of the same reasoning');
  const sealed = fields
    .flatMap(listOf)
    .map((item) => fieldsOf(item)?.['data'])
    .filter((data) => typeof data === 'string')
    .map(encryptedMedia);
  return told === undefined ? sealed : [{ type: 'reasoning', text: told }, ...sealed];
}

/** A string, or parts of several makes that hold one. */
function reasoningText(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (depth > 3) return '';
  if (Array.isArray(value)) {
    const texts = value.map((item) => reasoningText(item, depth + 1));
    return texts.filter((part) => part !== '').join('\n');
  }
  const part = fieldsOf(value);
  const keys = ['text', 'thinking', 'summary', 'content'];
  const texts = keys.map((key) => reasoningText(part?.[key], depth + 1));
  return texts.find((each) => /\S/.test(each)) ?? '';
}

function extras(message: Fields): Block[] {
  const audio = fieldsOf(message['audio']);
  const refusal = text(message['refusal']);
  if (audio === undefined) return refusal;
  return [...refusal, inlineMedia('audio', audio['data'], undefined), ...text(audio['transcript'])];
}

function calls(message: Fields, tally: Tally): CallBlock[] {
  const old = fieldsOf(message['function_call']);
  const blocks = listOf(message['tool_calls']).flatMap((value): CallBlock[] => {
    const call = fieldsOf(value);
    const body = fieldsOf(call?.['function']) ?? fieldsOf(call?.['custom']);
    if (call !== undefined && body !== undefined) return [callBlock(call['id'], body)];
    tally.unknown(`tool call/${textOf(call?.['type']) ?? 'untyped'}`);
    return [];
  });
  return old === undefined ? blocks : [...blocks, callBlock(undefined, old)];
}

function callBlock(id: unknown, body: Fields): CallBlock {
  const input = 'input' in body ? body['input'] : fromJsonText(body['arguments']);
  return defined<CallBlock>({
    type: 'call',
    callId: textOf(id),
    name: textOf(body['name']) ?? '',
    input: input ?? {},
    intent: undefined,
  });
}
