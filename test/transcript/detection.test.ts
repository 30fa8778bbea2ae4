import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SnapcompactError } from '../../src/errors.js';
import { detectFormat } from '../../src/transcript/detect-format.js';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { jsonl, read } from './support.js';

function detect(data: string | Uint8Array, options = {}) {
  return detectFormat({ name: 'memory', data }, options);
}

async function failure(promise: Promise<unknown>): Promise<SnapcompactError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SnapcompactError);
  return error as SnapcompactError;
}

const claudeUser = {
  type: 'user',
  uuid: 'u',
  parentUuid: null,
  sessionId: 's',
  message: { role: 'user', content: 'x' },
};

describe('transcript intake', () => {
  const bookkeepingFirst = [
    '{"type":"queue-operation"}',
    '{"type":"mode"}',
    '{"type":"user",',
    JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } }),
    '{"type":"never-seen-before"}',
    JSON.stringify({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
    }),
  ].join('\n');

  it('archives two turns of a file that begins with bookkeeping, and reports one broken line and three others', async () => {
    const { format, history, report } = await read(bookkeepingFirst);
    expect(format).toBe('claude-code');
    expect(history.messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(report.broken).toEqual([{ line: 3, reason: 'cut inside a value' }]);
    expect(report.skipped).toEqual({ 'queue-operation': 1, mode: 1 });
    expect(report.unknown).toEqual({ 'never-seen-before': 1 });
  });

  it('fails on the broken line if told to be strict', async () => {
    const envelope = bookkeepingFirst.replaceAll('"message"', '"sessionId":"s","message"');
    const error = await failure(read(envelope, { strict: true }));
    expect(error).toMatchObject({ code: 'broken-input', exitCode: 3 });
    expect(error.message).toContain('line 3');
  });

  it('refuses an empty file', async () => {
    expect(await failure(read(''))).toMatchObject({ code: 'broken-input', exitCode: 3 });
    expect((await failure(read('\n\0\n \r\n'))).message).toContain('blanks');
  });

  it('refuses lines of role and content unless a format is forced, and says which could be', async () => {
    for (const log of [
      jsonl({ role: 'user', content: 'x' }),
      jsonl({ role: 'user', content: 'x' }, { role: 'assistant', content: 'y' }, { level: 'info' }),
      jsonl({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: {} }] }),
    ]) {
      const error = await failure(read(log));
      expect(error).toMatchObject({ code: 'unrecognised-format', exitCode: 3 });
      expect(error.message).toContain('--format-in openai-chat');
      expect(error.message).toContain('anthropic-messages');
    }
    const forced = await read(jsonl({ role: 'user', content: 'x' }), { format: 'openai-chat' });
    expect(forced).toMatchObject({ confidence: 'forced', history: { messages: [{ role: 'user' }] } });
  });

  it('keeps the turns of side chains apart', async () => {
    const side = { ...claudeUser, uuid: 'side', isSidechain: true, agentId: 'a1' };
    const { history } = await read(jsonl(claudeUser, side));
    expect(history.messages.map((message) => message.agent)).toEqual([undefined, 'a1']);
  });
});

describe('format detection', () => {
  it.each([
    ['claude-code', 'certain', jsonl(claudeUser)],
    ['claude-code', 'certain', jsonl({ type: 'file-history-snapshot', messageId: 'x', snapshot: {} })],
    ['claude-code', 'certain', jsonl({ type: 'mode', mode: 'normal', sessionId: 's' })],
    ['claude-code', 'probable', jsonl({ type: 'mode', mode: 'normal' })],
    ['claude-stream-json', 'certain', jsonl({ type: 'system', subtype: 'init', session_id: 's' })],
    [
      'claude-stream-json',
      'certain',
      `warn\n${jsonl({ type: 'user', message: {}, session_id: 's', parent_tool_use_id: null })}`,
    ],
    [
      'pi',
      'certain',
      jsonl({ type: 'title', v: 1, title: 't' }, { type: 'session', version: 3, id: 'x', cwd: '/w' }),
    ],
    ['codex', 'certain', jsonl({ timestamp: 't', type: 'session_meta', payload: { id: 'x' } })],
    ['codex', 'certain', jsonl({ id: 'x', timestamp: 't', instructions: null }, { record_type: 'state' })],
    ['pi', 'probable', jsonl({ type: 'message', id: 'e1', message: { role: 'user', content: 'x' } })],
    [
      'anthropic-messages',
      'certain',
      '[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}]',
    ],
    ['anthropic-messages', 'certain', '{"system":"be brief","messages":[{"role":"user","content":"x"}]}'],
    ['opencode', 'certain', '{"info":{"id":"ses_1"},"messages":[{"info":{"id":"m"},"parts":[]}]}'],
    ['opencode', 'certain', '{"info":{"id":"ses_1","directory":"/w"},"messages":[]}'],
    ['opencode', 'certain', '[{"info":{"id":"m"},"parts":[]}]'],
    ['opencode', 'certain', 'Exporting session: ses_1\n{"info":{},"messages":[{"info":{},"parts":[]}]}'],
    ['text', 'certain', 'An export is\n{"info":{},"messages":[{"info":{},"parts":[]}]}'],
    ['gemini', 'certain', jsonl({ sessionId: 'g', projectHash: 'h', kind: 'main' })],
    ['gemini', 'certain', jsonl({ id: 'm', type: 'user', content: 'x' }, { $set: { lastUpdated: 't' } })],
    ['gemini', 'certain', '{"history":[{"role":"user","parts":[{"text":"x"}]}]}'],
    ['gemini', 'certain', '[{"role":"model","parts":[{"text":"x"}]}]'],
    [
      'hermes',
      'certain',
      jsonl({ id: 's', source: 'cli', messages: [{ session_id: 's', role: 'user', content: 'x' }] }),
    ],
    ['hermes', 'certain', '{"id":"s","started_at":1765000000.25,"messages":[]}'],
    [
      'hermes',
      'certain',
      '{"session_id":"s","session_start":"t","messages":[{"role":"tool","content":"x"}]}',
    ],
    ['hermes', 'probable', jsonl({ session_id: 's', role: 'user', content: 'x' })],
    ['sharegpt', 'certain', jsonl({ conversations: [{ from: 'human', value: 'x' }] })],
    ['sharegpt', 'certain', '[{"id":"s","items":[{"from":"gpt","value":"x"}]}]'],
    ['atif', 'certain', '{"schema_version":"ATIF-v1.7","steps":[]}'],
    ['gemini', 'probable', jsonl({ $set: { lastUpdated: 't' } })],
    [
      'openai-responses',
      'certain',
      '{"model":"m","input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c"}]}',
    ],
    [
      'openai-responses',
      'certain',
      '[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]',
    ],
    ['openai-responses', 'certain', '{"object":"response","output":[]}'],
    ['openai-responses', 'certain', jsonl({ type: 'reasoning', summary: [] })],
    ['openai-responses', 'probable', '{"model":"m","input":[{"role":"user","content":"x"}]}'],
    ['openai-chat', 'certain', '{"messages":[{"role":"tool","tool_call_id":"c","content":"x"}]}'],
    ['openai-chat', 'certain', '{"choices":[{"message":{"role":"assistant","content":"x"}}]}'],
    ['openai-chat', 'probable', '[{"role":"user","content":"x"}]'],
    ['openai-chat', 'probable', '{"history":[{"role":"user","content":"x"}]}'],
    ['text', 'certain', '# Title\n\nText with `{"role":"user"}` inside.\n'],
    ['text', 'probable', '{"name":"a package","version":"1.0.0"}'],
  ])('finds %s, %s', async (format, confidence, data) => {
    expect(await detect(data)).toEqual({ format, confidence });
  });

  it('looks past bookkeeping up to the fiftieth record', async () => {
    const filler = Array.from({ length: 49 }, () => ({ kind: 'unheard of' }));
    expect(await detect(jsonl(...filler, claudeUser))).toMatchObject({ format: 'claude-code' });
  });

  it('takes a text that quotes transcripts for a text', async () => {
    const prose = 'Some words.\n'.repeat(12);
    const quoted = `${prose}${jsonl({ type: 'system', subtype: 'init', session_id: 's' }, claudeUser)}${prose}`;
    expect(await detect(quoted)).toEqual({ format: 'text', confidence: 'certain' });
  });

  it('refuses a guess if told to be strict, and takes it if forced', async () => {
    const guess = '[{"role":"user","content":"x"}]';
    expect((await failure(detect(guess, { strict: true }))).message).toContain('--format-in openai-chat');
    expect(await detect(guess, { strict: true, format: 'openai-chat' })).toMatchObject({
      confidence: 'forced',
    });
  });

  it('names the formats there are if a name is wrong', async () => {
    const error = await failure(detect('x', { format: 'claude' }));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(error.message).toContain('claude-code');
  });
});

const streamInit = { type: 'system', subtype: 'init', session_id: 's' };
const streamTurn = {
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
  session_id: 's',
  parent_tool_use_id: null,
};

describe('JSON among other lines', () => {
  const noise = (line: string, times: number): string => `${line}\n`.repeat(times);
  const codex = jsonl({ timestamp: 't', type: 'session_meta', payload: { id: 'x' } });

  it.each([
    ['Markdown that quotes a Codex line', `# Codex\n\nA line is\n\n${codex}\nand so on.\n`],
    ['prose that quotes two turns of Claude Code', `One\ntwo\nthree\n${jsonl(claudeUser, claudeUser)}four\n`],
    [
      'Markdown with a stream in a fence',
      `# S\n${noise('words', 9)}\`\`\`json\n${jsonl(streamInit, streamTurn)}\`\`\`\n`,
    ],
    ['prose that quotes one record of a stream', `${noise('words', 20)}${jsonl(streamTurn)}`],
    ['notes with links and one record', `[a]: http://x\n[b]: http://y\n${jsonl(claudeUser)}`],
  ])('is a text: %s', async (_title, data) => {
    expect(await detect(data)).toEqual({ format: 'text', confidence: 'certain' });
  });

  it.each([
    ['a few lines of a shell', noise('warn', 9), 1],
    ['hundreds of lines of npm', noise('npm notice x', 300), 69],
    ['lines that start like JSON', '[INFO] go\n[1/4] build\n{ x }\n', 1],
  ])('is a stream: %s', async (_title, words, turns) => {
    const log = `${words}${jsonl(streamInit, ...Array.from({ length: turns }, () => streamTurn))}`;
    const { format, history, report } = await read(log, { strict: true });
    expect(format).toBe('claude-stream-json');
    expect(history.messages).toHaveLength(turns);
    expect(report.broken).toEqual([]);
    expect(report.skipped['line of other text']).toBe(words.split('\n').length - 1);
  });
});

describe('a session padded with NULs', () => {
  const lines = jsonl(...Array.from({ length: 4 }, () => claudeUser));
  const pad = '\0'.repeat(4096);
  it.each([
    ['in front', `${pad}${lines}`],
    ['in the middle', `${lines}${pad}${pad}\n${lines}`],
    ['behind half a record', `${lines}{"type":"user","message":{"ro${pad}${lines}`],
    ['at the end', `${lines}${pad.repeat(20)}`],
  ])('is read: %s', async (_title, data) => {
    const { format, history } = await read(data);
    expect([format, history.messages.length >= 1]).toEqual(['claude-code', true]);
  });

  it('is text if it was text', async () => {
    expect((await read(`words\n${pad}`)).format).toBe('text');
  });
});

describe('near neighbours of what is read', () => {
  it('do not keep a session from being read that quotes them', async () => {
    const quote = { type: 'thread.started', thread_id: 'x' };
    expect(await detect(jsonl(claudeUser, quote, claudeUser))).toMatchObject({ format: 'claude-code' });
    expect(await detect(jsonl(quote, quote, streamInit)).catch((error: unknown) => error)).toMatchObject({
      code: 'unrecognised-format',
    });
    const codex = { timestamp: 't', type: 'session_meta', payload: {} };
    expect(await detect(jsonl(claudeUser, codex, claudeUser))).toMatchObject({ format: 'claude-code' });
    expect(await detect(jsonl(codex, codex, streamInit))).toMatchObject({ format: 'codex' });
  });

  it.each([
    ['openai-chat', jsonl({ id: 'req', source: 'api', messages: [{ role: 'user', content: 'x' }] })],
    ['openai-chat', '[{"role":"user","content":"x","parts":[{"type":"text","text":"x"}]}]'],
    ['text', '[{"role":"user","parts":[{"type":"text","text":"x"}]}]'],
    ['text', '{"model":"embed","input":["a","b"]}'],
    ['text', '{"model":"embed","input":"a"}'],
    [
      'openai-chat',
      '[{"role":"user","content":[{"type":"input_text","text":"x"}]},{"role":"tool","content":"x"}]',
    ],
  ])('are not taken for formats that are not read: %s', async (format, data) => {
    expect((await detect(data)).format).toBe(format);
  });
});

it('counts results that name no call and hold nothing, as another program writes them', async () => {
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: {} }] };
  const answer = { role: 'user', content: [{ type: 'tool_result', toolUseID: 't', run: {} }] };
  const { report } = await read(JSON.stringify([call, answer]));
  expect(report.unknown).toEqual({ 'result without a call and content': 1 });
});

describe('values of any depth', () => {
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const d = deep(100_000);
  it.each([
    [
      'claude-code',
      `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":${d}}]},"toolUseResult":${d}}\n`,
    ],
    [
      'claude-code',
      `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":""}]},"toolUseResult":${d}}\n`,
    ],
    [
      'claude-code',
      `{"type":"assistant","uuid":"u","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":${d}}}]}}\n`,
    ],
    [
      'claude-stream-json',
      `{"type":"result","is_error":true,"subtype":"x","session_id":"s","errors":[${d}]}\n`,
    ],
    [
      'pi',
      `{"type":"session","id":"s","cwd":"/w"}\n${`{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","arguments":${d}}]}}\n`.repeat(2)}`,
    ],
    [
      'openai-chat',
      `{"messages":[{"role":"tool","content":${d}},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${d}}}],"reasoning":${d}}]}\n`,
    ],
    [
      'atif',
      `{"schema_version":"1.4","steps":[{"source":"agent","message":${d},"tool_calls":[{"arguments":${d}}],"observation":{"results":[{"content":${d}}]}},{"source":"user","message":"x"}]}\n`,
    ],
    [
      'gemini',
      `{"sessionId":"s","projectHash":"h","messages":[{"type":"gemini","id":"m","content":${d},"toolCalls":[{"args":${d},"result":[{"functionResponse":{"response":${d}}}],"resultDisplay":${d}}]}]}\n`,
    ],
    [
      'openai-responses',
      `{"model":"m","instructions":[{"role":"user","content":${d}}],"input":[{"type":"function_call","call_id":"c","arguments":${d}},{"type":"function_call_output","output":${d}},{"type":"reasoning","summary":${d}}]}\n`,
    ],
    [
      'anthropic-messages',
      `{"system":"s","messages":[{"role":"assistant","content":[{"type":"tool_use","input":${d}}]}]}\n`,
    ],
    [
      'opencode',
      `[{"info":{"id":"m","role":"assistant","system":${d}},"parts":[{"type":"tool","state":{"status":"completed","input":${d},"output":${d}}}]}]\n`,
    ],
  ])('are read by %s', async (format, data) => {
    const { history, ...transcript } = await read(data.repeat(2));
    expect(transcript.format).toBe(format);
    expect(history.messages.length).toBeGreaterThan(0);
  });

  it('are looked at by the detection of every format', async () => {
    for (const key of ['type', 'id', 'role', 'content', 'message', 'messages', 'input', 'parts', 'history'])
      expect(await detect(`{"${key}":${d}}`).catch((error: unknown) => error)).not.toBeInstanceOf(RangeError);
  });
});

describe('formats that are known and not read', () => {
  it.each([
    ['codex exec', jsonl({ type: 'thread.started', thread_id: 'x' }, { type: 'turn.started' })],
    ['asciicast', jsonl({ version: 2, width: 80, height: 24 }, [0.1, 'o', 'x'])],
    ['Amp', '{"v":3,"id":"T-1","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}'],
    ['Gemini CLI', jsonl({ type: 'init', session_id: 's', model: 'm' }, { type: 'tool_use', tool_id: 't' })],
    [
      'opencode run',
      jsonl({ type: 'text', timestamp: 1, sessionID: 'ses_1', part: { type: 'text', text: 'x' } }),
    ],
    ['OpenCode', '{"id":"msg_1","sessionID":"ses_1","role":"user"}'],
    [
      'Kimi',
      jsonl(
        { type: 'metadata', protocol_version: '1' },
        { timestamp: 1, message: { type: 'TurnBegin', payload: {} } },
      ),
    ],
    ['VS Code', '{"requesterUsername":"a","responderUsername":"b","requests":[]}'],
    ['OpenHands', '[{"id":1,"source":"agent","action":"run","args":{"command":"ls"}}]'],
    ['LangSmith', jsonl({ run_type: 'llm', inputs: { messages: [] }, trace_id: 'x' })],
    ['ChatGPT', '[{"title":"t","mapping":{"a":{"message":null}},"current_node":"a"}]'],
    ['gzip', gzipSync(gzipSync('x'))],
    ['SQLite', Buffer.from('SQLite format 3\0 and more', 'latin1')],
    ['PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])],
    ['binary', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))],
  ])('names %s instead of archiving it as text', async (name, data) => {
    const error = await failure(read(data));
    expect(error).toMatchObject({ code: 'unrecognised-format', exitCode: 3 });
    expect(error.complaint.got).toContain(name);
  });

  it('can be archived as text all the same', async () => {
    const { format } = await read(jsonl({ timestamp: 't', type: 'session_meta', payload: {} }), {
      format: 'text',
    });
    expect(format).toBe('text');
  });
});

describe('unreadable sources', () => {
  it.each([
    ['a missing file', '/no/such/file.jsonl', 'no such file'],
    ['a folder', '/', 'a folder'],
    ['a URL of the network', new URL('https://example.org/x.jsonl'), 'https:'],
  ])('says that %s is one', async (_title, source, got) => {
    expect(await failure(readTranscript(source))).toMatchObject({
      code: 'unreadable-input',
      complaint: { got },
    });
  });

  it('tells a file of nothing but a cut record from a text', async () => {
    expect(await failure(read('{"type":"user","uuid":'))).toMatchObject({ code: 'broken-input' });
    expect(await failure(read('no JSON', { format: 'pi' }))).toMatchObject({ code: 'broken-input' });
  });

  it('stops on an abort signal', async () => {
    const stop = new AbortController();
    async function* endless(): AsyncIterable<Uint8Array> {
      for (let i = 0; ; i++) {
        if (i === 100) stop.abort();
        yield Buffer.from(jsonl(claudeUser));
      }
    }
    const reading = readTranscript({ name: 'endless', data: endless() }, { signal: stop.signal });
    expect(await failure(reading)).toMatchObject({ code: 'interrupted', exitCode: 130 });
  });
});
