import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Archive } from '../../src/archive/archive.js';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { rearchive } from '../../src/archive/rearchive.js';
import type { History, Message } from '../../src/history/history.js';
import { exceeded, lostTurns } from '../support/archives.js';
import { deepFreeze } from '../support/histories.js';

const small = { shape: '11on16-bw', frame: { widthPx: 352, maxHeightPx: 176 }, threads: 0 };
const message = (id: string, role: Message['role'], text: string): Message => ({
  id,
  role,
  blocks: [{ type: 'text', text }],
});
const turn = (i: number): Message[] => [
  message(`u${i}`, 'user', `request ${i}`),
  {
    id: `c${i}`,
    role: 'assistant',
    blocks: [{ type: 'call', callId: `${i}`, name: 'run', input: { step: i } }],
  },
  {
    id: `r${i}`,
    role: 'tool',
    blocks: [{ type: 'result', callId: `${i}`, content: [{ type: 'text', text: `row ${i} `.repeat(60) }] }],
  },
];
const turns = (from: number, to: number): History => ({
  messages: Array.from({ length: to - from }, (_, i) => turn(from + i)).flat(),
});
const digests = ({ frames }: Archive) =>
  frames.map(({ data }) => createHash('sha256').update(data).digest('hex'));

describe('passes over one archive', () => {
  test('leave sealed frames as they are, and free a fifth of the cap in each new layout', async () => {
    const maxFrames = 20;
    let before = await archiveHistory(turns(0, 12), { ...small, maxFrames, edge: 1 });
    let layouts = 0;
    for (let pass = 1; pass <= 25; pass++) {
      const after = await rearchive(deepFreeze(before), turns(11 + pass, 12 + pass), { threads: 0 });
      expect(exceeded(after)).toEqual([]);
      expect(lostTurns(after)).toEqual([]);
      if (after.layout.generation === before.layout.generation) {
        const sealed = before.counts.frames - before.counts.openFrames;
        expect(digests(after).slice(0, sealed)).toEqual(digests(before).slice(0, sealed));
      } else {
        layouts++;
        expect(after.frames.length).toBeLessThanOrEqual(maxFrames * 0.8);
      }
      before = after;
    }
    expect(layouts).toBeGreaterThan(0);
    expect(layouts).toBeLessThan(12);
  });

  test('free a fifth of a source that outgrew its bound, and leave frames alone until it does again', async () => {
    const sourceBytes = 14_000;
    let before = await archiveHistory(turns(0, 24), { ...small, sourceBytes });
    let isWhole = false;
    let same = 0;
    let bound = 0;
    for (let pass = 1; pass <= 20; pass++) {
      // In turns as an addition, and as the whole session, which brings back what was left out before.
      isWhole = !isWhole;
      const from = isWhole ? 0 : 23 + pass;
      const after = await rearchive(before, turns(from, 24 + pass), { threads: 0, isWhole });
      const left = after.elisions.filter(({ reason }) => reason === 'source').length;
      if (left > before.elisions.filter(({ reason }) => reason === 'source').length) bound++;
      else {
        expect(after.layout.generation).toBe(before.layout.generation);
        same++;
      }
      before = after;
    }
    expect(bound).toBeGreaterThan(1);
    expect(same).toBeGreaterThan(10);
  });

  test('see what was changed in place since', async () => {
    const before = await archiveHistory(turns(0, 20), small);
    const copy = structuredClone(before);
    for (const segment of [before, copy].flatMap(({ segments }) => segments)) {
      if (segment.part === 'text') Object.assign(segment, { text: 'other words' });
      if (segment.part === 'call') Object.assign(segment.args[0]!, { text: '77' });
    }
    expect(await rearchive(before, turns(20, 22), { threads: 0 })).toEqual(
      await rearchive(copy, turns(20, 22), { threads: 0 }),
    );
  });

  test('declare another encoding as they declare a new layout', async () => {
    const before = await archiveHistory(turns(0, 12), small);
    const after = await rearchive(before, undefined, { format: 'webp', threads: 0 });
    expect(after.layout).toEqual({ ...before.layout, generation: before.layout.generation + 1 });
    expect(await rearchive(after, undefined, { threads: 0 })).toBe(after);
  });

  test('keep the newest request as text, or refuse', async () => {
    const long = message('last', 'user', 'and this '.repeat(4_000));
    const history = { messages: [...turns(0, 12).messages, long] };
    const fits = await archiveHistory(history, { ...small, windowTokens: 40_000 });
    expect(fits.live).toBe(long.blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''));
    await expect(archiveHistory(history, { ...small, windowTokens: 8_000 })).rejects.toThrow(
      /at most \d+ tokens for the newest request/,
    );
    await expect(archiveHistory(history, { ...small, maxBytes: 30_000 })).rejects.toThrow(
      /at most 30000 bytes for the newest request/,
    );
  });

  test('cut the pages anew where what was printed before is another text', async () => {
    const open = (isDone: boolean): History => ({
      messages: turns(0, 40).messages.filter(({ id }) => isDone || id !== 'r1'),
    });
    const before = await archiveHistory(open(false), { ...small, maxFrames: 24, edge: 1 });
    const after = await rearchive(before, open(true), { isWhole: true, threads: 0 });
    expect(after.layout.generation).toBe(before.layout.generation + 1);
    expect(lostTurns(after)).toEqual([]);
    const shorter = await rearchive(after, turns(0, 1), { isWhole: true, threads: 0 });
    expect(shorter.counts.messages).toBe(3);
    expect(lostTurns(shorter)).toEqual([]);
  });

  test('make room for a smaller window, also at the edges', async () => {
    const before = await archiveHistory(turns(0, 60), {
      shape: '11on16-bw',
      frame: { widthPx: 1232, maxHeightPx: 1600 },
      edge: 1,
      threads: 0,
    });
    const after = await rearchive(before, undefined, { windowTokens: 8_000, threads: 0 });
    expect(exceeded(after)).toEqual([]);
    expect(lostTurns(after)).toEqual([]);
  });

  test('never use a stored frame of other bytes or another size', async () => {
    const before = await archiveHistory(turns(0, 6), small);
    const damaged = {
      ...before,
      frames: before.frames.map((frame) => ({ ...frame, data: Uint8Array.of(1), heightPx: frame.heightPx })),
    };
    expect(digests(await rearchive(damaged, undefined, { threads: 0 }))).toEqual(digests(before));
    const resized = { ...before, frames: before.frames.map((frame) => ({ ...frame, heightPx: 16 })) };
    expect(await rearchive(resized, undefined, { threads: 0 })).toEqual(before);
  });

  test('forget what was left out of reasoning once that is off', async () => {
    const thought: History = {
      messages: [
        { id: 't', role: 'assistant', blocks: [{ type: 'reasoning', text: 'x'.repeat(900) }] },
        message('a', 'assistant', 'done'),
      ],
    };
    const before = await archiveHistory(thought, { ...small, sourceBytes: 100 });
    expect(before.elisions).toMatchObject([{ reason: 'source', chars: 900 }]);
    expect(before.counts.sourceChars).toBe(904);
    const after = await rearchive(before, undefined, { reasoning: false, threads: 0 });
    expect(after.elisions).toEqual([]);
    expect(after.counts.sourceChars).toBe(4);
  });

  test('plan a hundred thousand segments in linear time', async () => {
    const many = (count: number): History => ({
      messages: Array.from({ length: count }, (_, i) =>
        message(`m${i}`, i % 9 ? 'assistant' : 'user', `say ${i}`),
      ),
    });
    const time = async (count: number) => {
      const started = performance.now();
      await archiveHistory(many(count), {
        ...small,
        frame: { widthPx: 1232, maxHeightPx: 1600 },
        maxFrames: 80,
        pinTokens: 5e6,
      });
      return performance.now() - started;
    };
    await time(5_000);
    expect(await time(100_000)).toBeLessThan(20_000);
  });
});
