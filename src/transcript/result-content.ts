/**
 * What a tool returned. Tools answer with text, with blocks, and with objects of any shape; the objects that nobody
 * has described are kept as JSON text, as the model saw them.
 */
import type { MediaBlock, TextBlock } from '../history/history.js';
import { jsonText } from '../history/json-text.js';
import { type Fields, fieldsOf } from './fields.js';
import { isData, linkedMedia } from './media.js';

export type ResultContent = (TextBlock | MediaBlock)[];

/** Deeper is copied no further; its text is cut there anyway. */
const maxDepth = 200;

/** `blockOf` reads the blocks of a format: undefined for what is not one of them. */
export function resultContent(
  content: unknown,
  blockOf: (block: Fields) => ResultContent | undefined,
): ResultContent {
  if (content === undefined || content === null || content === '') return [];
  if (Array.isArray(content)) return content.flatMap((item) => itemContent(item, blockOf));
  return itemContent(content, blockOf);
}

function itemContent(item: unknown, blockOf: (block: Fields) => ResultContent | undefined): ResultContent {
  if (item === undefined || item === null || item === '') return [];
  if (typeof item !== 'object') return [{ type: 'text', text: String(item) }];
  const block = fieldsOf(item);
  return (block && blockOf(block)) ?? foreignContent(item);
}

/** A value as JSON text; encoded data inside it is swapped for media notes, which follow. */
export function foreignContent(value: unknown): ResultContent {
  const media: MediaBlock[] = [];
  const text = jsonText(withoutData(value, media, 0));
  return [{ type: 'text', text }, ...media];
}

function withoutData(value: unknown, media: MediaBlock[], depth: number): unknown {
  if (typeof value === 'string' && isData(value)) {
    media.push(linkedMedia('file', value));
    return '…';
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => withoutData(item, media, depth + 1));
  // `fromEntries` makes an ordinary key of `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, withoutData(field, media, depth + 1)]),
  );
}
