/**
 * What a subagent's lane repeats of the call that started it: its first prompt is an argument of the call, its last
 * words are the result. Both stand with the call and are left out of the lane.
 */
import type { Message } from '../history/history.js';
import { fieldsOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import type { SubagentLane } from './subagent-order.js';

interface CallTexts {
  prompt?: string;
  result?: string;
}

/** The lanes without what their calls say already; each text left out is tallied. Linear. */
export function withoutCopies<T extends SubagentLane>(
  main: readonly Message[],
  lanes: readonly T[],
  tally: Tally,
): T[] {
  if (lanes.length === 0) return [];
  const calls = callTexts(
    [main, ...lanes.map((lane) => lane.messages)],
    new Set(lanes.map((lane) => lane.callId)),
  );
  return lanes.map((lane) => {
    const { prompt, result } = calls.get(lane.callId ?? '') ?? {};
    let { messages } = lane;
    if (prompt !== undefined && isPrompt(messages[0], prompt)) {
      tally.skip('prompt of a subagent that its call holds');
      messages = messages.slice(1);
    }
    const last = messages.at(-1);
    const rest = result === undefined ? last : withoutAnswer(last, result);
    if (rest === last) return { ...lane, messages };
    tally.skip('answer of a subagent that its result holds');
    return { ...lane, messages: [...messages.slice(0, -1), ...(rest === undefined ? [] : [rest])] };
  });
}

function callTexts(
  lanes: readonly (readonly Message[])[],
  wanted: ReadonlySet<string | undefined>,
): Map<string, CallTexts> {
  const texts = new Map<string, CallTexts>();
  for (const { blocks } of lanes.flat()) {
    for (const block of blocks) {
      if (block.type !== 'call' && block.type !== 'result') continue;
      if (block.callId === undefined || !wanted.has(block.callId)) continue;
      const known = texts.get(block.callId) ?? {};
      texts.set(block.callId, known);
      if (block.type === 'call') known.prompt ??= textOf(fieldsOf(block.input)?.['prompt']) ?? '';
      else known.result ??= block.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    }
  }
  return texts;
}

function isPrompt(message: Message | undefined, prompt: string): boolean {
  const [block, ...others] = message?.blocks ?? [];
  return (
    message?.role === 'user' &&
    block?.type === 'text' &&
    others.length === 0 &&
    block.text.trim() === prompt.trim()
  );
}

/** The message without the texts at its end that `result` holds; undefined if nothing is left of it. */
function withoutAnswer(message: Message | undefined, result: string): Message | undefined {
  if (message?.role !== 'assistant') return message;
  let end = message.blocks.length;
  for (; end > 0; end--) {
    const block = message.blocks[end - 1];
    if (block?.type !== 'text' || !result.includes(block.text.trim())) break;
  }
  if (end === message.blocks.length) return message;
  return end === 0 ? undefined : { ...message, blocks: message.blocks.slice(0, end) };
}
