/** One Chat Completions message: OpenAI's own fields as of autumn 2026, and the reasoning fields of vendors. */
import type { Block, CallBlock, MediaBlock, ResultBlock, Role, TextBlock } from '../history/history.js';
import { liftLabel, withLabel } from './claude-message.js';
import type { Draft } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf } from './fields.js';
import type { Tally } from './importer.js';
import { encryptedMedia, inlineMedia, linkedMedia } from './media.js';

const roles: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
] as const);

/** The id is empty where the message has none. */
export function openaiDraft(message: Fields, tally: Tally): Draft {
  const stated = String(message['role']);
  const role = roles.get(stated) ?? 'user';
  if (!roles.has(stated)) tally.unknown(`role/${stated}`);
  const content = contentBlocks(message['content'], tally);
  const blocks: Block[] =
    role === 'tool'
      ? [resultBlock(message, content)]
      : role === 'user'
        ? content.map(withLabel)
        : [...reasoning(message), ...content, ...extras(message), ...calls(message, tally)];
  const timeMs = timeMsOf(message['timestamp'] ?? message['created_at']);
  const id = textOf(message['id']) ?? '';
  const draft = defined<Draft>({ id, role, blocks, injected: undefined, timeMs });
  return role === 'user' ? liftLabel(draft, undefined) : draft;
}

/** A result pairs by id; the old `function` role has none and pairs with the call before it. */
function resultBlock(message: Fields, content: readonly (TextBlock | MediaBlock)[]): ResultBlock {
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(message['tool_call_id']),
    name: textOf(message['name']),
    content,
    failed: message['is_error'] === true || undefined,
  });
}

function contentBlocks(content: unknown, tally: Tally): (TextBlock | MediaBlock)[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.flatMap((part) => partBlocks(part, tally));
  tally.unknown('content that is neither text nor parts');
  return [];
}

function partBlocks(value: unknown, tally: Tally): (TextBlock | MediaBlock)[] {
  if (typeof value === 'string') return text(value);
  const part = fieldsOf(value);
  const type = textOf(part?.['type']) ?? 'untyped';
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return text(part?.['text']);
    case 'refusal':
      return text(part?.['refusal']);
    case 'image_url': {
      const image = part?.['image_url'];
      return [linkedMedia('image', fieldsOf(image)?.['url'] ?? image)];
    }
    case 'input_audio': {
      const audio = fieldsOf(part?.['input_audio']);
      const format = textOf(audio?.['format']);
      return [inlineMedia('audio', audio?.['data'], format && `audio/${format}`)];
    }
    case 'file': {
      const file = fieldsOf(part?.['file']);
      const data = linkedMedia('file', file?.['file_data'] ?? file?.['file_id']);
      const name = textOf(file?.['filename']);
      return [name === undefined ? data : { ...data, name }];
    }
  }
  tally.unknown(`block/${type}`);
  return [];
}

function text(value: unknown): TextBlock[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : [];
}

/** Vendors state the same reasoning under several names; it is read once. */
function reasoning(message: Fields): Block[] {
  const plain = textOf(message['reasoning_content']) ?? textOf(message['reasoning']);
  const thinking = listOf(message['thinking_blocks']).map((block) => textOf(fieldsOf(block)?.['thinking']));
  const details = listOf(message['reasoning_details']).map(fieldsOf);
  const told = details.map((detail) => textOf(detail?.['text']) ?? textOf(detail?.['summary']));
  const blocks: Block[] = details
    .filter((detail) => typeof detail?.['data'] === 'string')
    .map((detail) => encryptedMedia(detail?.['data']));
  const texts = [[plain], thinking, told].map((list) => list.filter((item) => item !== undefined));
  const joined = texts.find((list) => list.length > 0)?.join('\n');
  return joined === undefined || !/\S/.test(joined)
    ? blocks
    : [{ type: 'reasoning', text: joined }, ...blocks];
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
  const input = 'input' in body ? body['input'] : parsedArguments(body['arguments']);
  return defined<CallBlock>({
    type: 'call',
    callId: textOf(id),
    name: textOf(body['name']) ?? '',
    input: input ?? {},
    intent: undefined,
  });
}

/** Models write arguments as JSON text, and not always valid; then the text itself is what they said. */
function parsedArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
