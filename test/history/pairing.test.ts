import { describe, expect, it } from 'vitest';
import type { Block, CallBlock, Message, ResultBlock } from '../../src/history/history.js';
import { pairCalls } from '../../src/history/pairing.js';

let count = 0;
function message(...blocks: Block[]): Message {
  count += 1;
  return { id: `m${count}`, role: blocks[0]?.type === 'result' ? 'tool' : 'assistant', blocks };
}
function call(callId?: string, name = 'f'): CallBlock {
  return { type: 'call', name, input: {}, ...(callId !== undefined && { callId }) };
}
function result(text: string, callId?: string): ResultBlock {
  return { type: 'result', content: [{ type: 'text', text }], ...(callId !== undefined && { callId }) };
}

describe('pairing of calls and results', () => {
  it('pairs parallel calls whose results come in another order, and says where the result stands', () => {
    const [a, b] = [call('a'), call('b')];
    const [ra, rb] = [result('A', 'a'), result('B', 'b')];
    const [calls, second, first] = [message(a, b), message(rb), message(ra)];
    const pairing = pairCalls({ messages: [calls, second, first] });
    expect(pairing.resultOf.get(a)).toEqual({ result: ra, messageId: first.id });
    expect(pairing.resultOf.get(b)).toEqual({ result: rb, messageId: second.id });
    expect(pairing.callOf.get(rb)).toEqual({ call: b, messageId: calls.id });
    expect(pairing.orphanCalls.size + pairing.orphanResults.size).toBe(0);
  });

  it('pairs a result that was recorded before its call', () => {
    const [c, r] = [call('x'), result('X', 'x')];
    expect(pairCalls({ messages: [message(r), message(c)] }).resultOf.get(c)?.result).toBe(r);
  });

  it('pairs the first of two results for one id, before or after the call', () => {
    const [c, one, two, three] = [call('x'), result('1', 'x'), result('2', 'x'), result('3', 'x')];
    const after = pairCalls({ messages: [message(c), message(one), message(two), message(three)] });
    expect(after.resultOf.get(c)?.result).toBe(one);
    expect([...after.orphanResults]).toEqual([two, three]);
    const before = pairCalls({ messages: [message(one), message(two), message(c), message(three)] });
    expect(before.resultOf.get(c)?.result).toBe(one);
    expect([...before.orphanResults]).toEqual([two, three]);
  });

  it('keeps calls without a result and results without a call', () => {
    const [c, r] = [call('open'), result('?', 'nobody')];
    const pairing = pairCalls({ messages: [message(c), message(r)] });
    expect([...pairing.orphanCalls]).toEqual([c]);
    expect([...pairing.orphanResults]).toEqual([r]);
    expect(pairing.resultOf.size).toBe(0);
  });

  it('pairs by position where there is no id, and never with a call that has one', () => {
    const [a, b, withId] = [call(), call(), call('x')];
    const [ra, rb, rc] = [result('A'), result('B'), result('C')];
    const pairing = pairCalls({
      messages: [message(withId), message(a, b), message(ra), message(rb), message(rc)],
    });
    expect(pairing.resultOf.get(a)?.result).toBe(ra);
    expect(pairing.resultOf.get(b)?.result).toBe(rb);
    expect([...pairing.orphanCalls]).toEqual([withId]);
    expect([...pairing.orphanResults]).toEqual([rc]);
  });

  it('gives a result by position to the latest call, so that an interrupted one does not shift the rest', () => {
    const [cut, next] = [call(), call()];
    const r = result('R');
    const pairing = pairCalls({ messages: [message(cut), message(next), message(r)] });
    expect(pairing.resultOf.get(next)?.result).toBe(r);
    expect([...pairing.orphanCalls]).toEqual([cut]);
  });

  it('does not pair by position across agents', () => {
    const [main, sub] = [call(), call()];
    const r = result('R');
    const messages = [message(main), { ...message(sub), agent: 'a' }, message(r)];
    expect(pairCalls({ messages }).resultOf.get(main)?.result).toBe(r);
  });

  it('tells apart calls that use one id again', () => {
    const [one, two] = [call('x'), call('x')];
    const [first, second] = [result('1', 'x'), result('2', 'x')];
    const pairing = pairCalls({ messages: [message(one), message(first), message(two), message(second)] });
    expect(pairing.resultOf.get(one)?.result).toBe(first);
    expect(pairing.resultOf.get(two)?.result).toBe(second);
  });

  it('takes linear time', () => {
    const blocks = Array.from({ length: 100_000 }, () => call('same'));
    const results = Array.from({ length: 100_000 }, () => result('r', 'same'));
    const pairing = pairCalls({ messages: [message(...blocks), message(...results)] });
    expect(pairing.resultOf.size).toBe(100_000);
  }, 10_000);
});
