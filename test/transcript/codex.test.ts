import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/history/history.js';
import { pairCalls } from '../../src/history/pairing.js';
import { codex } from '../../src/transcript/codex.js';
import { importValues, jsonl, read } from './support.js';

const at = '2026-05-05T10:00:00.000Z';
const record = (type: string, payload: object) => ({ timestamp: at, type, payload });
const meta = record('session_meta', { id: 's', timestamp: at, cwd: '/w', source: 'cli' });
const item = (payload: object) => record('response_item', payload);
const event = (type: string, payload: object = {}) => record('event_msg', { type, ...payload });
const user = (...texts: string[]) =>
  item({ type: 'message', role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) });
const answer = (text: string) =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const call = (id: string, args: unknown) =>
  item({ type: 'function_call', name: 'shell', arguments: args, call_id: id });
const output = (id: string, value: unknown) =>
  item({ type: 'function_call_output', call_id: id, output: value });

const blocksOf = (messages: readonly Message[]) => messages.flatMap((message) => message.blocks);
const textsOf = (messages: readonly Message[]) =>
  blocksOf(messages).map((block) => ('text' in block ? block.text : block.type));
const firstBlock = async (...records: unknown[]) =>
  (await importValues(codex, records)).history.messages[0]?.blocks[0];

describe('events of a Codex rollout', () => {
  it.each([
    ['before its item', [event('agent_message', { message: 'hi' }), answer('hi')], ['hi']],
    ['behind its item', [answer('hi'), event('agent_message', { message: 'hi' })], ['hi']],
    ['with other blanks around it', [answer('hi\n'), event('agent_message', { message: ' hi' })], ['hi\n']],
    [
      'of one part of its item',
      [user('<environment_context/>', 'hi'), event('user_message', { message: 'hi' })],
      2,
    ],
    ['that no item says', [answer('a'), event('agent_message', { message: 'b' })], ['a', 'b']],
    [
      'that says it more often',
      [answer('a'), ...Array.from({ length: 3 }, () => event('agent_message', { message: 'a' }))],
      ['a', 'a', 'a'],
    ],
    [
      'that another kind of event repeats',
      [event('agent_message', { message: 'a' }), event('task_complete', { last_agent_message: 'a' })],
      ['a'],
    ],
    ['of another role', [answer('a'), event('user_message', { message: 'a' })], ['a', 'a']],
  ])('are read once: one %s', async (_title, records, expected) => {
    const { history, report } = await importValues(codex, [meta, ...records]);
    if (typeof expected === 'number') expect(blocksOf(history.messages)).toHaveLength(expected);
    else expect(textsOf(history.messages)).toEqual(expected);
    const shown = history.messages.length;
    const left = Object.entries(report.skipped).filter(([kind]) => kind.includes('repeats'));
    expect(shown + left.reduce((sum, [, times]) => sum + times, 0)).toBe(records.length);
  });

  it('give the result that no item holds, behind the call that one does', async () => {
    const end = event('exec_command_end', {
      call_id: 'c',
      command: ['ls'],
      aggregated_output: 'a.txt',
      exit_code: 0,
    });
    const { history } = await importValues(codex, [meta, call('c', '{}'), end]);
    expect(blocksOf(history.messages)).toMatchObject([
      { type: 'call', name: 'shell' },
      { type: 'result', content: [{ text: 'a.txt' }] },
    ]);
    expect(pairCalls(history).orphanResults.size).toBe(0);
  });

  it('are left unparsed where they are figures, and nothing else is', async () => {
    const count = event('token_count', { info: { total: { input_tokens: 1 } } });
    const state = { ...record('world_state', { full: true, list: [{ a: 1 }, { b: 2 }] }), ordinal: 3 };
    const quoted = event('user_message', { message: '"type":"event_msg","payload":{"type":"token_count"' });
    const line = (value: unknown) => codex.passOver?.(Buffer.from(JSON.stringify(value)));
    expect(line(count)).toBe('event_msg/token_count');
    expect(line({ timestamp: at, ordinal: 3, type: 'world_state', payload: {} })).toBe('world_state');
    expect(line(state)).toBe('world_state');
    for (const each of [quoted, answer('x'), meta, event('token_counts')]) expect(line(each)).toBeUndefined();
    expect(
      codex.passOver?.(Buffer.from(JSON.stringify(count) + JSON.stringify(answer('x')))),
    ).toBeUndefined();
    expect(codex.passOver?.(Buffer.from(JSON.stringify(count).slice(0, -5)))).toBeUndefined();
    const filler = Array.from({ length: 60 }, (_, i) => answer(`${i}`));
    const { report } = await read(jsonl(meta, count, ...filler, count, quoted));
    expect(report.skipped).toEqual({ session_meta: 1, 'event_msg/token_count': 2 });
    expect(report.records).toBe(64);
  });
});

describe('tools of a Codex rollout', () => {
  it.each([
    ['an object as JSON', '{"a":[1]}', { a: [1] }],
    ['JSON that is cut', '{"a":', '{"a":'],
    ['words', 'ls -la', 'ls -la'],
    ['null', null, {}],
    ['an object', { a: 1 }, { a: 1 }],
  ])('take arguments that are %s', async (_title, args, input) => {
    expect(await firstBlock(call('c', args))).toEqual({ type: 'call', callId: 'c', name: 'shell', input });
  });

  const image = { type: 'media', kind: 'image', mime: 'image/png', bytes: 3 };
  it.each([
    ['text', 'x\u0000\r\n\ud83d', [{ type: 'text', text: 'x\u0000\r\n\ud83d' }], undefined],
    ['nothing', '', [], undefined],
    ['a wrapped failure', '{"output":"x","metadata":{"exit_code":2}}', ['x', 'Exit code 2'], true],
    ['JSON of its own', '{"output":"x","more":1}', ['{"output":"x","more":1}'], undefined],
    ['an exit line', 'Wall time: 1 s\nProcess exited with code 3\nOutput:\nx', 1, true],
    ['words about an exit', 'see\nProcess exited with code 3', 1, undefined],
    [
      'parts',
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      ],
      ['a', image],
      undefined,
    ],
    [
      'parts in a string',
      '[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"}]',
      ['a', image],
      undefined,
    ],
    ['an object of the first versions', { content: 'a', success: false }, ['a'], true],
    ['an object of any shape', { rows: [1] }, ['{"rows":[1]}'], undefined],
  ])('answer with %s', async (_title, value, content, failed) => {
    const block = await firstBlock(output('c', value));
    if (block?.type !== 'result') throw new Error('no result');
    if (typeof content === 'number') expect(block.content).toHaveLength(content);
    else
      expect(block.content).toEqual(
        content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
      );
    expect(block.failed).toBe(failed);
  });

  it('keep a megabyte of output on one line', async () => {
    const text = 'x'.repeat(2 ** 20);
    expect(await firstBlock(output('c', text))).toMatchObject({ content: [{ text }] });
  });
});

describe('user turns of a Codex rollout', () => {
  it.each([
    ['user-instructions', '# AGENTS.md instructions for /w\n\nBe brief.'],
    ['user-instructions', '<user_instructions>Be brief.</user_instructions>'],
    ['environment-context', '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>'],
    ['interruption', '<turn_aborted>stopped</turn_aborted>'],
    ['skill', '<skill>\n<name>x</name>\n</skill>'],
    [undefined, 'Look at AGENTS.md'],
    [undefined, 'Why is there # AGENTS.md in my prompt?'],
  ])('that a program wrote say so: %s', async (injected, text) => {
    const { history } = await importValues(codex, [user(text)]);
    expect(history.messages).toMatchObject([{ role: 'user', blocks: [{ type: 'text', text }] }]);
    expect(history.messages[0]?.injected).toBe(injected);
  });

  it('stay where they are when they are undone, marked, whatever the number', async () => {
    const undo = (num_turns: unknown) => event('thread_rolled_back', { num_turns });
    const branches = async (...records: object[]) =>
      (await importValues(codex, records)).history.messages.map((message) => message.branch !== undefined);
    const context = user('<environment_context>x</environment_context>');
    expect(await branches(user('a'), answer('b'), undo(99))).toEqual([true, true, false]);
    expect(await branches(user('a'), user('b'), context, undo(1))).toEqual([false, true, true, false]);
    expect(await branches(user('a'), user('b'), undo(1), user('c'), undo(2))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(await branches(undo(1), undo('x'), answer('a'))).toEqual([false, false, false]);
  });
});

const names = {
  records: [
    'session_meta',
    'response_item',
    'event_msg',
    'turn_context',
    'compacted',
    'inter_agent_communication',
  ],
  types: [
    ...[
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
      'custom_tool_call',
      'local_shell_call',
    ],
    ...['web_search_call', 'web_search_end', 'tool_search_output', 'image_generation_call', 'compaction'],
    ...['user_message', 'agent_message', 'agent_reasoning', 'mcp_tool_call_end', 'exec_command_end', 'error'],
    ...[
      'patch_apply_end',
      'dynamic_tool_call_response',
      'item_completed',
      'thread_rolled_back',
      'task_complete',
    ],
    ...[
      'collab_waiting_end',
      'exited_review_mode',
      'CommandExecution',
      'McpToolCall',
      'UserMessage',
      'Extension',
    ],
    ...['input_text', 'output_text', 'input_image', 'text'],
  ],
  keys: [
    ...[
      'role',
      'content',
      'text',
      'message',
      'summary',
      'call_id',
      'id',
      'name',
      'arguments',
      'input',
      'output',
    ],
    ...[
      'action',
      'query',
      'results',
      'invocation',
      'result',
      'Ok',
      'Err',
      'item',
      'error',
      'changes',
      'tools',
    ],
    ...[
      'review_output',
      'findings',
      'code_location',
      'num_turns',
      'images',
      'instructions',
      'model',
      'source',
    ],
    ...['user_instructions', 'replacement_history', 'image_url', 'command', 'metadata', 'type'],
  ],
};

describe('any Codex rollout', () => {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(
        'user',
        'assistant',
        'a',
        '{"output":"x"}',
        '',
        null,
        0,
        2,
        true,
        ...names.types,
      ),
      fc.dictionary(fc.constantFrom(...names.keys), tie('value'), { maxKeys: 5 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  const payload = fc
    .tuple(
      fc.constantFrom(...names.types),
      fc.dictionary(fc.constantFrom(...names.keys), value, { maxKeys: 6 }),
    )
    .map(([type, fields]) => ({ type, ...fields }));
  const records = fc.array(
    fc.tuple(fc.constantFrom(...names.records), payload).map(([type, body]) => record(type, body)),
    { maxLength: 8 },
  );

  it('gives a history in order and accounts for what it leaves out', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (values) => {
        const { history, report } = await importValues(codex, values);
        expect(new Set(history.messages.map((message) => message.id)).size).toBe(history.messages.length);
        expect(JSON.parse(JSON.stringify(history))).toEqual(history);
        for (const { role, blocks } of history.messages) {
          expect(blocks.length).toBeGreaterThan(0);
          expect(blocks.every((block) => (block.type === 'result') === (role === 'tool'))).toBe(true);
        }
        if (values.length === 0 || history.messages.length > 0) return;
        expect(Object.keys(report.skipped).length + Object.keys(report.unknown).length).toBeGreaterThan(0);
      }),
      { numRuns: 400 },
    );
  });
});
