import { describe, expect, it } from 'vitest';
import { jsonl, read } from './support.js';

const common = { session_id: 's', parent_tool_use_id: null };
const init = { type: 'system', subtype: 'init', session_id: 's' };
const ai = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  ...common,
});
const user = (content: string) => ({ type: 'user', message: { role: 'user', content }, ...common });
const result = (text: string, more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: 's',
  result: text,
  ...more,
});

async function texts(...records: object[]): Promise<string[]> {
  const { history } = await read(jsonl(init, ...records));
  return history.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'text' ? block.text : [])),
  );
}

describe('the result of a run', () => {
  it('is not printed again if any answer since the user spoke says it', async () => {
    expect(
      await texts(user('go'), ai('The answer.'), ai('And a farewell.'), result('The answer.\n')),
    ).toEqual(['go', 'The answer.', 'And a farewell.']);
    expect(await texts(ai('Done.'), user('again'), ai('Working.'), result('Done.'))).toEqual([
      'Done.',
      'again',
      'Working.',
      'Done.',
    ]);
  });

  it('counts structured output, which stands in the call that gave it', async () => {
    const { report } = await read(jsonl(init, ai('x'), result('x', { structured_output: { a: 1 } })));
    expect(report.skipped).toMatchObject({ structured_output: 1, 'result/success': 1 });
  });
});
