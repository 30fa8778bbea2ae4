/** One turn of a ShareGPT conversation. What is no text stands in tags inside it. */
import type { Block, CallBlock, ResultBlock, Role } from '../history/history.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, fromJsonText, printedOf, textOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { resultContent } from './result-content.js';
import { roleOf } from './roles.js';
import { tagged } from './sharegpt-tags.js';

/** Names of speakers that other formats do not have. */
const speakers: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
  ['function_call', 'assistant'],
  ['function_response', 'tool'],
  ['observation', 'tool'],
]);

/** The messages of a turn, at least one. */
export function turnDrafts(turn: Fields, id: string, tally: Tally): Draft[] {
  const speaker = wordOf(turn['from'] ?? turn['role']);
  const stated = speakers.get(speaker) ?? roleOf(speaker);
  if (stated === undefined) tally.unknown(`role/${speaker}`);
  const role = stated ?? 'user';
  const value = turn['value'] ?? turn['content'];
  const text = value === undefined || value === null ? '' : printedOf(value);
  const blocks =
    speaker === 'function_call' && !text.includes('<tool_call>')
      ? [callOf(text)]
      : turnBlocks(role, text, tally);
  const runs = splitResults({ id, role, blocks });
  return runs.length === 0 ? [{ id, role, blocks }] : runs.map((run) => liftLabel(run, undefined));
}

function turnBlocks(role: Role, text: string, tally: Tally): Block[] {
  if (role === 'assistant') return answerBlocks(text, tally);
  if (role === 'tool') return results(text);
  const blocks: Block[] = /\S/.test(text) ? [{ type: 'text', text }] : [];
  return role === 'user' ? withLabels(blocks) : blocks;
}

function answerBlocks(text: string, tally: Tally): Block[] {
  return tagged(text, ['think', 'REASONING_SCRATCHPAD', 'tool_call']).flatMap((part): Block[] => {
    if (part.tag === 'tool_call') return [callOf(part.text)];
    if (/\S/.test(part.text))
      return [{ type: part.tag === undefined ? 'text' : 'reasoning', text: part.text.trim() }];
    if (part.tag !== undefined) tally.skip('empty thinking');
    return [];
  });
}

/** A call; what is inside the tags may be Python or broken, and is then kept as it stands. */
function callOf(text: string): CallBlock {
  const body = fieldsOf(fromJsonText(text));
  if (body === undefined) {
    const name = /["']name["']\s*:\s*["']([^"']{1,200})["']/.exec(text)?.[1] ?? '';
    return { type: 'call', name, input: text.trim() };
  }
  const input = body['arguments'] ?? body['parameters'] ?? {};
  return defined<CallBlock>({
    type: 'call',
    callId: textOf(body['id']) ?? textOf(body['tool_call_id']),
    name: textOf(body['name']) ?? '',
    input: fromJsonText(input),
    intent: undefined,
  });
}

function results(text: string): ResultBlock[] {
  return tagged(text, ['tool_response'])
    .filter((part) => part.tag !== undefined || /\S/.test(part.text))
    .map((part) => (part.tag === undefined ? plainResult(part.text) : resultOf(part.text)));
}

function resultOf(text: string): ResultBlock {
  const body = fieldsOf(fromJsonText(text));
  if (body === undefined || !('content' in body)) return plainResult(text);
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(body['tool_call_id']),
    name: textOf(body['name']),
    content: resultContent(body['content'], () => undefined),
  });
}

function plainResult(text: string): ResultBlock {
  const told = text.trim();
  return { type: 'result', content: told === '' ? [] : [{ type: 'text', text: told }] };
}

/** Only results name the id of a call: where no call has it, the two pair by position. */
export function pairable(drafts: readonly Draft[]): Draft[] {
  const ids = new Set(
    drafts.flatMap(({ blocks }) => blocks.map((block) => (block.type === 'call' ? block.callId : undefined))),
  );
  return drafts.map((draft) => ({
    ...draft,
    blocks: draft.blocks.map((block): Block => {
      if (block.type !== 'result' || ids.has(block.callId)) return block;
      const { callId, ...rest } = block;
      return rest;
    }),
  }));
}
