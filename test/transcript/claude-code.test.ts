import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { jsonl, read } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'claude-'));
afterAll(() => rmSync(folder, { recursive: true }));

function record(type: 'user' | 'assistant', uuid: string, content: unknown, more: object = {}): object {
  const model = type === 'assistant' ? { model: 'claude-x' } : {};
  return {
    type,
    uuid,
    parentUuid: null,
    isSidechain: false,
    sessionId: 's1',
    message: { role: type, content, ...model },
    ...more,
  };
}
const result = (id: string, content: unknown) => [{ type: 'tool_result', tool_use_id: id, content }];
const side = { isSidechain: true, agentId: 'a1' };

/** Writes `<name>.jsonl` and files of its side folder; reads the session. */
async function session(name: string, records: string, files: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(folder, `${name}.jsonl`), records);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, file, '..'), { recursive: true });
    writeFileSync(join(folder, name, file), text);
  }
  return readTranscript(join(folder, `${name}.jsonl`));
}

describe('the file of a subagent on its own', () => {
  it('is a session of its own, with its model and its prompt for a title', async () => {
    const lines = jsonl(
      record('user', 'u', 'Map the code', side),
      record('assistant', 'a', [{ type: 'text', text: 'ok' }], side),
    );
    const { sessionId, title, model, history } = await read(lines);
    expect({ sessionId, title, model }).toEqual({
      sessionId: 's1.agent-a1',
      title: 'Map the code',
      model: 'claude-x',
    });
    expect(history.messages.map((message) => message.agent)).toEqual([undefined, undefined]);
  });

  it('keeps the id of the session where the main agent speaks too', async () => {
    expect((await read(jsonl(record('user', 'u', 'x'), record('user', 'v', 'y', side)))).sessionId).toBe(
      's1',
    );
  });
});

describe('recognising Claude Code', () => {
  it('does not take Qwen Code for it, and names that', async () => {
    const qwen = (type: string, more: object) => ({
      uuid: type,
      parentUuid: null,
      sessionId: 'q',
      type,
      ...more,
    });
    const log = jsonl(
      qwen('user', { message: { role: 'user', parts: [{ text: 'hi' }] } }),
      qwen('system', { subtype: 'ui_telemetry', systemPayload: {} }),
    );
    await expect(read(log)).rejects.toMatchObject({
      code: 'unrecognised-format',
      complaint: { got: expect.stringContaining('Qwen') },
    });
  });

  it('waits for sixty records of a kind that is new', async () => {
    const news = Array.from({ length: 60 }, (_, i) => ({ type: 'brand-new', sessionId: 's', i }));
    const { format, history } = await read(jsonl(...news, record('user', 'u', 'x')));
    expect([format, history.messages.length]).toEqual(['claude-code', 1]);
  });

  it('leaves the log of a program that counts sessions to be read as text', async () => {
    const log = jsonl(...Array.from({ length: 80 }, (_, i) => ({ type: 'pageview', sessionId: 's', i })));
    expect((await read(log)).format).toBe('text');
  });

  it('says so if nothing was said in it', async () => {
    const { report } = await read(jsonl(record('user', 'u', ''), { type: 'brand-new', sessionId: 's' }));
    expect(report.warnings).toEqual(['no message was found in 2 records; the file may be of another format']);
    expect((await read(jsonl({ type: 'mode', sessionId: 's' }))).report.warnings).toEqual([]);
  });
});

describe('side chains', () => {
  it('hold together over records that say nothing, are repeated or are passed over', async () => {
    const old = (uuid: string, parentUuid: string | null) => ({
      uuid,
      parentUuid,
      isSidechain: true,
      sessionId: 's1',
    });
    const filler = Array.from({ length: 55 }, (_, i) => record('user', `f${i}`, 'x'));
    const progress = {
      parentUuid: 's2',
      isSidechain: true,
      sessionId: 's1',
      type: 'progress',
      data: { a: 1 },
      uuid: 's3',
    };
    const { history } = await read(
      jsonl(
        ...filler,
        { ...record('user', 'x', 'one'), ...old('s1', null) },
        { ...old('s2', 's1'), type: 'system', subtype: 'turn_duration' },
        progress,
        { ...record('assistant', 'x', [{ type: 'text', text: 'two' }]), ...old('s4', 's3') },
      ),
    );
    const agents = history.messages.flatMap((message) => message.agent ?? []);
    expect(agents).toEqual(['sidechain:s1', 'sidechain:s1']);
  });
});

describe('what stands in a file twice', () => {
  const call = record('assistant', 'c', [
    { type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Map it' } },
  ]);
  const answer = record('user', 'r', result('t', 'All mapped.\nagentId: a1'), {
    toolUseResult: { agentId: 'a1' },
  });
  const lane = [
    record('user', 'p', 'Map it\n', side),
    record('assistant', 'q', [{ type: 'tool_use', id: 'i', name: 'ls', input: {} }], side),
    record('assistant', 'z', [{ type: 'text', text: 'All mapped.' }], side),
  ];

  it('is archived once: the prompt with the call, the answer with the result', async () => {
    const { history, report } = await read(jsonl(call, answer, ...lane));
    expect(history.messages.map((message) => message.id)).toEqual(['c', 'r', 'q']);
    expect(report.skipped).toEqual({
      'prompt of a subagent that its call holds': 1,
      'answer of a subagent that its result holds': 1,
    });
  });

  it('is kept where the two differ', async () => {
    const other = record('user', 'r', result('t', 'cut'), { toolUseResult: { agentId: 'a1' } });
    const { history } = await read(jsonl(call, other, record('user', 'p', 'Map it all', side), lane[2]));
    expect(history.messages.map((message) => message.id)).toEqual(['c', 'r', 'p', 'z']);
  });
});

describe('the side folder', () => {
  const answer = (id: string, agentId: string) =>
    record('user', `r${id}`, result(id, 'done'), { toolUseResult: { agentId } });
  const call = (id: string) =>
    record('assistant', `c${id}`, [{ type: 'tool_use', id, name: 'Task', input: {} }]);

  it('is missed if a result names an agent that has no file', async () => {
    const { report } = await session('missing', jsonl(call('t'), answer('t', 'gone')));
    expect(report.warnings).toEqual(['no file of 1 subagents in the side folder: gone']);
  });

  it('says better than a result which call started an agent', async () => {
    const { history } = await session(
      'linked',
      jsonl(call('t1'), answer('t1', 'a1'), call('t2'), answer('t2', 'a2')),
      {
        'subagents/agent-a1.jsonl': jsonl(record('user', 'sub', 'x', side)),
        'subagents/agent-a2.jsonl': jsonl(record('user', 'sub2', 'y', { ...side, agentId: 'a2' })),
        'subagents/agent-a1.meta.json': '{"toolUseId":"t2"}',
      },
    );
    expect(history.messages.map((message) => message.id)).toEqual([
      'ct1',
      'rt1',
      'ct2',
      'rt2',
      'sub',
      'sub2',
    ]);
  });

  it('says so if the last line of one of its files was cut', async () => {
    const { report } = await session('torn', jsonl(record('user', 'u', 'x')), {
      'subagents/agent-a1.jsonl': `${jsonl(record('user', 'sub', 'x', side))}{"type":"us`,
    });
    expect(report.warnings).toEqual([
      'line 2 of subagents/agent-a1.jsonl is cut off: the writer stopped in the middle of it',
    ]);
  });

  it('gives the whole of an output of which the session holds a preview', async () => {
    const preview = (file: string) =>
      `<persisted-output>\nOutput too large (1 MB). Full output saved to: /home/x/p/whole/tool-results/${file}\n\nPreview (first 2KB):\nab\n...\n</persisted-output>`;
    const { history, report } = await session(
      'whole',
      jsonl(
        record('user', 'r1', result('t1', preview('t1.txt'))),
        record('user', 'r2', result('t2', preview('gone.txt'))),
        record('user', 'r3', result('t3', preview('../../secret.txt'))),
      ),
      { 'tool-results/t1.txt': 'abcdef', 'secret.txt': 'no' },
    );
    const texts = history.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) =>
        block.type === 'result' && block.content[0]?.type === 'text' ? block.content[0].text : [],
      ),
    );
    expect(texts).toEqual(['abcdef', preview('gone.txt'), preview('../../secret.txt')]);
    expect(report.skipped).toEqual({ 'output of which a preview is left': 2 });
  });
});

describe('content that is no text', () => {
  const base64 = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 91) % 256)).toString('base64');
  const contentOf = async (records: string) =>
    (await read(records)).history.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'result' ? block.content : block)),
    );

  it.each([
    [{ a: 1 }, [{ type: 'text', text: '{"a":1}' }]],
    [
      [{ type: 'json', json: { b: [true] } }],
      [{ type: 'text', text: '{"type":"json","json":{"b":[true]}}' }],
    ],
    [
      { shot: base64, n: 1 },
      [
        { type: 'text', text: '{"shot":"…","n":1}' },
        { type: 'media', kind: 'file', bytes: 600 },
      ],
    ],
    [
      { type: 'text_editor_code_execution_str_replace_result', lines: ['-a', '+b'] },
      [{ type: 'text', text: '-a\n+b' }],
    ],
    [
      {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'x' }],
      },
      [{ type: 'text', text: 'x', injected: 'tool-reference' }],
    ],
    [
      {
        type: 'code_execution_result',
        stdout: 'o',
        content: [{ type: 'code_execution_output', file_id: 'f1' }],
      },
      [
        { type: 'text', text: 'o' },
        { type: 'media', kind: 'file', name: 'f1' },
      ],
    ],
  ])('is kept as what a tool returned: %j', async (content, expected) => {
    expect(await contentOf(jsonl(record('user', 'r', result('t', content))))).toEqual(expected);
  });

  it('is a note where a file was attached', async () => {
    const attach = (content: object) => ({
      type: 'attachment',
      uuid: 'f',
      sessionId: 's',
      attachment: { type: 'file', filename: '/w/f', content },
    });
    const image = { type: 'image', file: { base64, type: 'image/png' } };
    const notebook = { type: 'notebook', file: { filePath: '/w/f', cells: [{ source: 'x' }] } };
    expect(await contentOf(jsonl(attach(image)))).toEqual([
      { type: 'media', kind: 'image', mime: 'image/png', bytes: 600, name: '/w/f' },
    ]);
    expect(await contentOf(jsonl(attach(notebook)))).toEqual([{ type: 'media', kind: 'file', name: '/w/f' }]);
  });

  it('is filled in from the copy beside it only where the copy can be of one result, and never as base64', async () => {
    const one = record('user', 'r', result('t', ''), { toolUseResult: { stdout: 'out' } });
    const two = record('user', 'r', [...result('t', ''), ...result('v', '')], {
      toolUseResult: { stdout: 'out' },
    });
    const picture = record('user', 'r', result('t', ''), {
      toolUseResult: { type: 'image', file: { base64, type: 'image/png' } },
    });
    expect(await contentOf(jsonl(one))).toEqual([{ type: 'text', text: 'out' }]);
    expect(await contentOf(jsonl(two))).toEqual([]);
    expect(await contentOf(jsonl(picture))).toEqual([
      { type: 'media', kind: 'image', mime: 'image/png', bytes: 600 },
    ]);
  });
});
