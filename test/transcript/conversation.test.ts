import { describe, expect, it } from 'vitest';
import type { History } from '../../src/history/history.js';
import { jsonl, read } from './support.js';

interface Turn {
  readonly role: string;
  readonly content: unknown;
}

function user(content: unknown): Turn {
  return { role: 'user', content };
}
function ai(content: unknown, more: object = {}): Turn {
  return { role: 'assistant', content, ...more };
}

/** `user: a`, one line a block. */
function told(history: History): string[] {
  return history.messages.flatMap(({ role, blocks }) =>
    blocks.map((block) => `${role}: ${'text' in block ? block.text : block.type}`),
  );
}

describe('the log of a chat API', () => {
  it('holds every message once, however the requests of several conversations are mixed', async () => {
    const a = [user('a1'), ai('a2'), user('a3'), ai('a4'), user('a5')];
    const b = [user('b1'), ai('b2'), user('b3')];
    const bodies = [a.slice(0, 1), b.slice(0, 1), a.slice(0, 3), b, a].map((messages) => ({ messages }));
    const { history, report } = await read(jsonl(...bodies));
    expect(told(history)).toEqual([
      'user: a1',
      'system: Another conversation begins',
      'user: b1',
      'system: The conversation goes on after message:1',
      'assistant: a2',
      'user: a3',
      'system: The conversation goes on after message:1#2',
      'assistant: b2',
      'user: b3',
      'system: The conversation goes on after message:3',
      'assistant: a4',
      'user: a5',
    ]);
    expect(report.skipped).toEqual({ 'message repeated by a later request': 5 });
  });

  it('knows an answer again without its reasoning and with other blanks', async () => {
    const log = jsonl(
      {
        request: { messages: [user('a')] },
        response: { choices: [{ message: ai('b \n', { reasoning_content: 'hm' }) }] },
      },
      { messages: [user('a\n'), ai('b'), user('c')] },
    );
    expect(told((await read(log)).history)).toEqual([
      'user: a',
      'assistant: hm',
      'assistant: b \n',
      'user: c',
    ]);
    const anthropic = jsonl(
      { system: 's', messages: [user('a')] },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'x' },
          { type: 'redacted_thinking', data: 'eA==' },
          { type: 'text', text: 'b' },
        ],
      },
      { system: 's', messages: [user('a'), ai([{ type: 'text', text: 'b' }]), user('c')] },
    );
    expect(told((await read(anthropic)).history).slice(-2)).toEqual(['assistant: b', 'user: c']);
  });

  it('keeps an answer that is all reasoning, once', async () => {
    const answer = { choices: [{ message: { role: 'assistant', reasoning: 'only this' } }] };
    const { history } = await read(
      jsonl(
        { request: { messages: [user('a')] }, response: answer },
        { request: { messages: [user('a')] }, response: answer },
      ),
    );
    expect(told(history)).toEqual(['user: a', 'assistant: only this']);
  });

  it('goes on where only the system prompt changed, and counts the change', async () => {
    const system = (time: string): Turn => ({ role: 'system', content: `It is ${time}.` });
    const { history, report } = await read(
      jsonl(
        { messages: [system('10:00'), user('a')] },
        { messages: [system('10:01'), user('a'), ai('b'), user('c')] },
      ),
    );
    expect(told(history)).toEqual(['system: It is 10:00.', 'user: a', 'assistant: b', 'user: c']);
    expect(report.skipped).toEqual({
      'message repeated by a later request': 1,
      'system prompt changed by a later request': 1,
    });
  });

  it('reads an array of bodies as requests, each of which repeats the one before', async () => {
    const turns = [user('a'), ai('b'), user('c'), ai('d'), user('e')];
    const { history } = await read(
      JSON.stringify([1, 3, 5].map((end) => ({ messages: turns.slice(0, end) }))),
    );
    expect(told(history)).toEqual(['user: a', 'assistant: b', 'user: c', 'assistant: d', 'user: e']);
  });

  it('adds nothing for a shorter retry, and goes on from it where its answer differs', async () => {
    const turns = [user('a'), ai('b'), user('c')];
    const { history } = await read(
      jsonl({ messages: turns }, { messages: turns.slice(0, 1) }, { choices: [{ message: ai('other') }] }),
    );
    expect(told(history)).toEqual([
      'user: a',
      'assistant: b',
      'user: c',
      'system: The conversation goes on after message:1',
      'assistant: other',
    ]);
  });

  it('takes linear time in its bytes', async () => {
    const turns = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? user(`u${i}`) : ai(`a${i}`)));
    const log = Array.from({ length: 200 }, (_, i) => ({ messages: turns.slice(0, 2 * i + 1) }));
    const { history } = await read(jsonl(...log));
    expect(history.messages).toHaveLength(399);
  }, 20_000);
});
