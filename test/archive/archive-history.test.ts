import { describe, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { contextBlocks } from '../../src/archive/context-blocks.js';
import { decodeFrame } from '../../src/frame/decode.js';
import type { History, Message } from '../../src/history/history.js';

const turn = (i: number, role: Message['role'], text: string): Message => ({
  id: `m${i}`,
  role,
  blocks: [{ type: 'text', text }],
});
const history = (turns: number): History => ({
  messages: Array.from({ length: turns }, (_, i) =>
    turn(i, i % 2 ? 'assistant' : 'user', `turn ${i} says ${'word '.repeat(40)}`),
  ),
});
const small = { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 }, threads: 0 };

describe('archiveHistory', () => {
  test('prints a history on frames that decode to their pages, in the shape of the reader', async () => {
    const archive = await archiveHistory(history(4), { model: 'claude-opus-4-8', threads: 0 });
    expect(archive.reader.shape).toBe('11on16-bw');
    expect(archive.frames.map(({ data }) => decodeFrame(data).text)).toEqual(
      archive.frames.map(({ text }) => text),
    );
    expect(archive.frames.map(({ text }) => text).join('')).toMatch(/^¶user:turn 0 says .*█¶ai:turn 1 says/);
    expect(archive.counts).toMatchObject({
      messages: 4,
      segments: 4,
      frames: 1,
      framedChars: archive.counts.printedChars,
    });
  });

  test('accounts for frames and bytes, and for tokens saved or lost', async () => {
    const archive = await archiveHistory(history(40), { ...small, model: 'claude-opus-4-8' });
    expect(archive.counts.bytes).toBe(archive.frames.reduce((sum, { data }) => sum + data.length, 0));
    expect(archive.cost.imageTokens).toBeGreaterThan(0);
    expect(archive.cost.savedTokens).toBe(archive.cost.textTokens - archive.cost.imageTokens);
    const tiny = await archiveHistory(history(1), { ...small, model: 'gemini-3-pro' });
    expect(tiny.cost.savedTokens).toBeLessThan(0);
  });

  test('foveates what does not fit: sharp at both edges, denser between, every frame decodable', async () => {
    const options = { shape: '11on16-bw', frame: { widthPx: 352, maxHeightPx: 176 }, threads: 0 };
    const archive = await archiveHistory(history(60), { ...options, maxFrames: 34, edge: 0 });
    const tiers = archive.frames.map(({ tier }) => tier).join('');
    expect(tiers).toMatch(/^(hq){3}(lq)+(hq){3}$/);
    expect(archive.frames.map(({ index }) => index)).toEqual(archive.frames.map((_, i) => i));
    for (const { data, text, shape, tier } of archive.frames) {
      expect(shape).toBe(tier === 'hq' ? '11on16-bw' : '8on16-bw');
      expect(decodeFrame(data)).toMatchObject({ text, shape, unread: [] });
    }
    expect(archive.counts.framedChars).toBe(archive.counts.printedChars);
    const guide = JSON.stringify(contextBlocks(archive)[0]);
    expect(guide).toContain('32 cells');
    expect(guide).toContain('44 cells');
  });

  test('names the entries that each frame starts and ends in', async () => {
    const { frames } = await archiveHistory(history(40), { ...small, edge: 0 });
    expect(frames[0]!.entries.first).toBe('m0');
    expect(frames.at(-1)!.entries.last).toBe('m39');
    for (const { text, entries } of frames) {
      const mentioned = [...text.matchAll(/turn (\d+) says/g)].map((match) => Number(match[1]));
      for (const i of mentioned) {
        expect(i).toBeGreaterThanOrEqual(Number(entries.first.slice(1)));
        expect(i).toBeLessThanOrEqual(Number(entries.last.slice(1)));
      }
    }
  });

  test('refuses a model without vision unless it is allowed', async () => {
    await expect(archiveHistory(history(2), { model: 'gpt-oss-120b', threads: 0 })).rejects.toMatchObject({
      code: 'no-vision',
      exitCode: 4,
    });
    const allowed = await archiveHistory(history(2), {
      model: 'gpt-oss-120b',
      threads: 0,
      allowNoVision: true,
    });
    expect(allowed.frames).toHaveLength(1);
  });

  test('archives an empty history as an archive without frames', async () => {
    const archive = await archiveHistory({ messages: [] }, small);
    expect(archive.frames).toEqual([]);
    expect(contextBlocks(archive)).toEqual([]);
  });

  test('refuses what is no history, bad options and an abort by their codes', async () => {
    for (const wrong of [null, undefined, [], {}, 'text']) {
      await expect(archiveHistory(wrong as never, small)).rejects.toMatchObject({ code: 'usage' });
    }
    await expect(archiveHistory(history(1), { ...small, maxFrames: 0 })).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(archiveHistory(history(1), { ...small, shape: 'nope' })).rejects.toMatchObject({
      code: 'unknown-shape',
    });
    await expect(archiveHistory(history(1), { ...small, signal: AbortSignal.abort() })).rejects.toMatchObject(
      { code: 'interrupted' },
    );
  });

  test('says in its guide only what occurs, and nothing of reasoning when that is off: B03', async () => {
    const thinking: History = {
      messages: [
        {
          id: 'a',
          role: 'assistant',
          blocks: [
            { type: 'reasoning', text: 'plan: first alpha' },
            { type: 'text', text: 'done' },
          ],
        },
      ],
    };
    const on = JSON.stringify(contextBlocks(await archiveHistory(thinking, small))[0]);
    expect(on).toContain('¶think:');
    expect(on).not.toContain('¶call:');
    const off = await archiveHistory(thinking, { ...small, reasoning: false });
    expect(
      JSON.stringify({ ...off, frames: off.frames.map(({ text }) => text), guide: contextBlocks(off)[0] }),
    ).not.toMatch(/alpha|¶?think|reasoning own/);
  });
});
