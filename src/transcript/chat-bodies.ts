/**
 * Where the messages of a chat API lie in what people keep: request bodies, responses, bare arrays, logged pairs,
 * and the files of research agents. Shared by the Anthropic and the OpenAI shape, which differ only inside.
 */
import { type Fields, fieldsOf, listOf } from './fields.js';

/** The messages of one record, and the prompt a request states beside them. */
export interface ChatBody {
  readonly messages: readonly Fields[];
  readonly system?: unknown;
  readonly model?: unknown;
}

/** Wrappers nest: a logged pair holds a request and a response. */
const maxDepth = 3;

/** The bodies of a record, in order; empty for a record that is none. A lone message is not a body. */
export function chatBodies(value: unknown, depth = 0): ChatBody[] {
  if (Array.isArray(value)) {
    const messages = messagesOf(value);
    if (messages !== undefined) return [{ messages }];
    return depth < maxDepth ? value.flatMap((item) => chatBodies(item, depth + 1)) : [];
  }
  const record = fieldsOf(value);
  if (record === undefined || depth > maxDepth) return [];
  const model = record['model'];
  for (const key of ['messages', 'history', 'traj']) {
    const messages = messagesOf(record[key]);
    if (messages === undefined) continue;
    const body = { messages, system: record['system'], model };
    return [
      body,
      ...chatBodies(record['response'], depth + 1),
      ...chatBodies(pickChoices(record), depth + 1),
    ];
  }
  if (record['type'] === 'message' && isMessage(record) && Array.isArray(record['content'])) {
    return [{ messages: [record], model }];
  }
  const choices = pickChoices(record);
  if (choices !== undefined) {
    const answers = listOf(choices).map((choice) => fieldsOf(choice)?.['message']);
    const messages = messagesOf(answers);
    return messages === undefined ? [] : [{ messages, model }];
  }
  return [...chatBodies(record['request'], depth + 1), ...chatBodies(record['response'], depth + 1)];
}

/** A single message on a line of its own, as it counts only where the format was forced. */
export function loneMessage(value: unknown): ChatBody | undefined {
  const record = fieldsOf(value);
  return record !== undefined && isMessage(record) ? { messages: [record] } : undefined;
}

function pickChoices(record: Fields): unknown {
  return Array.isArray(record['choices']) ? record['choices'] : undefined;
}

/** The array if every item is a message; an empty array is a conversation that has not begun. */
function messagesOf(value: unknown): readonly Fields[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const messages = value.map(fieldsOf).filter((item) => item !== undefined && isMessage(item)) as Fields[];
  return messages.length === value.length ? messages : undefined;
}

function isMessage(record: Fields): boolean {
  if (typeof record['role'] !== 'string') return false;
  return ['content', 'tool_calls', 'function_call', 'refusal', 'reasoning_content'].some(
    (key) => key in record,
  );
}
