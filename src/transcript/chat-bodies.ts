/**
 * Where the messages of a chat API lie in what people keep: request bodies, responses, bare arrays, logged pairs,
 * and the files of research agents. Shared by the Anthropic and the OpenAI shape, which differ only inside.
 */
import { type Fields, fieldsOf, listOf } from './fields.js';
import type { Tally } from './importer.js';

/** The messages of one record, and the prompt a request states beside them. */
export interface ChatBody {
  readonly messages: readonly Fields[];
  /** Whether they follow what was said before; a request repeats it. */
  readonly isAnswer: boolean;
  /** Items of the list that are no messages: null, metadata. */
  readonly others: number;
  readonly system?: unknown;
  readonly model?: unknown;
}

/** Wrappers nest: a logged pair holds a request and a response. */
const maxDepth = 3;

/** The bodies of a record, in order; empty for a record that is none. A lone message is not a body. */
export function chatBodies(value: unknown, isAnswer = false, depth = 0): ChatBody[] {
  if (Array.isArray(value)) {
    const list = messageList(value);
    if (list !== undefined) return [{ ...list, isAnswer }];
    return depth < maxDepth ? value.flatMap((item) => chatBodies(item, isAnswer, depth + 1)) : [];
  }
  const record = fieldsOf(value);
  if (record === undefined || depth > maxDepth) return [];
  const { model, system } = record;
  const answers = [...choiceBodies(record), ...chatBodies(record['response'], true, depth + 1)];
  for (const key of ['messages', 'history', 'traj']) {
    const list = messageList(record[key]);
    // An empty history may be that of anything.
    const isOne = list !== undefined && (key === 'messages' || list.messages.length > 0);
    if (isOne) return [{ ...list, isAnswer, system, model }, ...answers];
  }
  if (record['type'] === 'message' && isMessage(record) && Array.isArray(record['content'])) {
    return [{ messages: [record], isAnswer: true, others: 0, model }];
  }
  return [...chatBodies(record['request'], isAnswer, depth + 1), ...answers];
}

/**
 * The bodies of a record of a source whose format is settled: there a single message on a line of its own counts
 * too. What is none is tallied.
 */
export function bodiesOf(value: unknown, tally: Tally): ChatBody[] {
  const bodies = chatBodies(value);
  const record = fieldsOf(value);
  if (bodies.length === 0 && record !== undefined && isMessage(record))
    return [{ messages: [record], isAnswer: true, others: 0 }];
  if (bodies.length === 0) tally.unknown('record without messages');
  for (const body of bodies) {
    for (let i = 0; i < body.others; i++) tally.unknown('item that is no message');
  }
  return bodies;
}

function choiceBodies(record: Fields): ChatBody[] {
  const choices = listOf(record['choices']).map((choice) => fieldsOf(fieldsOf(choice)?.['message']));
  const messages = choices.filter((message) => message !== undefined && isMessage(message)) as Fields[];
  if (messages.length === 0) return [];
  return [{ messages, isAnswer: true, others: choices.length - messages.length, model: record['model'] }];
}

/**
 * The messages of an array most of whose items are messages, one at least with something said in it: lists of
 * users and of files have roles too. An empty array is a conversation that has not begun.
 */
function messageList(value: unknown): Pick<ChatBody, 'messages' | 'others'> | undefined {
  if (!Array.isArray(value)) return undefined;
  const messages = value.map(fieldsOf).filter((item) => item !== undefined && isMessage(item)) as Fields[];
  const isList = messages.length * 2 > value.length && messages.some(isSpoken);
  return isList || value.length === 0 ? { messages, others: value.length - messages.length } : undefined;
}

function isMessage(record: Fields): boolean {
  return typeof record['role'] === 'string';
}

const spokenKeys = [
  ...['content', 'tool_calls', 'function_call', 'refusal', 'audio'],
  ...['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'],
];

function isSpoken(message: Fields): boolean {
  return spokenKeys.some((key) => key in message);
}
