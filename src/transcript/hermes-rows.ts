/** One row of the table of messages of Hermes: a Chat Completions message with columns around it. */
import type { Block } from '../history/history.js';
import { wholeJsonText } from '../history/json-text.js';
import { type Draft, splitResults } from './draft.js';
import { type Fields, fieldsOf, fromJsonText, listOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { openaiDrafts } from './openai-message.js';
import { itemDrafts } from './responses-items.js';

/** Columns that hold JSON, as a value or as text. */
const jsonColumns = ['tool_calls', 'reasoning_details', 'codex_reasoning_items', 'codex_message_items'];

/** Hermes says so in front of what is left of a compacted history. */
const summary = /^\s*\[CONTEXT (COMPACTION|SUMMARY)/;

/** The value of a column that may be kept as JSON text; text that is none stays text. */
export function decoded(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? fromJsonText(value) : value;
}

/** The messages of a row; `place` names it if it has no id. */
export function rowDrafts(row: Fields, place: string, tally: Tally): Draft[] {
  if (row['role'] === 'session_meta') {
    tally.skip('session_meta');
    return [];
  }
  const message: Record<string, unknown> = { ...row };
  for (const key of jsonColumns) if (key in message) message[key] = decoded(message[key]);
  const number = row['id'];
  const id = typeof number === 'number' ? `message:${number}` : (textOf(number) ?? place);
  message['id'] = id;
  message['name'] ??= message['tool_name'];
  const drafts = openaiDrafts(message, tally);
  return row['role'] === 'assistant' ? withCodexItems(drafts, message, tally) : drafts.map(labelled);
}

function labelled(draft: Draft): Draft {
  const [first] = draft.blocks;
  const isSummary = draft.role === 'user' && first?.type === 'text' && summary.test(first.text.slice(0, 100));
  return isSummary ? { ...draft, injected: 'compaction-summary' } : draft;
}

/** Answers of the Responses API may stand in columns of their own, with nothing in the usual ones. */
function withCodexItems(drafts: readonly Draft[], message: Fields, tally: Tally): Draft[] {
  const blocks = drafts.flatMap((draft) => draft.blocks);
  const isThought = blocks.some((block) => block.type === 'reasoning');
  const isSaid = blocks.some((block) => block.type === 'text');
  const reasoning = codexReasoning(message['codex_reasoning_items'], tally);
  if (isThought && reasoning.length > 0) tally.skip('second account of the same reasoning');
  const said = isSaid
    ? []
    : listOf(message['codex_message_items']).flatMap((item) => codexBlocks(item, tally));
  const more = [...(isThought ? [] : reasoning), ...said];
  if (more.length === 0) return [...drafts];
  const [first] = drafts;
  return first === undefined ? [] : splitResults({ ...first, blocks: [...more, ...blocks] });
}

function codexReasoning(items: unknown, tally: Tally): Block[] {
  return listOf(items).flatMap((value): Block[] => {
    const item = fieldsOf(value);
    const text = textOf(item?.['text']);
    if (text !== undefined) return [{ type: 'reasoning', text }];
    return item === undefined ? [] : codexBlocks({ ...item, type: 'reasoning' }, tally);
  });
}

function codexBlocks(value: unknown, tally: Tally): Block[] {
  const item = fieldsOf(value);
  return item === undefined ? [] : itemDrafts(item, tally).flatMap((draft) => draft.blocks);
}

/**
 * The rows without those that a compaction in place wrote a second time: what it keeps, it archives and writes anew.
 * The first of the two is kept, which stands where it was said.
 */
export function withoutTwins(rows: readonly Fields[], tally: Tally): Fields[] {
  const archived = new Map<string, number>();
  for (const row of rows.filter(isArchived)) {
    const key = keyOf(row);
    archived.set(key, (archived.get(key) ?? 0) + 1);
  }
  if (archived.size === 0) return [...rows];
  return rows.filter((row) => {
    if (isArchived(row)) return true;
    const key = keyOf(row);
    const left = archived.get(key) ?? 0;
    if (left === 0) return true;
    archived.set(key, left - 1);
    tally.skip('message kept by a compaction');
    return false;
  });
}

function isArchived(row: Fields): boolean {
  return row['active'] === 0 || row['active'] === false;
}

function keyOf(row: Fields): string {
  return wholeJsonText([
    row['role'],
    row['content'],
    decoded(row['tool_calls']) ?? null,
    row['tool_call_id'] ?? null,
  ]);
}
