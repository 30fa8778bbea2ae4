import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/history/history.js';
import { jsonl, read } from './support.js';

const header = (id: string, more: object = {}) => ({ type: 'session', version: 3, id, cwd: '/w', ...more });
const say = (id: string, parentId: string | null, content: unknown = id, role = 'user') => ({
  type: 'message',
  id,
  parentId,
  message: { role, content },
});
const ids = (messages: readonly Message[]) => messages.map((message) => message.id);

describe('pi sessions', () => {
  it('are read one after the other where they were joined end to end', async () => {
    const { history, sessionId, report } = await read(
      jsonl(
        header('one'),
        say('a', null),
        say('b', 'a'),
        header('one'),
        header('two'),
        say('a', null),
        say('c', 'a'),
      ),
    );
    expect(ids(history.messages)).toEqual(['a', 'b', 'session:two', 'c']);
    expect(sessionId).toBe('one');
    expect(report).toMatchObject({
      skipped: { 'repeated session header': 1, 'repeated record': 1 },
      warnings: [],
    });
  });

  it('end at the last entry that says something or hangs on one that does', async () => {
    const rename = { type: 'title_change', id: 't', parentId: null, title: 'New' };
    const { history, title } = await read(jsonl(header('s'), say('a', null), say('b', 'a'), rename));
    expect([ids(history.messages), title]).toEqual([['a', 'b'], 'New']);
    const moved = { type: 'label', id: 'l', parentId: 'a' };
    expect(
      ids((await read(jsonl(header('s'), say('a', null), say('b', 'a'), moved))).history.messages),
    ).toEqual(['a']);
  });

  it.each([
    ['Slot', [{ type: 'title', v: 1, title: 'Slot' }, header('s', { title: 'Header' })]],
    [
      'Change',
      [
        { type: 'title', title: 'Slot' },
        header('s'),
        { type: 'title_change', title: 'Change', timestamp: '2026-01-01T00:00:00Z' },
      ],
    ],
    [
      'Slot',
      [
        { type: 'title', title: 'Slot', updatedAt: '2026-01-02T00:00:00Z' },
        header('s'),
        { type: 'title_change', title: 'Change', timestamp: '2026-01-01T00:00:00Z' },
      ],
    ],
    ['Header', [header('s', { title: 'Header' })]],
  ])('are called by the newest title: %s', async (title, records) => {
    expect((await read(jsonl(...records, say('a', null)))).title).toBe(title);
  });

  it('show the archive of an abandoned branch with the branch', async () => {
    const compaction = {
      type: 'compaction',
      id: 'k',
      parentId: 'a',
      summary: 'sum',
      preserveData: { snapcompact: { frames: [], text: 'old text' } },
    };
    const { history } = await read(jsonl(header('s'), say('a', null), compaction, say('b', 'a')), {
      branches: true,
    });
    expect(history.messages.at(-1)).toMatchObject({
      id: 'k',
      branch: 'k',
      blocks: [{ type: 'note' }, { text: 'sum' }, { text: 'old text', injected: 'archive' }],
    });
  });

  it('keep what a tool returned in a shape of its own', async () => {
    const answer = say('r', null, { rows: [1] }, 'toolResult');
    const { history } = await read(
      jsonl(header('s'), answer, say('m', 'r', 'x', 'human'), say('g', 'm', 'y', 'gpt')),
    );
    expect(history.messages).toMatchObject([
      { role: 'tool', blocks: [{ type: 'result', content: [{ text: '{"rows":[1]}' }] }] },
      { role: 'user' },
      { role: 'assistant' },
    ]);
  });
});
