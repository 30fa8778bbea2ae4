/** The items of a Codex rollout: what the model saw and said. Kinds as of Codex 0.149. */
import type { Block } from '../history/history.js';
import {
  type CodexEntry,
  callEntry,
  entryOf,
  keyOf,
  keysOf,
  noteEntry,
  resultEntry,
  textsOf,
} from './codex-entries.js';
import { codexContent, codexOutput, codexText, codexUserText } from './codex-parts.js';
import { firstLine } from './draft.js';
import { type Fields, fieldsOf, fromJsonText, listOf, textOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel } from './injected-text.js';
import { encryptedMedia, inlineMedia } from './media.js';
import { roleOf } from './roles.js';

/** Items in which nothing is said. */
const silentItems: ReadonlySet<string> = new Set(['ghost_snapshot', 'additional_tools', 'other']);

/** What an item gives; an empty list is tallied. */
export function codexItem(item: Fields, tally: Tally): CodexEntry[] {
  const type = textOf(item['type']) ?? 'untyped';
  const callId = textOf(item['call_id']) ?? textOf(item['id']);
  switch (type) {
    case 'message':
      return messageEntries(item, tally);
    case 'agent_message':
      return [agentMessage(item, tally)];
    case 'reasoning':
      return reasoningEntries(item, tally);
    case 'function_call':
      return [callEntry(callId, nameOf(item), fromJsonText(item['arguments']) ?? {})];
    case 'custom_tool_call':
      return [callEntry(callId, nameOf(item), item['input'] ?? '')];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [resultEntry(textOf(item['call_id']), codexOutput(item['output']))];
    case 'local_shell_call':
      return [callEntry(callId, 'local_shell', item['action'])];
    case 'web_search_call':
      return [searchEntry(callId, item['action'])];
    case 'tool_search_call':
      return [callEntry(callId, 'tool_search', fromJsonText(item['arguments']) ?? {})];
    case 'tool_search_output':
      return [resultEntry(textOf(item['call_id']), { content: codexText(toolNames(item['tools'])) })];
    case 'image_generation_call':
      return imageEntries(callId, item);
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return [compactionItem(item)];
  }
  if (silentItems.has(type)) tally.skip(`response_item/${type}`);
  else tally.unknown(`response_item/${type}`);
  return [];
}

function messageEntries(item: Fields, tally: Tally): CodexEntry[] {
  const role = roleOf(item['role']);
  if (role === undefined || role === 'tool') {
    tally.unknown(`role/${wordOf(item['role'])}`);
    return [];
  }
  const blocks = codexContent(item['content'], tally);
  const keys = keysOf(role, textsOf(blocks));
  if (role !== 'user') {
    const injected = item['role'] === 'developer' ? 'developer' : undefined;
    return [entryOf({ role, blocks, ...(injected !== undefined && { injected }) }, keys)];
  }
  const isAbort = textsOf(blocks).some((text) => /^\s*<turn_aborted>/.test(text));
  return [entryOf(userSaid(blocks), isAbort ? [...keys, 'turn_aborted'] : keys)];
}

/** A user turn with what a program put into it labelled. */
export function userSaid(content: readonly Block[]): CodexEntry['said'] {
  const blocks = content.flatMap((block): Block[] =>
    block.type === 'text' ? codexUserText(block.text) : [block],
  );
  return liftLabel({ id: '', role: 'user', blocks }, undefined);
}

/** What one agent wrote to another: no user wrote it. */
export function agentMessage(item: Fields, tally: Tally): CodexEntry {
  const content = codexContent(item['content'], tally);
  const from = firstLine(textOf(item['author']) ?? 'another agent', 100);
  const to = firstLine(textOf(item['recipient']) ?? 'this one', 100);
  const blocks: Block[] =
    content.length === 0 ? [] : [{ type: 'note', text: `From ${from} to ${to}` }, ...content];
  return entryOf({ role: 'user', blocks, injected: 'agent-message' }, keysOf('agent', textsOf(content)));
}

/** Most reasoning is encrypted, with nothing to read beside it; saying so each time would be of no use. */
function reasoningEntries(item: Fields, tally: Tally): CodexEntry[] {
  const partText = (value: unknown): string =>
    typeof value === 'string' ? value : wordOf(fieldsOf(value)?.['text']);
  const texts = [...listOf(item['summary']), ...listOf(item['content'])].map(partText);
  const entry = reasoningEntry(texts);
  if (entry !== undefined) return [entry];
  tally.skip(textOf(item['encrypted_content']) === undefined ? 'empty reasoning' : 'encrypted reasoning');
  return [];
}

export function reasoningEntry(texts: readonly string[], mirror?: string): CodexEntry | undefined {
  const spoken = texts.filter((text) => /\S/.test(text));
  if (spoken.length === 0) return undefined;
  const blocks = spoken.map((text): Block => ({ type: 'reasoning', text }));
  return entryOf({ role: 'assistant', blocks }, keysOf('reasoning', spoken), mirror);
}

/** The name that the model knows the tool by: `mcp__files__` and `read` are one name. */
function nameOf(item: Fields): string {
  const name = wordOf(item['name']);
  const space = wordOf(item['namespace']);
  if (space === '' || name.startsWith(space)) return name;
  return /[._/]$/.test(space) ? space + name : `${space}.${name}`;
}

/** A search is mirrored under an id of its own in some versions; what it asked for is the same. */
export function searchEntry(callId: string | undefined, action: unknown, mirror?: string): CodexEntry {
  const entry = callEntry(callId, 'web_search', action, mirror);
  const query = wordOf(fieldsOf(action)?.['query']);
  return query === '' ? entry : { ...entry, keys: [...entry.keys, keyOf('search', query)] };
}

export function imageEntries(callId: string | undefined, item: Fields, mirror?: string): CodexEntry[] {
  const prompt = textOf(item['revised_prompt']);
  const call = callEntry(callId, 'image_generation', prompt === undefined ? {} : { prompt }, mirror);
  const data = textOf(item['result']);
  if (data === undefined) return [call];
  const content = [inlineMedia('image', data, undefined, item['saved_path'])];
  return [call, resultEntry(callId, { content }, mirror)];
}

function compactionItem(item: Fields): CodexEntry {
  const note: Block = { type: 'note', text: 'Conversation compacted' };
  const sealed = textOf(item['encrypted_content']);
  const blocks: Block[] = sealed === undefined ? [note] : [note, encryptedMedia(sealed)];
  return entryOf({ role: 'system', blocks }, ['compaction']);
}

/** The names of tools that a search found; what they take is a page of schema each. */
function toolNames(tools: unknown): string {
  const names = listOf(tools).flatMap((value) => {
    const group = fieldsOf(value);
    const inner = listOf(group?.['tools']).map((tool) => wordOf(fieldsOf(tool)?.['name']));
    return [wordOf(group?.['name']), ...inner];
  });
  return names.filter((name) => name !== '').join('\n');
}

/** The divider where the context was replaced, and the summary that took its place. */
export function compactedEntries(payload: Fields): CodexEntry[] {
  const divider = noteEntry('Conversation compacted', ['compaction']);
  const summary = codexText(payload['message']);
  if (summary.length === 0) return [divider];
  const said = { role: 'user' as const, blocks: summary, injected: 'compaction-summary' };
  // Some versions wrote the answer to "summarise this" as an item as well.
  return [divider, entryOf(said, keysOf('assistant', textsOf(summary)), 'compacted')];
}
