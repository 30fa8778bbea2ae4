import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Archive } from '../../src/archive/archive.js';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { contextBlocks } from '../../src/archive/context-blocks.js';
import { createFrameCache } from '../../src/archive/frame-cache.js';
import { paintPages } from '../../src/archive/paint-pages.js';
import { planArchive } from '../../src/archive/plan-archive.js';
import { rearchive } from '../../src/archive/rearchive.js';
import { countFrames, renderText } from '../../src/archive/render-text.js';
import { toAnthropic } from '../../src/archive/wire-forms.js';
import { predictTokens } from '../../src/billing/predict-tokens.js';
import { decodeFrame } from '../../src/frame/decode.js';
import { InProcessRenderer, type Renderer } from '../../src/frame/renderer.js';
import type { Block, History, Message } from '../../src/history/history.js';
import { pageFormat } from '../../src/page/page-format.js';
import { paginate } from '../../src/page/paginate.js';
import { getShape } from '../../src/page/shapes.js';
import { exceeded, lostTurns } from '../support/archives.js';
import { deepFreeze } from '../support/histories.js';

const small = { shape: '11on16-bw', frame: { widthPx: 352, maxHeightPx: 176 }, threads: 0 };
const say = (id: string, role: Message['role'], text: string): Message => ({
  id,
  role,
  blocks: [{ type: 'text', text }],
});
const tool = (id: string, output: string): Message[] => [
  { id, role: 'assistant', blocks: [{ type: 'call', callId: id, name: 'run', input: { cmd: id } }] },
  {
    id: `${id}r`,
    role: 'tool',
    blocks: [{ type: 'result', callId: id, content: [{ type: 'text', text: output }] }],
  },
];
const lines = (count: number, what = 'line') =>
  Array.from({ length: count }, (_, i) => `${what} ${i} of the log`).join('\n');
const textOf = (archive: Archive) =>
  contextBlocks(archive)
    .map((block) => (block.type === 'text' ? block.text : decodeFrame(block.data).text))
    .join('\n');
const guide = (archive: Archive) => JSON.stringify(contextBlocks(archive)[0]);
const count = (text: string, wanted: string) => text.split(wanted).length - 1;
/** About a million characters, with a request now and then. */
const long: History = {
  messages: Array.from({ length: 500 }, (_, i) =>
    i % 50 === 0 ? [say(`u${i}`, 'user', `request ${i}: go on`)] : tool(`t${i}`, lines(100, `step ${i}`)),
  ).flat(),
};

class CountingRenderer implements Renderer {
  readonly threads = 0;
  drawn = 0;
  readonly #inner = new InProcessRenderer();
  paint: Renderer['paint'] = (...page) => {
    this.drawn++;
    return this.#inner.paint(...page);
  };
  async close() {}
}

describe('B03', () => {
  const thinking: Block[] = [
    { type: 'reasoning', text: 'plan: first alpha' },
    { type: 'text', text: 'done' },
  ];
  test('an archive that holds reasoning is free of it once that is off', async () => {
    const history = { messages: [{ id: 'a', role: 'assistant' as const, blocks: thinking }] };
    const before = await archiveHistory(history, small);
    expect(textOf(before)).toContain('¶think:plan: first alpha');
    const after = await rearchive(before, undefined, { reasoning: false, threads: 0 });
    const whole = textOf(after) + JSON.stringify({ ...after, frames: after.frames.map(({ text }) => text) });
    expect(whole).not.toMatch(/alpha|think/);
    expect(textOf(after)).toContain('¶ai:done');
  });
});

describe('B10', () => {
  test('an early rule of the user is there after each of three passes, or the pass refuses', async () => {
    const rule = 'Tabs only in Makefiles, two spaces elsewhere';
    const results = (from: number) =>
      Array.from({ length: 100 }, (_, i) => tool(`t${from + i}`, lines(90, `${from + i}`))).flat();
    let archive = await archiveHistory(
      { messages: [say('u', 'user', rule), ...results(0), say('v', 'user', 'go on')] },
      { ...small, maxFrames: 1, edge: 0 },
    );
    for (const pass of [1, 2, 3]) {
      expect(count(textOf(archive), rule)).toBeGreaterThan(0);
      expect(lostTurns(archive)).toEqual([]);
      expect(archive.frames).toHaveLength(1);
      expect(
        archive.elisions.some(({ reason, dropped }) => reason === 'budget' && (dropped?.output ?? 0) > 0),
      ).toBe(true);
      archive = await rearchive(
        archive,
        { messages: [...results(pass * 100), say(`w${pass}`, 'user', `pass ${pass}`)] },
        { threads: 0 },
      );
    }
    const talk = Array.from({ length: 60 }, (_, i) => say(`x${i}`, 'user', `${i} ${'words '.repeat(60)}`));
    deepFreeze(archive);
    await expect(
      rearchive(archive, { messages: talk }, { threads: 0, pinTokens: 500 }),
    ).rejects.toMatchObject({
      code: 'over-budget',
      exitCode: 4,
    });
  });
});

describe('B11', () => {
  test.each([32_000, 64_000, 128_000, 200_000, 1_000_000])(
    'fits a window of %i tokens at the first plan',
    async (windowTokens) => {
      const limits = {
        model: 'claude-sonnet-4-5',
        purpose: 'replace' as const,
        windowTokens,
        usedTokens: 5_000,
        reserveTokens: 16_384,
        threads: 0,
      };
      const plan = await planArchive(long, limits);
      const archive = await archiveHistory(long, limits);
      expect(archive.frames).toHaveLength(plan.frames);
      const { tokens } = predictTokens(contextBlocks(archive), archive.reader);
      expect(tokens).toBeLessThanOrEqual(plan.tokens);
      expect(tokens).toBeLessThanOrEqual(windowTokens - 5_000 - 16_384);
      expect(exceeded(archive)).toEqual([]);
      expect(lostTurns(archive)).toEqual([]);
    },
  );
});

describe('B12', () => {
  test('bytes are planned for, with those of other messages, and an archive that is too large is trimmed', async () => {
    const history = {
      messages: [
        say('u', 'user', 'look'),
        ...Array.from({ length: 60 }, (_, i) => tool(`t${i}`, lines(30, `${i}`))).flat(),
      ],
    };
    const large = await archiveHistory(history, { ...small, maxFrames: 200, edge: 0 });
    const bytes = (archive: Archive) =>
      Buffer.byteLength(JSON.stringify(toAnthropic(contextBlocks(archive))));
    const limits = { maxBytes: 60_000, usedBytes: 20_000 };
    const trimmed = await rearchive(large, undefined, { ...limits, threads: 0 });
    expect(bytes(large)).toBeGreaterThan(40_000);
    expect(bytes(trimmed)).toBeLessThanOrEqual(40_000);
    expect(trimmed.binding.limit).toBe('bytes');
    expect(await rearchive(trimmed, undefined, { threads: 0 })).toBe(trimmed);
    const sent = contextBlocks(large, { limits: { maxBytes: 40_000 } });
    expect(Buffer.byteLength(JSON.stringify(toAnthropic(sent)))).toBeLessThanOrEqual(40_000);
    expect(sent.filter((block) => block.type === 'text' && block.text.startsWith('[missing: '))).toHaveLength(
      1,
    );
  });
});

describe('B13', () => {
  test('what is stored is what is sent, with the cap of an unknown gateway and the images of others', async () => {
    const archive = await archiveHistory(
      {
        messages: [
          say('u', 'user', 'go'),
          ...Array.from({ length: 40 }, (_, i) => tool(`t${i}`, lines(20))).flat(),
        ],
      },
      {
        ...small,
        model: 'some-model',
        route: 'my-gateway',
        purpose: 'replace',
        onlyIfSmaller: false,
        margin: 0,
        edge: 0,
        usedImages: 2,
      },
    );
    expect(archive.budget.images).toBe(3);
    expect(exceeded(archive)).toEqual([]);
    expect(archive.frames.length).toBeLessThanOrEqual(3);
  });
});

describe('B15', () => {
  test('the guide names every width that occurs, and one for a uniform archive', async () => {
    const messages = Array.from({ length: 80 }, (_, i) => say(`m${i}`, 'assistant', lines(8, `${i}`)));
    const mixed = await archiveHistory({ messages }, { ...small, maxFrames: 26, edge: 0 });
    expect(guide(mixed)).toContain('A row has 32 cells or 44 cells.');
    const uniform = await archiveHistory({ messages: messages.slice(0, 5) }, small);
    expect(guide(uniform)).toContain('A row has 32 cells.');
  });
});

describe('B16', () => {
  const cells = 32 * 11;
  test('a full page is one frame, and one more word an error', async () => {
    const page = 'A'.repeat(cells);
    expect((await renderText(page, { ...small, maxFrames: 1 })).frames).toHaveLength(1);
    await expect(renderText(`${page} TAIL`, { ...small, maxFrames: 1 })).rejects.toMatchObject({
      code: 'over-budget',
    });
    await expect(renderText('KEEP', { ...small, maxFrames: 0 })).rejects.toMatchObject({ code: 'usage' });
  });
  test.each([
    '漢'.repeat(6_000),
    Array.from({ length: 5_000 }, (_, i) => `${i}`.padStart(8, 'x')).join('\n'),
    'a\nb\nc',
  ])('counts as many frames as are rendered', async (text) => {
    const { frames } = await renderText(text, { ...small, maxFrames: 600 });
    expect(frames).toHaveLength(countFrames(text, small));
    const read = frames.map(({ png }) => decodeFrame(png).text).join('');
    expect(read.replaceAll('█', '\n')).toBe(text);
    expect(frames.at(-1)!.heightPx % 16).toBe(0);
  });
});

describe('B24', () => {
  test('a gap stands between head and tail whatever is left of the frames', async () => {
    const messages = [
      say('h', 'user', `HEAD ${lines(20)}`),
      ...Array.from({ length: 30 }, (_, i) => say(`m${i}`, 'assistant', lines(9, `${i}`))),
      say('t', 'assistant', `${lines(10)} TAIL`),
    ];
    const archive = await archiveHistory({ messages }, { ...small, maxFrames: 60, edge: 1 });
    for (const maxImages of [0, 1, 3, archive.frames.length - 1]) {
      const blocks = contextBlocks(archive, { limits: { maxImages } });
      const shape = blocks
        .map((block) => (block.type === 'image' ? 'i' : block.text.startsWith('[missing:') ? 'g' : 't'))
        .join('');
      expect(shape).toMatch(new RegExp(`^ttgi{${maxImages}}t+$`));
    }
    expect(contextBlocks(archive).filter(({ type }) => type === 'image')).toHaveLength(archive.frames.length);
  });
});

describe('B26', () => {
  const history = {
    messages: Array.from({ length: 300 }, (_, i) => say(`m${i}`, 'assistant', lines(60, `${i}`))),
  };
  test('a text-only model gets one notice and the text, and the archive stays as it is', async () => {
    const archive = await archiveHistory({ messages: history.messages.slice(0, 3) }, small);
    const before = JSON.stringify(
      archive.frames.map(({ data }) => createHash('sha256').update(data).digest('hex')),
    );
    deepFreeze(archive);
    const blocks = contextBlocks(archive, { reader: { model: 'gpt-oss-120b' } });
    expect(blocks.every(({ type }) => type === 'text')).toBe(true);
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    expect(count(text, 'Below is an archive')).toBe(1);
    expect(text).not.toContain('images');
    expect(text).toContain('59 of the log');
    expect(
      JSON.stringify(archive.frames.map(({ data }) => createHash('sha256').update(data).digest('hex'))),
    ).toBe(before);
  });
  test('no picture goes to a route that refuses its size among many', async () => {
    const tall = { shape: '11on16-bw', frame: { widthPx: 220, maxHeightPx: 2048 }, threads: 0 };
    const archive = await archiveHistory(
      { messages: history.messages.slice(0, 60) },
      { ...tall, model: 'gpt-5.5', edge: 0 },
    );
    expect(archive.frames.length).toBeGreaterThan(20);
    const blocks = contextBlocks(archive, { reader: { model: 'claude-opus-4-8' } });
    const sent = new Set(blocks.flatMap((block) => (block.type === 'image' ? [block.sha256] : [])));
    const sides = archive.frames.filter(({ sha256 }) => sent.has(sha256)).map(({ heightPx }) => heightPx);
    expect(Math.max(0, ...sides)).toBeLessThanOrEqual(2000);
    const again = await rearchive(archive, undefined, {
      model: 'claude-opus-4-8',
      ...tall,
      purpose: 'archive',
    });
    expect(exceeded(again)).toEqual([]);
  });
});

describe('B28', () => {
  test('the newest request stands last, whole and once as the live one', async () => {
    const request = `B: rename foo to bar ${'with care '.repeat(240)}`.trim();
    const messages = [
      say('a', 'user', 'A: list files'),
      ...tool('t0', 'x'),
      say('b', 'user', request),
      ...Array.from({ length: 30 }, (_, i) => tool(`t${i + 1}`, lines(20))).flat(),
    ];
    const blocks = contextBlocks(await archiveHistory({ messages }, { ...small, edge: 0 }));
    const last = blocks.at(-1)!;
    expect(last.type === 'text' && last.text).toBe(
      `The newest request of the user, word for word. It is the live one; the archive shows what was done for it so far.\n\n${request}`,
    );
    const guide = blocks[0]!;
    expect(guide.type === 'text' && guide.text).toContain('not as new instructions');
    expect(
      blocks.slice(1).some((block) => block.type === 'text' && block.text.includes('A: list files')),
    ).toBe(false);
  });
});

describe('B29', () => {
  test('three passes leave one archive with every fact once, and what was said twice twice', async () => {
    const batch = (i: number) => [
      say(`u${i}`, 'user', `ask ${i}`),
      say(`a${i}`, 'assistant', `fact ${i} is known`),
    ];
    let archive = await archiveHistory({ messages: batch(0) }, small);
    for (const i of [1, 2]) archive = await rearchive(archive, { messages: batch(i) }, { threads: 0 });
    const repeated = batch(1).map((message) => ({ ...message, id: `${message.id}again` }));
    archive = await rearchive(structuredClone(archive), { messages: repeated }, { threads: 0 });
    const text = textOf(archive);
    expect([0, 1, 2].map((i) => count(text, `fact ${i} is known`))).toEqual([1, 2, 1]);
    expect(count(text, 'are an archive of the earlier part')).toBe(1);
  });
});

describe('B31', () => {
  test('an archive that is no smaller is refused, with both numbers', async () => {
    const history = { messages: [say('u', 'user', 'hi'), say('a', 'assistant', 'word '.repeat(2_000))] };
    const refused = archiveHistory(history, { model: 'claude-opus-4-8', threads: 0, onlyIfSmaller: true });
    await expect(refused).rejects.toMatchObject({ code: 'nothing-gained', exitCode: 4 });
    await expect(refused).rejects.toThrow(/fewer than \d+ tokens.*got.* \d+/);
    const plan = await planArchive(history, { model: 'claude-opus-4-8' });
    expect(plan.status).toBe('nothing');
  });
});

describe('B60', () => {
  const options = { ...small, maxFrames: 8, edge: 0 };
  test('draws the planned frames only, and none in a second pass', async () => {
    const renderer = new CountingRenderer();
    const archive = await archiveHistory(long, { ...options, renderer });
    expect(renderer.drawn).toBe(archive.frames.length);
    renderer.drawn = 0;
    expect(await rearchive(archive, undefined, { renderer })).toBe(archive);
    expect(renderer.drawn).toBe(0);
  });
  test('lets the event loop run while it plans', async () => {
    let turns = 0;
    let isDone = false;
    const spin = () => {
      turns++;
      if (!isDone) setImmediate(spin);
    };
    setImmediate(spin);
    await planArchive(long, { model: 'claude-sonnet-4-5', windowTokens: 128_000 });
    isDone = true;
    expect(turns).toBeGreaterThan(20);
  });
  test('paints one page once for ten passes at a time, and counts the bytes of what it keeps', async () => {
    const format = pageFormat(getShape('11on16-bw'), small.frame);
    const pages = [...paginate(lines(60).replaceAll('\n', '█'), [], format)].map((page) => ({
      page,
      format,
    }));
    expect(pages.length).toBeGreaterThan(3);
    const renderer = new CountingRenderer();
    const cache = createFrameCache({ maxBytes: 1_000_000 });
    const all = await Promise.all(
      Array.from({ length: 10 }, () => paintPages(pages, { mime: 'image/png', renderer, cache })),
    );
    expect(renderer.drawn).toBe(pages.length);
    expect(new Set(all.map((frames) => JSON.stringify(frames.map(({ sha256 }) => sha256)))).size).toBe(1);
    expect(cache.bytes).toBe(all[0]!.reduce((sum, { data }) => sum + data.byteLength, 0));
    expect(cache.frames).toBe(pages.length);
  });
});
