import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Archive } from '../../src/archive/archive.js';
import { type ArchiveOptions, archiveHistory } from '../../src/archive/archive-history.js';
import { rearchive } from '../../src/archive/rearchive.js';
import { type RecoverQuery, recoverText } from '../../src/archive/recover.js';
import { decodeFrame } from '../../src/frame/decode.js';
import { encodePng } from '../../src/frame/png.js';
import { readPng } from '../../src/frame/read-png.js';
import type { Block, History, Message } from '../../src/history/history.js';
import { pageFormat } from '../../src/page/page-format.js';
import { pageRows } from '../../src/page/rows.js';
import { getShape } from '../../src/page/shapes.js';
import { withoutNoteSigns } from '../../src/text/note.js';
import type { Segment } from '../../src/text/segment.js';
import { awkwardText } from '../support/text-samples.js';

const small = { shape: '8on16-bw', frame: { widthPx: 200, maxHeightPx: 96 }, threads: 0, edge: 0 };
const say = (id: string, role: Message['role'], text: string): Message => ({
  id,
  role,
  blocks: [{ type: 'text', text }],
});
const of = (...messages: Message[]): History => ({ messages });
const call: Message = {
  id: 'a1',
  role: 'assistant',
  blocks: [
    { type: 'text', text: 'I  write\tit.' },
    {
      type: 'call',
      callId: 'c1',
      name: 'Write',
      input: { path: 'a.ts', content: 'one\n\n  two "x" █\n', flags: { deep: [1] } },
      intent: 'to have it',
    },
  ],
};
const result: Message = {
  id: 'r1',
  role: 'tool',
  blocks: [
    { type: 'result', callId: 'c1', content: [{ type: 'text', text: `ok\n${'line\n'.repeat(900)}` }] },
  ],
};
const session = of(
  say('u1', 'user', 'Line one\r\n\tline two \u00a0 end  '),
  call,
  result,
  say('u2', 'user', 'thanks'),
);
const usage = { code: 'usage', exitCode: 2 };

/** The segment's own text, and for a call everything that belongs to it. */
function ownTexts(segment: Segment): string[] {
  if (segment.part !== 'call') return [withoutNoteSigns(segment.text)];
  return [segment.name, ...segment.args.map(({ text }) => text), segment.intent ?? ''].map(withoutNoteSigns);
}

describe('recoverText', () => {
  test('gives an entry as it was said, before caps, folds and white space', async () => {
    const archive = await archiveHistory(session, small);
    const text = async (entry: string) => (await recoverText(archive, { entry })).text;
    expect(await text('u1')).toBe('Line one\r\n\tline two \u00a0 end  ');
    expect(await text('r1')).toBe(`ok\n${'line\n'.repeat(900)}`);
    expect(archive.elisions).toHaveLength(1);
  });

  test('gives a call with its arguments whole, together and apart', async () => {
    const { text, pieces, missing } = await recoverText(await archiveHistory(session, small), {
      entry: 'a1',
    });
    expect(text).toBe(
      'I  write\tit.\nWrite\npath: a.ts\ncontent: one\n\n  two "x" █\n\nflags: {"deep":[1]}\n//to have it',
    );
    expect(pieces.map(({ part }) => part)).toEqual(['text', 'call']);
    expect(pieces[1]).toMatchObject({
      entryId: 'a1',
      scope: 'call',
      name: 'Write',
      args: [
        { key: 'path', text: 'a.ts' },
        { key: 'content', text: 'one\n\n  two "x" █\n' },
        { key: 'flags', text: '{"deep":[1]}' },
      ],
    });
    expect(missing).toEqual([]);
  });

  test('gives the whole in the order of the source', async () => {
    const { pieces } = await recoverText(await archiveHistory(session, small));
    expect(pieces.map(({ entryId, part }) => `${entryId} ${part}`)).toEqual([
      'u1 text',
      'a1 text',
      'a1 call',
      'r1 output',
      'u2 text',
    ]);
  });

  test('tells labels and speakers, and shows stand-ins without the signs around them', async () => {
    const archive = await archiveHistory(
      of(
        { ...say('s1', 'user', 'data:image/png;base64,AAAA \ufdd0'), agent: 'helper-1' },
        { ...say('h1', 'user', 'be brief'), injected: 'hook' },
        { id: 'o1', role: 'tool', blocks: [{ type: 'result', name: 'Read', content: [] }] },
      ),
      { ...small, redact: (text) => text.replace('brief', 'short') },
    );
    const { text, pieces } = await recoverText(archive);
    expect(text).not.toMatch(/[\ufdd0\ufdd1]/);
    expect(text).toContain('[U+FDD0]');
    expect(pieces[0]).toMatchObject({ agent: 'helper-1' });
    expect(pieces[1]).toMatchObject({ injected: 'hook', text: 'be short' });
    expect(pieces[2]).toMatchObject({ name: 'Read', part: 'output' });
  });

  test('says what the source does not hold, with the digest of the transcript that does', async () => {
    const source = { name: 's.jsonl', format: 'pi', bytes: 1, sha256: 'ab'.repeat(32) };
    const archive = await archiveHistory(session, { ...small, sourceBytes: 200, source });
    const { text, missing } = await recoverText(archive, { entry: 'r1' });
    expect(text).toBe('[…4503 ch elided…]');
    expect(missing).toMatchObject([
      { reason: 'source', chars: 4503, entryId: 'r1', transcriptSha256: source.sha256 },
    ]);
    expect((await recoverText(archive, { entry: 'u1' })).missing).toEqual([]);
  });

  test('gives an empty archive as an empty text', async () => {
    const archive = await archiveHistory(of(), small);
    expect(await recoverText(archive)).toEqual({ text: '', pieces: [], missing: [] });
    expect((await recoverText(archive, {}, { asPrinted: true })).text).toBe('');
    await expect(recoverText(archive, { frame: 1 })).rejects.toThrow(/an archive with frames/);
    await expect(recoverText(archive, { entry: 'x' })).rejects.toThrow(/an archive with entries/);
  });

  test.each<[RecoverQuery, RegExp]>([
    [{ entry: 'u11' }, /one of 4, from u1 to u2 .*did you mean u1/],
    [{ frame: 0 }, /1 to \d+ for the frame, got 0/],
    [{ frame: 99 }, /1 to \d+ for the frame, got 99/],
    [{ frame: 1, rows: { from: 1, to: 7 } }, /1 to 6 for the rows of frame 1, got 1 to 7/],
    [{ frame: 1, rows: { from: 0, to: 1 } }, /1 to 6/],
    [{ frame: 1, rows: { from: 3, to: 2 } }, /got 3 to 2/],
    [{ rows: { from: 1, to: 1 } }, /a frame/],
    [{ entry: 'u1', frame: 1 }, /got both/],
  ])('refuses %j and says what there is', async (query, message) => {
    const archive = await archiveHistory(session, small);
    for (const asPrinted of [false, true]) {
      await expect(recoverText(archive, query, { asPrinted })).rejects.toMatchObject(usage);
      await expect(recoverText(archive, query, { asPrinted })).rejects.toThrow(message);
    }
  });

  test('refuses frames that show something else than the source', async () => {
    const archive = await archiveHistory(session, small);
    const forged = {
      ...archive,
      segments: archive.segments.map((s) => ({ ...s, text: 'other' }) as Segment),
    };
    await expect(recoverText(forged, { frame: 2 })).rejects.toMatchObject({ code: 'broken-input' });
    expect((await recoverText(forged, { entry: 'u1' })).text).toBe('other');
  });
});

describe('recoverText of a frame', () => {
  const numbered = of(
    ...Array.from({ length: 12 }, (_, i) =>
      say(`m${i}`, i % 2 ? 'assistant' : 'user', `turn  ${i}: ${'word '.repeat(12)}end of ${i}`),
    ),
  );

  test('gives every segment that it shows a part of, whole', async () => {
    const archive = await archiveHistory(numbered, small);
    expect(archive.frames.length).toBeGreaterThan(4);
    for (const { index, text: page, entries } of archive.frames) {
      const { text, pieces } = await recoverText(archive, { frame: index + 1 });
      expect(pieces[0]!.entryId).toBe(entries.first);
      expect(pieces.at(-1)!.entryId).toBe(entries.last);
      for (const [end] of page.matchAll(/end of \d+(?=█)/g)) expect(text).toContain(end);
      for (const { text: piece } of pieces) expect(piece).toMatch(/^turn {2}\d+: .*end of \d+$/);
    }
  });

  test('gives what some of its rows show', async () => {
    const archive = await archiveHistory(numbered, small);
    const { text } = archive.frames[1]!;
    const format = pageFormat(getShape('8on16-bw'), small.frame);
    for (const [index, row] of pageRows(text, format).entries()) {
      const rows = { from: index + 1, to: index + 1 };
      const { pieces } = await recoverText(archive, { frame: 2, rows });
      expect(pieces.length).toBeGreaterThan(0);
      expect((await recoverText(archive, { frame: 2, rows }, { asPrinted: true })).text).toBe(row);
      for (const [, i] of row.matchAll(/end of (\d+)(?=█)/g)) {
        expect(pieces.map(({ entryId }) => entryId)).toContain(`m${i}`);
      }
    }
  });

  test('gives its page as printed, with line breaks on request', async () => {
    const archive = await archiveHistory(numbered, small);
    const query = { frame: 3 };
    const printed = await recoverText(archive, query, { asPrinted: true });
    expect(printed.text).toBe(archive.frames[2]!.text);
    for (const { text } of printed.pieces) expect(printed.text).toContain(text);
    const lines = await recoverText(archive, query, { asPrinted: true, lines: true });
    expect(lines.text).toBe(printed.text.replaceAll('█', '\n'));
  });
});

describe('recoverText as printed', () => {
  const long = (turns: number) =>
    of(
      ...Array.from({ length: turns }, (_, i) => say(`m${i}`, i % 2 ? 'assistant' : 'user', words(i))),
      say('last', 'user', 'the  newest request'),
    );
  const words = (i: number) => Array.from({ length: 30 }, (_, n) => `w${i}x${n}`).join(i % 3 ? ' ' : '\n');
  const bare = (text: string) => text.replace(/[\s█]/g, '');

  test('gives the parts of the archive in their order', async () => {
    const archive = await archiveHistory(long(30), { ...small, edge: 1.5, pins: ['id:m9'] });
    const kinds = archive.parts.map((part) => (part.type === 'frame' ? part.type : part.role));
    expect(new Set(kinds)).toEqual(new Set(['head', 'frame', 'tail']));
    const { text } = await recoverText(archive, {}, { asPrinted: true });
    const frames = archive.frames.map((frame) => frame.text).join('');
    const at = [...kinds.slice(0, 1), ...kinds.slice(-1)].map((role) => {
      const part = archive.parts.find((each) => each.type === 'text' && each.role === role);
      return text.indexOf((part as { text: string }).text);
    });
    expect([at[0], ...at].every((place) => place! >= 0)).toBe(true);
    expect(text.indexOf(frames)).toBeGreaterThan(at[0]!);
    expect(text.indexOf(frames)).toBeLessThan(at[1]!);
    expect(text.endsWith(`${archive.pins}\nthe  newest request`)).toBe(true);
  });

  test.each([0, 0.7, 1, 1.5, 3])('gives all stretches of every entry: edges of %d frames', async (edge) => {
    const archive = await archiveHistory(long(40), { ...small, edge, pins: ['id:m9'] });
    const stretches = new Map<string, string>();
    for (let i = 0; i < 40; i++) {
      const { text } = await recoverText(archive, { entry: `m${i}` }, { asPrinted: true });
      stretches.set(`m${i}`, bare(text));
    }
    expect([...stretches]).toEqual(Array.from({ length: 40 }, (_, i) => [`m${i}`, bare(words(i))]));
    expect((await recoverText(archive, { entry: 'last' }, { asPrinted: true })).text).toContain('newest');
  });

  test('gives all stretches after passes that kept the layout', async () => {
    const { messages } = long(60);
    let archive = await archiveHistory(of(...messages.slice(0, 30)), { ...small, edge: 1 });
    for (let from = 30; from < messages.length; from += 7) {
      archive = await rearchive(archive, of(...messages.slice(from, from + 7)), { threads: 0 });
    }
    for (let i = 0; i < 60; i++) {
      const { text } = await recoverText(archive, { entry: `m${i}` }, { asPrinted: true });
      expect(bare(text)).toContain(bare(words(i)));
    }
  });

  test('gives what is left of an entry that was cut down, and says what is not', async () => {
    const outputs = of(
      ...Array.from({ length: 40 }, (_, i): Message[] => [
        say(`q${i}`, 'user', `question ${i}`),
        say(`t${i}`, 'assistant', `answer ${i} ${words(i)}`),
      ]).flat(),
    );
    const archive = await archiveHistory(outputs, { ...small, maxFrames: 12, edge: 1 });
    const dropped = archive.elisions.filter(({ reason }) => reason === 'budget')[1];
    expect(dropped).toBeDefined();
    const query = { entry: dropped!.entryId };
    const printed = await recoverText(archive, query, { asPrinted: true });
    expect(printed.text).toBe('');
    expect(printed.missing).toEqual([dropped]);
    expect((await recoverText(archive, query)).text).toMatch(/^answer/);
    for (let i = 0; i < 40; i++) {
      const { text } = await recoverText(archive, { entry: `q${i}` }, { asPrinted: true });
      expect(text).toContain(`question ${i}`);
    }
  });

  test('gives pages that are kept as text, too', async () => {
    const archive = await archiveHistory(long(30), { ...small, margin: 1 });
    expect(archive.frames).toEqual([]);
    const { text } = await recoverText(archive, { entry: 'm4' }, { asPrinted: true });
    expect(text).toBe(words(4));
  });
});

describe('any history', () => {
  const block: fc.Arbitrary<Block> = fc.oneof(
    awkwardText.map((text): Block => ({ type: 'text', text })),
    awkwardText.map((text): Block => ({ type: 'reasoning', text })),
    fc
      .tuple(awkwardText, awkwardText)
      .map(([name, value]): Block => ({ type: 'call', name, input: { value, more: [value] } })),
    awkwardText.map((text): Block => ({ type: 'result', content: [{ type: 'text', text }] })),
  );
  const history = fc
    .array(fc.tuple(fc.constantFrom('user', 'assistant', 'tool'), fc.array(block, { maxLength: 4 })), {
      maxLength: 14,
    })
    .map(
      (messages): History => ({
        messages: messages.map(([role, blocks], i) => ({ id: `m${i}`, role, blocks }) as Message),
      }),
    );
  const settings: fc.Arbitrary<ArchiveOptions> = fc.record({
    edge: fc.constantFrom(0, 0.3, 1),
    caps: fc.constantFrom({}, { outputChars: 20, argumentChars: 10 }),
    pins: fc.constantFrom([], ['id:m2'], ['role:call']),
    maxFrames: fc.constantFrom(80, 5),
  });

  const everyArchive = (check: (archive: Archive) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(history, settings, async (said, options) => {
        await check(await archiveHistory(said, { ...small, ...options }));
      }),
      { numRuns: 60 },
    );

  test('is recovered entry by entry, and as a whole in order', async () => {
    await everyArchive(async (archive) => {
      for (const entry of new Set(archive.segments.map(({ entryId }) => entryId))) {
        const { text, pieces } = await recoverText(archive, { entry });
        const own = archive.segments.filter(({ entryId }) => entryId === entry);
        expect(pieces).toHaveLength(own.length);
        expect(inOrder(text, own.flatMap(ownTexts))).toBe(true);
        if (own.every(({ part }) => part !== 'call')) expect(text).toBe(own.flatMap(ownTexts).join('\n'));
        await recoverText(archive, { entry }, { asPrinted: true });
      }
      const { text } = await recoverText(archive);
      expect(inOrder(text, archive.segments.flatMap(ownTexts))).toBe(true);
    });
  });

  test('has rows that joined are the page, and are what a decoder reads there', async () => {
    await everyArchive(async (archive) => {
      for (const { index, text, shape, data } of archive.frames) {
        const rows = pageRows(text, pageFormat(getShape(shape), archive.reader.frame));
        expect(rows.join('')).toBe(text);
        expect(rows).toEqual(decodedRows(data, rows.length));
        const whole = { frame: index + 1, rows: { from: 1, to: rows.length } };
        expect((await recoverText(archive, whole, { asPrinted: true })).text).toBe(text);
        const page = await recoverText(archive, { frame: index + 1 });
        expect(await recoverText(archive, whole)).toEqual(page);
      }
    });
  });

  function inOrder(text: string, parts: readonly string[]): boolean {
    let at = 0;
    return parts.every((part) => {
      const found = text.indexOf(part, at);
      at = found + part.length;
      return found >= 0;
    });
  }

  /** Reads what is left of the picture below each row; blank cells before it are text, those at its end are not. */
  function decodedRows(png: Uint8Array, rows: number): string[] {
    const { shape = '', ...painting } = readPng(png);
    const rowBytes = painting.rows.length / rows;
    const rest = Array.from({ length: rows }, (_, row) => {
      const heightPx = (painting.heightPx / rows) * (rows - row);
      const cut = { ...painting, heightPx, rows: painting.rows.subarray(rowBytes * row) };
      return decodeFrame(encodePng(cut, shape)).text;
    });
    return rest.map((text, row) => text.slice(0, text.length - (rest[row + 1]?.length ?? 0)));
  }
});
