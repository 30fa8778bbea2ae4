import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pairCalls } from '../../src/history/pairing.js';
import { sharegpt } from '../../src/transcript/sharegpt.js';
import { tagged } from '../../src/transcript/sharegpt-tags.js';
import { importValues, jsonl, read } from './support.js';

const turns = (...values: [from: string, value: string][]) => ({
  conversations: values.map(([from, value]) => ({ from, value })),
});

describe('a collection of conversations', () => {
  it('is refused, with the names of the first', async () => {
    const one = turns(['human', 'x']);
    await expect(read(jsonl({ ...one, id: 'a' }, one))).rejects.toMatchObject({
      code: 'broken-input',
      complaint: { got: '2 sessions: a, line 2' },
    });
  });

  it('is read if it holds one, packed in several members', async () => {
    const text = jsonl(turns(['human', 'x'], ['gpt', 'y']));
    const packed = Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]);
    expect(await read(packed)).toMatchObject({ format: 'sharegpt', history: { messages: [{}, {}] } });
  });
});

describe('calls in tags', () => {
  const call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
  const response = (id: string) =>
    `<tool_response>\n{"tool_call_id": "${id}", "content": "x"}\n</tool_response>`;

  it('pair with their responses by position, as only these have an id', async () => {
    const conversation = turns(['gpt', `${call}\n${call}`], ['tool', `${response('a')}\n${response('b')}`]);
    const { history } = await importValues(sharegpt, [conversation]);
    const { orphanCalls, orphanResults } = pairCalls(history);
    expect([orphanCalls.size, orphanResults.size]).toEqual([0, 0]);
  });

  it('are text within a line, and where they are not closed', () => {
    expect(tagged('say <a>x</a>', ['a'])).toEqual([{ text: 'say <a>x</a>' }]);
    expect(tagged('<a>x', ['a'])).toEqual([{ text: '<a>x' }]);
    expect(tagged('<a>x</a><b>y</b>z', ['a', 'b'])).toEqual([
      { tag: 'a', text: 'x' },
      { tag: 'b', text: 'y' },
      { text: 'z' },
    ]);
  });

  it('are found in linear time, closed or not', () => {
    const text = '<a>\n'.repeat(200_000);
    expect(tagged(text, ['a'])).toEqual([{ text }]);
  });
});
