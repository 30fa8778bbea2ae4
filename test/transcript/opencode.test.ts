import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCode } from '../../src/transcript/opencode.js';
import { importValues, jsonl, read } from './support.js';

function user(id: string, text: string, sessionID = 'ses_1') {
  return { info: { id, sessionID, role: 'user' }, parts: [{ id: `prt_${id}`, type: 'text', text }] };
}

function session(messages: readonly object[], info: object = {}) {
  return { info: { id: 'ses_1', directory: '/w', ...info }, messages };
}

function texts(history: { readonly messages: readonly { readonly blocks: readonly object[] }[] }): unknown[] {
  return history.messages.flatMap(({ blocks }) => blocks.map((block) => (block as { text?: string }).text));
}

describe('an OpenCode export', () => {
  it('is read behind the line that the command writes to stderr', async () => {
    const data = `Exporting session: ses_1\n${JSON.stringify(session([user('m', 'x')]), null, 2)}\n`;
    const { format, history, report } = await read(data, { strict: true });
    expect([format, texts(history)]).toEqual(['opencode', ['x']]);
    expect(report.skipped).toEqual({ 'line of other text': 1 });
  });

  it('is read once where it stands twice', async () => {
    const { history, report } = await read(jsonl(session([user('m', 'x')]), session([user('m', 'x')])));
    expect(texts(history)).toEqual(['x']);
    expect(report.skipped).toEqual({ 'repeated message': 1 });
  });

  it('keeps both messages of one id if they say different things', async () => {
    const { history } = await read(JSON.stringify(session([user('m', 'x'), user('m', 'y')])));
    expect(history.messages.map(({ id }) => id)).toEqual(['m', 'm#2']);
  });

  it('says that it was taken back to a message that is not in it', async () => {
    const { history, report } = await importValues(openCode, [
      session([user('m', 'x')], { revert: { messageID: 'gone' } }),
    ]);
    expect(texts(history)).toEqual(['x']);
    expect(report.warnings).toEqual(['the session was taken back to gone, which is not in it']);
  });

  it('prints every compaction once, and an empty one not at all', async () => {
    const compact = (n: number, text: string) => [
      { info: { id: `u${n}`, role: 'user' }, parts: [{ type: 'compaction', auto: false }] },
      { info: { id: `a${n}`, role: 'assistant', summary: true }, parts: [{ type: 'text', text }] },
    ];
    const { history, report } = await importValues(openCode, [
      session([...compact(1, 'one'), ...compact(2, ''), ...compact(3, 'three')]),
    ]);
    expect(texts(history)).toEqual(['Compaction', 'one', 'Compaction', 'Compaction', 'three']);
    expect(history.messages.filter(({ injected }) => injected === 'compaction-summary')).toHaveLength(2);
    expect(report.skipped).toEqual({ 'blank text': 1, 'empty message': 1 });
  });

  it('places a child session last where no call names it', async () => {
    const child = { info: { id: 'ses_2', parentID: 'ses_1' }, messages: [user('c', 'child', 'ses_2')] };
    const { history } = await importValues(openCode, [session([user('m', 'x'), user('n', 'y')]), child]);
    expect(history.messages.map(({ agent }) => agent)).toEqual([undefined, undefined, 'ses_2']);
  });

  it('ends where sessions are the parents of each other', async () => {
    const ring = [
      session([user('m', 'x')], { parentID: 'ses_2' }),
      { info: { id: 'ses_2', parentID: 'ses_1' }, messages: [user('c', 'child', 'ses_2')] },
    ];
    const { history } = await importValues(openCode, ring);
    expect(history.messages.map(({ agent }) => agent)).toEqual([undefined, 'ses_2']);
  });

  it('counts a part, a state and a role that nobody has described, and never throws', async () => {
    const parts = [null, 'x', { type: 'dream' }, { type: 'text', text: 3 }, { type: 'tool', state: 'x' }];
    const { history, report } = await importValues(openCode, [
      session([
        { info: { role: 'assistant' }, parts },
        { info: { role: 'tool' }, parts },
      ]),
    ]);
    expect(history.messages).toMatchObject([
      { id: 'ses_1:message:1', blocks: [{ type: 'call', name: '', input: {} }] },
    ]);
    expect(report.unknown).toEqual({
      'part without a type': 2,
      'part/dream': 1,
      'text that is no string': 1,
      'tool state/none': 1,
      'role/tool': 1,
    });
  });

  const word = fc.constantFrom(
    ...['text', 'tool', 'file', 'reasoning', 'compaction', 'subtask', 'completed', 'error', 'assistant'],
    ...['ses_1', 'ses_2', 'm1', 'm2', ''],
  );
  const field = fc.constantFrom(
    ...[
      'id',
      'type',
      'text',
      'state',
      'status',
      'input',
      'output',
      'error',
      'url',
      'mime',
      'prompt',
      'summary',
    ],
    ...['system', 'sessionID', 'parentID', 'messageID', 'revert', 'attachments', 'metadata', 'sessionId'],
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      word,
      fc.constantFrom<unknown>(true, null, 1),
      fc.dictionary(field, tie('value'), { maxKeys: 5 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  const message = fc.record({
    info: fc
      .tuple(fc.constantFrom('user', 'assistant'), fc.dictionary(field, value, { maxKeys: 4 }))
      .map(([role, info]) => ({ ...info, role })),
    parts: fc.array(fc.dictionary(field, value, { maxKeys: 6 }), { maxLength: 4 }),
  });

  it('holds the contract of importers for any fields inside its envelope', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message),
        fc.dictionary(field, value),
        fc.boolean(),
        async (list, info, all) => {
          const values = [{ info, messages: list }, ...list];
          const { history } = await importValues(openCode, values, { branches: all, subagents: all });
          const ids = history.messages.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(JSON.parse(JSON.stringify(history))).toEqual(history);
          for (const { role, blocks } of history.messages) {
            expect(blocks.length).toBeGreaterThan(0);
            if (role === 'tool') expect(blocks.every(({ type }) => type === 'result')).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
