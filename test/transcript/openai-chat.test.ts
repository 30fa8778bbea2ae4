import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../src/transcript/openai-chat.js';
import { importValues, jsonl, read } from './support.js';

async function blocksOf(message: object): Promise<unknown> {
  const { history } = await importValues(openaiChat, [[message]]);
  return history.messages.flatMap((each) => each.blocks);
}

describe('chat messages without content', () => {
  it.each([
    { role: 'assistant' },
    { role: 'assistant', reasoning: 'r' },
    { role: 'assistant', audio: { id: 'a' } },
    { role: 'assistant', thinking_blocks: [{ type: 'thinking', thinking: 't' }] },
    { role: 'assistant', reasoning_details: [{ type: 'reasoning.text', text: 't' }] },
    { role: 'session_meta', tools: [] },
  ])('do not keep the list from being read: %j', async (odd) => {
    const list = [{ role: 'user', content: 'a' }, odd, { role: 'tool', tool_call_id: 'c', content: 'b' }];
    const { format, history } = await read(JSON.stringify(list));
    expect(format).toBe('openai-chat');
    expect(history.messages[0]?.blocks).toEqual([{ type: 'text', text: 'a' }]);
    expect(history.messages.at(-1)?.role).toBe('tool');
  });

  it('may stand beside items that are none, which are counted', async () => {
    const list = [
      null,
      { meta: 1 },
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'tool' },
    ];
    for (const options of [{}, { format: 'openai-chat' }]) {
      const { history, report } = await read(JSON.stringify(list), options);
      expect(history.messages.slice(0, 2).map((message) => message.role)).toEqual(['user', 'user']);
      expect(report.unknown).toEqual({ 'item that is no message': 2 });
    }
  });

  it('are not seen in lists of people and empty histories', async () => {
    const people = [
      { name: 'Ann', role: 'user' },
      { name: 'Bob', role: 'admin' },
    ];
    expect((await read(JSON.stringify(people))).format).toBe('text');
    expect((await read('{"history":[],"name":"x"}')).format).toBe('text');
  });
});

describe('the fields of vendors', () => {
  it.each([
    [{ reasoning_content: ' ', reasoning: 'b' }, [{ type: 'reasoning', text: 'b' }]],
    [{ reasoning: [{ text: 'a' }, { summary: 'b' }] }, [{ type: 'reasoning', text: 'a\nb' }]],
    [{ reasoning: { summary: [{ type: 'summary_text', text: 's' }] } }, [{ type: 'reasoning', text: 's' }]],
    [{ reasoning_details: [{ type: 'reasoning.text', text: 'd' }] }, [{ type: 'reasoning', text: 'd' }]],
    [
      {
        thinking_blocks: [
          { type: 'thinking', thinking: 't' },
          { type: 'redacted_thinking', data: 'eHg=' },
        ],
      },
      [
        { type: 'reasoning', text: 't' },
        { type: 'media', kind: 'encrypted', bytes: 2 },
      ],
    ],
  ])('are read as reasoning: %j', async (fields, blocks) => {
    expect(await blocksOf({ role: 'assistant', content: null, ...fields })).toEqual(blocks);
  });

  it('are counted where two of them differ', async () => {
    const same = { role: 'assistant', content: 'x', reasoning_content: 'a', reasoning: 'a ' };
    const other = { ...same, reasoning: 'b' };
    expect((await importValues(openaiChat, [[same]])).report.skipped).toEqual({});
    expect((await importValues(openaiChat, [[other]])).report.skipped).toEqual({
      'second account of the same reasoning': 1,
    });
  });

  it('hold blocks of the Anthropic API, and a prompt made of parts', async () => {
    const body = {
      system: [{ type: 'text', text: 'be brief' }],
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't', name: 'ls', input: {} }],
          tool_calls: [],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: 'a.ts' },
            { type: 'text', text: 'go' },
          ],
        },
      ],
    };
    const { history, report } = await importValues(openaiChat, [body]);
    expect(history.messages.map(({ role, blocks }) => [role, blocks[0]?.type])).toEqual([
      ['system', 'text'],
      ['assistant', 'call'],
      ['tool', 'result'],
      ['user', 'text'],
    ]);
    expect(report.unknown).toEqual({});
  });
});

describe('data in chat messages', () => {
  const base64 = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 91) % 256)).toString('base64');

  it('is told from text of any length', async () => {
    const long = `aB3${'A'.repeat(8 * 2 ** 20)}`;
    const part = (url: string) => ({ type: 'image_url', image_url: url });
    expect(await blocksOf({ role: 'user', content: [part(long), part(`${long}!`)] })).toMatchObject([
      { bytes: 6291458 },
      { name: `${long.slice(0, 2048)}` },
    ]);
  });

  it.each([
    [
      { type: 'image_url', image_url: { url: ' DATA:image/PNG;BASE64,eHg=' } },
      { kind: 'image', mime: 'image/PNG', bytes: 2 },
    ],
    [
      { type: 'image_url', image_url: base64 },
      { kind: 'image', bytes: 600 },
    ],
    [
      { type: 'file', file: { file_data: 'eHg=', filename: 'a.pdf' } },
      { kind: 'file', bytes: 2, name: 'a.pdf' },
    ],
    [
      { type: 'file', file: { file_data: 'data:application/pdf;base64,eHg=' } },
      { kind: 'file', mime: 'application/pdf', bytes: 2 },
    ],
    [
      { type: 'file', file: { file_id: 'file-1' } },
      { kind: 'file', name: 'file-1' },
    ],
  ])('never lands in a name', async (part, media) => {
    expect(await blocksOf({ role: 'user', content: [part] })).toEqual([{ type: 'media', ...media }]);
  });
});

describe('roles', () => {
  it('are folded into four', async () => {
    const names = ['developer', 'human', 'model', 'gpt', 'gemini', 'agent', 'function', 'toolResult'];
    const { history } = await read(jsonl(...names.map((role) => ({ role, content: 'x' }))), {
      format: 'openai-chat',
    });
    expect(history.messages.map((message) => message.role)).toEqual([
      ...['system', 'user', 'assistant', 'assistant', 'assistant', 'assistant', 'tool', 'tool'],
    ]);
  });
});
