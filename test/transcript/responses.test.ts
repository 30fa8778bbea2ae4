import { describe, expect, it } from 'vitest';
import { pairCalls } from '../../src/history/pairing.js';
import { openaiResponses } from '../../src/transcript/responses.js';
import { importValues, jsonl, read } from './support.js';

describe('instructions', () => {
  it('are archived once, though every response states them again, and again if they change', async () => {
    const response = (instructions: unknown, text: string) => ({
      object: 'response',
      instructions,
      previous_response_id: 'r',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    });
    const log = [response('a', '1'), response('a', '2'), response(null, '3'), response('b', '4')];
    const { history } = await importValues(openaiResponses, log);
    expect(history.messages.map(({ role }) => role)).toEqual([
      ...['system', 'assistant', 'assistant', 'assistant', 'system', 'assistant'],
    ]);
  });

  it('may be messages', async () => {
    const instructions = [{ role: 'developer', content: [{ type: 'input_text', text: 'a' }] }];
    const { history } = await importValues(openaiResponses, [{ instructions, input: 'b' }]);
    expect(history.messages).toEqual([
      { id: 'instructions', role: 'system', blocks: [{ type: 'text', text: 'a' }], injected: 'developer' },
      { id: 'message:1', role: 'user', blocks: [{ type: 'text', text: 'b' }] },
    ]);
  });
});

describe('a record with input and output', () => {
  it('is a request and its response', async () => {
    const pair = {
      input: [{ role: 'user', content: 'a' }],
      previous_response_id: 'r',
      output: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }],
    };
    const { history } = await importValues(openaiResponses, [pair]);
    expect(history.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});

describe('calls', () => {
  it('pair with their results by id, in any order', async () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: id });
    const items = [output('c3'), call('c1'), call('c2'), call('c3'), call('c4'), output('c2'), output('c1')];
    const { history } = await importValues(openaiResponses, [items]);
    const { orphanCalls, orphanResults } = pairCalls(history);
    expect([...orphanCalls].map(({ callId }) => callId)).toEqual(['c4']);
    expect(orphanResults.size).toBe(0);
  });

  it('take only the wrapper of a shell for one', async () => {
    const outputs = ['{"output":"x"}', '{"output":{},"metadata":{}}', '{"output":"x","metadata":'];
    const items = outputs.map((output) => ({ type: 'function_call_output', call_id: 'c', output }));
    const { history } = await importValues(openaiResponses, [items]);
    expect(history.messages.flatMap(({ blocks }) => blocks)).toEqual(
      outputs.map((text) => ({ type: 'result', callId: 'c', content: [{ type: 'text', text }] })),
    );
  });
});

describe('detection', () => {
  it('does not take one item among other records for a log of items', async () => {
    const user = { type: 'user', sessionId: 's', message: { role: 'user', content: 'x' } };
    const { format } = await read(jsonl(user, { type: 'reasoning', summary: [] }, user));
    expect(format).toBe('claude-code');
  });
});
