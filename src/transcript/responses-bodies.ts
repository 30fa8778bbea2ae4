/** Where the items of the Responses API lie in what people keep: requests, responses, events of a stream, lists. */
import { type Fields, fieldsOf, textOf } from './fields.js';

export interface ResponsesBody {
  readonly items: readonly Fields[];
  /** Whether they follow what was said before; a request without an earlier response repeats it. */
  readonly isAnswer: boolean;
  /** Members of the list that are no items. */
  readonly others: number;
  /** The body names itself: no other API has such a one. */
  readonly isOwn: boolean;
  /** A request of this API or of one with the same keys. */
  readonly isNamed: boolean;
  readonly instructions?: unknown;
  readonly model?: unknown;
  readonly conversation?: unknown;
  readonly createdAt?: unknown;
  /** Why a response is not whole. */
  readonly ended?: string;
}

/** Wrappers nest: a logged pair holds a request and a response, an event of a stream the whole response. */
const maxDepth = 3;

/** The bodies of a record, in order; empty for a record that is none. A lone item is one. */
export function responsesBodies(value: unknown, depth = 0): ResponsesBody[] {
  if (Array.isArray(value)) {
    if (value.length === 0 || itemsOf(value).length * 2 > value.length)
      return [{ ...listBody(value), isAnswer: false }];
    return depth < maxDepth ? value.flatMap((item) => responsesBodies(item, depth + 1)) : [];
  }
  const record = fieldsOf(value);
  if (record === undefined || depth > maxDepth) return [];
  if (isItem(record) && !('input' in record && 'model' in record))
    return [{ ...listBody([record]), isAnswer: true }];
  const own = [...requestBody(record), ...responseBody(record)];
  if (own.length > 0) return own;
  return ['request', 'response'].flatMap((key) => {
    const inner = fieldsOf(record[key]);
    return inner === undefined ? [] : responsesBodies(inner, depth + 1);
  });
}

function requestBody(record: Fields): ResponsesBody[] {
  const { input } = record;
  const text = textOf(input);
  const isNamed = 'model' in record || 'instructions' in record;
  const list = text === undefined ? input : [{ role: 'user', content: text }];
  // The input of an embedding is a text or a list of texts, too.
  const isInput = Array.isArray(list)
    ? itemsOf(list).length * 2 > list.length || (list.length === 0 && isNamed)
    : false;
  if (!isInput || (text !== undefined && !('instructions' in record))) return [];
  const isContinued = textOf(record['previous_response_id']) !== undefined;
  // A response that says what it was asked.
  const isEcho = Array.isArray(record['output']);
  return [{ ...listBody(list as unknown[]), ...settings(record), isAnswer: isContinued && !isEcho, isNamed }];
}

function responseBody(record: Fields): ResponsesBody[] {
  const { output } = record;
  const isOwn = record['object'] === 'response';
  if (!Array.isArray(output) || (!isOwn && itemsOf(output).length * 2 <= output.length)) return [];
  const ended = record['status'] === 'incomplete' || record['status'] === 'failed';
  return [
    {
      ...listBody(output),
      ...settings(record),
      isAnswer: true,
      isOwn,
      createdAt: record['created_at'],
      ...(ended && { ended: endOf(record) }),
    },
  ];
}

function settings(record: Fields): Partial<ResponsesBody> {
  const { model, instructions, conversation } = record;
  return { model, instructions, conversation };
}

function endOf(record: Fields): string {
  const reason = textOf(fieldsOf(record['incomplete_details'])?.['reason']);
  return reason ?? textOf(fieldsOf(record['error'])?.['message']) ?? 'no reason recorded';
}

function listBody(list: readonly unknown[]): Omit<ResponsesBody, 'isAnswer'> {
  const items = itemsOf(list);
  return { items, others: list.length - items.length, isOwn: false, isNamed: false };
}

function itemsOf(list: readonly unknown[]): Fields[] {
  return list.map(fieldsOf).filter((item) => item !== undefined && isItem(item)) as Fields[];
}

/** Events of a stream have a type as well, and hold an item or a response. */
function isItem(record: Fields): boolean {
  const type = textOf(record['type']);
  if (type === undefined) return typeof record['role'] === 'string' && 'content' in record;
  return !type.startsWith('response.') && !('response' in record) && !('payload' in record);
}
