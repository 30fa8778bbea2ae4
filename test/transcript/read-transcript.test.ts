import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { jsonl, read } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'transcript-'));
afterAll(() => rmSync(folder, { recursive: true }));

function turn(uuid: string, content: unknown, more: object = {}): object {
  return {
    type: 'user',
    uuid,
    parentUuid: null,
    sessionId: 's',
    message: { role: 'user', content },
    ...more,
  };
}

describe('reading a transcript', () => {
  it('gives the same for a path, a URL, bytes, text and a stream of single bytes', async () => {
    const data = jsonl(turn('u1', '臺北'), turn('u2', 'y'));
    const path = join(folder, 'same.jsonl');
    writeFileSync(path, data);
    async function* single(): AsyncIterable<Uint8Array> {
      for (const byte of Buffer.from(data)) yield Uint8Array.of(byte);
    }
    const name = 'same.jsonl';
    const first = await readTranscript(path);
    expect(first.sha256).toBe(createHash('sha256').update(data).digest('hex'));
    expect(first.bytes).toBe(Buffer.byteLength(data));
    expect(await readTranscript(pathToFileURL(path))).toEqual(first);
    expect(await readTranscript({ name, data })).toEqual(first);
    expect(await readTranscript({ name, data: Buffer.from(data) })).toEqual(first);
    expect(await readTranscript({ name, data: single() })).toEqual(first);
  });

  it('reads far past the records it was recognised by', async () => {
    const records = Array.from({ length: 5000 }, (_, i) => turn(`u${i}`, `turn ${i}`));
    const { history, report } = await read(jsonl(...records));
    expect(history.messages).toHaveLength(5000);
    expect(report.records).toBe(5000);
  });

  it('passes over progress records without losing what stands beside them', async () => {
    const progress = {
      parentUuid: 'u',
      sessionId: 's',
      type: 'progress',
      data: { type: 'bash_progress', output: 'x' },
      uuid: 'p',
    };
    const nested = turn('n', [{ type: 'tool_result', tool_use_id: 't', content: 'x' }], {
      toolUseResult: { a: 1, type: 'progress', data: { type: 'y' } },
    });
    const filler = jsonl(...Array.from({ length: 60 }, (_, i) => turn(`u${i}`, 'x')));
    const twoOnALine = `${JSON.stringify(progress)}${JSON.stringify(turn('after', 'kept'))}\n`;
    const cut = `${JSON.stringify(progress).slice(0, -5)}\n`;
    const { history, report } = await read(
      `${filler}${jsonl(progress, nested)}${twoOnALine}${cut}${jsonl(turn('z', 'end'))}`,
    );
    expect(history.messages.slice(60).map((message) => message.id)).toEqual(['n', 'after', 'z']);
    expect(report.skipped['progress']).toBe(2);
    expect(report.broken).toHaveLength(1);
    expect(report.records).toBe(65);
  });

  it('opens nothing outside the side folder, not even through a link', async () => {
    const secret = join(folder, 'elsewhere');
    mkdirSync(secret);
    writeFileSync(join(secret, 'agent-x.jsonl'), jsonl(turn('stolen', 'secret')));
    mkdirSync(join(folder, 'linked/subagents'), { recursive: true });
    symlinkSync(join(secret, 'agent-x.jsonl'), join(folder, 'linked/subagents/agent-x.jsonl'));
    mkdirSync(join(folder, 'outside'));
    symlinkSync(secret, join(folder, 'outside/subagents'));
    for (const name of ['linked', 'outside']) {
      writeFileSync(join(folder, `${name}.jsonl`), jsonl(turn('u', '/etc/passwd')));
      const { history } = await readTranscript(join(folder, `${name}.jsonl`));
      expect(history.messages.map((message) => message.id)).toEqual(['u']);
    }
  });

  it('does not let hostile kinds blow up the report', async () => {
    const records = Array.from({ length: 1000 }, (_, i) => ({
      type: `k${i}${'x'.repeat(500)}`,
      sessionId: 's',
    }));
    const { report } = await read(jsonl(turn('u', 'x'), { type: '__proto__' }, ...records));
    expect(Object.values(report.unknown).reduce((sum, n) => sum + n, 0)).toBe(1001);
    expect(JSON.stringify(report).length).toBeLessThan(30_000);
  });

  it('warns of records whose bytes are not all UTF-8, and of no U+FFFD that was written', async () => {
    const bytes = Buffer.from(jsonl(turn('u', 'caf\u00e9'), turn('v', 'x'), turn('w', '\ufffd')), 'utf8');
    expect((await read(bytes)).report.warnings).toEqual([]);
    const latin = Buffer.concat([Buffer.from(jsonl(turn('u', 'caf\u00e9')), 'latin1'), bytes]);
    const { history, report } = await read(latin);
    expect(history.messages).toHaveLength(4);
    expect(report.warnings).toEqual(['bytes that are not UTF-8 were replaced by U+FFFD']);
  });

  it('lists a thousand broken lines and counts the rest', async () => {
    const { report } = await read(`${jsonl(turn('u', 'x'))}${'{"a":\n'.repeat(1500)}`);
    expect(report.broken).toHaveLength(1000);
    expect(report.warnings.join()).toContain('500 further broken lines');
  });
});

describe('reading text', () => {
  it('cuts a long text at line breaks, names the pieces by line and loses nothing', async () => {
    const lines = Array.from({ length: 6000 }, (_, i) => `${i} ${'word '.repeat(i % 40)}\n`);
    const { history } = await read(lines.join(''));
    expect(history.messages.length).toBeGreaterThan(5);
    let line = 1;
    const texts = history.messages.map((message) => {
      expect(message).toMatchObject({ id: `line:${line}`, role: 'user', injected: 'text file' });
      const [block] = message.blocks;
      const text = block?.type === 'text' ? block.text : '';
      expect(text.length).toBeLessThan(70_000);
      line += text.split('\n').length - 1;
      return text;
    });
    expect(texts.join('')).toBe(lines.join(''));
  });

  it('cuts a single line that is too long between two characters', async () => {
    const text = `a${'😀'.repeat(2_000_000)}`;
    const { history } = await read(text);
    const pieces = history.messages.flatMap((message) =>
      message.blocks.map((b) => (b.type === 'text' ? b.text : '')),
    );
    expect(pieces.join('')).toBe(text);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(history.messages[1]?.id).toBe('line:1#2');
  });
});
