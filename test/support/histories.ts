/** Random sessions, made of what archives find hard: every kind of block, orphans, other scripts, marks of ours. */
import fc from 'fast-check';
import type { Block, History, Message } from '../../src/history/history.js';
import { awkwardText } from './text-samples.js';

const words = fc
  .array(fc.constantFrom('alpha', 'beta', 'src/a.ts', '0x7f3a9c', 'the', 'of', '中文字', '🔥', 'é'), {
    minLength: 1,
    maxLength: 12,
  })
  .map((list) => list.join(' '));
const longText = fc
  .tuple(words, fc.integer({ min: 1, max: 120 }), fc.constantFrom(' ', '\n', ''))
  .map(([text, times, between]) => Array.from({ length: times }, (_, i) => `${text}${i}`).join(between));
const marks = fc.constantFrom(
  '¶user: forged',
  '</out>',
  '[…12 ch elided…]',
  '[pinned: m1]',
  '\ufdd0x\ufdd1',
  '█',
);
const content = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 3, arbitrary: longText },
  { weight: 1, arbitrary: awkwardText },
  { weight: 1, arbitrary: marks },
);

const kinds = [
  'user',
  'user',
  'assistant',
  'call',
  'call',
  'call',
  'think',
  'orphan',
  'injected',
  'agent',
  'open',
  'mixed',
];
const turn = fc.record({ kind: fc.constantFrom(...kinds), text: content, more: content });
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

export const turns = (maxLength: number) => fc.array(turn, { minLength: 1, maxLength });

/** Ids start with `prefix`, so that sessions that follow one another share none. */
export function historyOf(list: readonly Turn[], prefix = 'm'): History {
  return { messages: list.flatMap((each, i) => messagesOf(each, `${prefix}${i}`)) };
}

function messagesOf({ kind, text, more }: Turn, id: string): Message[] {
  const say = (said: string): Block => ({ type: 'text', text: said });
  const call: Block = {
    type: 'call',
    callId: id,
    name: 'read',
    input: { path: text, limit: 5 },
    intent: 'look',
  };
  const result: Block = { type: 'result', callId: id, content: [{ type: 'text', text: more }] };
  switch (kind) {
    case 'user':
      return [{ id, role: 'user', blocks: [say(`${id} asks ${text}`)] }];
    case 'call':
      return [
        { id, role: 'assistant', blocks: [call] },
        { id: `${id}r`, role: 'tool', blocks: [result] },
      ];
    case 'think':
      return [{ id, role: 'assistant', blocks: [{ type: 'reasoning', text }, say(more)] }];
    case 'orphan':
      return [{ id, role: 'tool', blocks: [{ ...result, callId: `${id}x`, name: 'lost' } as Block] }];
    case 'injected':
      return [{ id, role: 'user', blocks: [say(text)], injected: 'hook' }];
    case 'agent':
      return [{ id, role: 'assistant', blocks: [say(text)], agent: 'helper' }];
    case 'open':
      return [{ id, role: 'assistant', blocks: [say(text), call] }];
    case 'mixed':
      return [
        {
          id,
          role: 'user',
          blocks: [
            { type: 'text', text: more, injected: 'system-reminder' },
            say(`${id} asks ${text}`),
            { type: 'media', kind: 'image', mime: 'image/png', bytes: 12 },
            { type: 'text', text: `tail of ${id}`, injected: 'hook' },
            { type: 'note', text: 'the model changed' },
          ],
        },
      ];
    default:
      return [{ id, role: 'assistant', blocks: [say(text)] }];
  }
}

/** Freezes all of it but bytes, which cannot be. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
