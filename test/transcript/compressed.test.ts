import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { describe, expect, it } from 'vitest';
import { unpack } from '../../src/transcript/compressed.js';
import { detectFormat } from '../../src/transcript/detect-format.js';
import { jsonl, read } from './support.js';

const turns = Array.from({ length: 3000 }, (_, i) => ({
  type: 'user',
  uuid: `u${i}`,
  sessionId: 's',
  message: { role: 'user', content: `turn ${i} ${createHash('md5').update(`${i}`).digest('hex')} 臺北` },
}));
const plain = jsonl(...turns);
const gz = gzipSync(plain);
const few = jsonl(...turns.slice(0, 40));
/** Three frames, the middle one empty, the last with a checksum; made with `zstd` 1.5 of a text in three lines. */
const zst = Buffer.from(
  [
    'KLUv/SDgtQQAQkgcHWC1boAdnSZyClalmkgBECZJoFdUHhUW2xySFQMYgWnCZnbd459FQjAKx/sdAyzNbD9vBTDzdf7UaUQ7',
    'hwbQMk6stsUSI7FRUgoydSbSpo+bxfH+5+cWPVQCPGRmkUoaBiQXkqtw5IFKwdboe276oRQNACkjuieKjM/72MGxoayGhWhR',
    'GSAQZYmK/Z2WHGVfLecEKLUv/SQAAQAAmenYUSi1L/1kdQDNBQDSCSIfoO36f4t2b+A5KnBhgwAp5botJlpYqB6ju2qeRCUO',
    'DMDezJ6DI6Fb5WM/VIlon2wk8ZW8hf/W11brWgB7M3ty39iBY7iJHic+5t+8la9d/vpf/FSurQlXLlWtndIkMqGKp6xmyt82',
    'ri/O2ivP2U8ZTIVSOhAUoURiUOEoaDElMjNVXztlf2oBEiBQxgzacPqg5aAHbsvZ0WvWRMLa2GBaOBG+BjMJYm4IrUGVx8V3',
    'EigHNIHQBNhYY8k=',
  ].join(''),
  'base64',
);
const unzst = Buffer.from(decompress(zst)).toString('utf8');

async function* inPieces(data: Uint8Array, bytes: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < data.length; at += bytes) yield data.subarray(at, at + bytes);
}

async function unpacked(data: Uint8Array, bytes = 2 ** 20): Promise<[text: string, damage?: string]> {
  const found = unpack(inPieces(data, bytes), 'memory');
  const parts: Uint8Array[] = [];
  for await (const chunk of found.chunks) parts.push(Buffer.from(chunk));
  const text = Buffer.concat(parts).toString('utf8');
  return found.damage === undefined ? [text] : [text, found.damage.message];
}

describe('a compressed source', () => {
  it.each([1, 7, 1000, 2 ** 20])('unpacks the same in pieces of %i bytes', async (bytes) => {
    expect(await unpacked(gzipSync(few), bytes)).toEqual([few]);
    expect(await unpacked(zst, bytes)).toEqual([unzst]);
    expect(unzst.match(/\n/g)).toHaveLength(3);
  });

  it('may be several members or frames, and have padding behind them', async () => {
    const half = plain.length >> 1;
    const members = Buffer.concat([
      gzipSync(plain.slice(0, half)),
      gzipSync(''),
      gzipSync(plain.slice(half)),
      Buffer.alloc(700),
    ]);
    for (const bytes of [511, 2 ** 20]) expect(await unpacked(members, bytes)).toEqual([plain]);
    const frames = Buffer.concat(Array.from({ length: 3000 }, () => zst));
    expect((await unpacked(frames))[0].length).toBe(unzst.length * 3000);
  });

  it('passes plain data of any length as it is', async () => {
    for (const text of ['', '{', '{}', '\u001f', 'plain text']) {
      expect(await unpacked(Buffer.from(text), 1)).toEqual([text]);
    }
  });

  it('is read as what is in it, and named by the bytes of the file', async () => {
    const { history, bytes, sha256, format, report } = await read(gz);
    expect([format, history.messages.length, bytes]).toEqual(['claude-code', 3000, gz.length]);
    expect(sha256).toBe(createHash('sha256').update(gz).digest('hex'));
    expect(report).toMatchObject({ broken: [], warnings: [] });
    expect(await detectFormat({ name: 'x.txt', data: gz })).toMatchObject({ format: 'claude-code' });
    expect(await read(gzipSync('# A text'))).toMatchObject({ format: 'text' });
  });

  it('gives what came before a cut, with a warning, and the digest of the whole file', async () => {
    const cut = gz.subarray(0, gz.length >> 1);
    const { history, report, bytes, sha256 } = await read(cut);
    expect(history.messages.length).toBeGreaterThan(1000);
    expect(report.warnings.at(-1)).toMatch(/^expected whole gzip data for memory, got data that breaks off/);
    expect(report.broken).toHaveLength(1);
    expect([bytes, sha256]).toEqual([cut.length, createHash('sha256').update(cut).digest('hex')]);
    await expect(read(cut, { strict: true })).rejects.toMatchObject({ code: 'broken-input', exitCode: 3 });
    const [text, damage] = await unpacked(zst.subarray(0, zst.length - 12));
    expect(unzst.startsWith(text)).toBe(true);
    expect(damage).toContain('whole zstd data');
  });

  it('gives what came before damaged bytes, and reads the source to its end', async () => {
    const damaged = Buffer.from(gz);
    damaged.fill(0xff, gz.length - 9000, gz.length - 8000);
    const { history, report, sha256 } = await read(damaged);
    expect(history.messages.length).toBeGreaterThan(1000);
    expect(report.warnings.join()).toContain('breaks off');
    expect(sha256).toBe(createHash('sha256').update(damaged).digest('hex'));
  });

  it.each([
    ['a lone gzip head', gz.subarray(0, 12)],
    ['a gzip head and nonsense', Buffer.concat([gz.subarray(0, 10), Buffer.alloc(50, 0xff)])],
    ['a lone zstd head', zst.subarray(0, 6)],
    ['a zstd head and nonsense', Buffer.concat([zst.subarray(0, 9), Buffer.alloc(50, 0xff)])],
    ['a window of gigabytes', Buffer.from('28b52ffd00a8000000', 'hex')],
    ['a segment of gigabytes', Buffer.from('28b52ffd60ffffffff0000ffffffffffff', 'hex')],
  ])('that gives nothing is broken: %s', async (_title, data) => {
    await expect(read(data)).rejects.toMatchObject({ code: 'broken-input', complaint: { of: 'memory' } });
  });

  it('does not hold what a small file swells to', async () => {
    let bytes = 0;
    let largest = 0;
    for await (const chunk of unpack(inPieces(gzipSync(Buffer.alloc(2 ** 25)), 2 ** 20), 'bomb').chunks) {
      bytes += chunk.length;
      largest = Math.max(largest, chunk.length);
    }
    expect(bytes).toBe(2 ** 25);
    expect(largest).toBeLessThan(2 ** 21);
  });
});
