import { describe, expect, it } from 'vitest';
import { hermes } from '../../src/transcript/hermes.js';
import { importValues, jsonl, read } from './support.js';

const session = (id: string, parent?: string) => ({
  id,
  started_at: 1765000000.25,
  parent_session_id: parent ?? null,
  messages: [{ id: 1, session_id: id, role: 'user', content: id }],
});

describe('several sessions of Hermes', () => {
  it.each([
    ['strangers', [session('a'), session('b')]],
    ['two that go on from one', [session('a'), session('b', 'a'), session('c', 'a')]],
    ['a ring', [session('a', 'b'), session('b', 'a')]],
    ['a chain and a stranger', [session('a'), session('b', 'a'), session('c')]],
  ])('are refused and named: %s', async (_title, sessions) => {
    const names = sessions.map(({ id }) => id).join(', ');
    await expect(read(jsonl(...sessions))).rejects.toMatchObject({
      code: 'broken-input',
      complaint: { got: `${sessions.length} sessions: ${names}` },
    });
  });

  it('are one history if each goes on from the one before, whatever their order', async () => {
    const sessions = [session('c', 'b'), session('a', 'elsewhere'), session('b', 'a')];
    const { history, sessionId } = await read(jsonl(...sessions));
    expect(sessionId).toBe('a');
    expect(history.messages.map(({ id }) => id)).toEqual([
      ...['message:1', 'session:b', 'message:1#2', 'session:c', 'message:1#3'],
    ]);
  });
});

describe('columns of Hermes', () => {
  it('keep broken JSON text from stopping the import', async () => {
    const row = { role: 'assistant', content: 'x', tool_calls: '[{', codex_message_items: '{' };
    const { history } = await importValues(hermes, [{ id: 's', messages: [row] }]);
    expect(history.messages.map(({ blocks }) => blocks)).toEqual([[{ type: 'text', text: 'x' }]]);
  });
});
