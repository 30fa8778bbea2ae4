import { describe, expect, test } from 'vitest';
import type { Archive } from '../../src/archive/archive.js';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { type ContextOptions, contextBlocks } from '../../src/archive/context-blocks.js';
import type { Message } from '../../src/history/history.js';

const small = { shape: '11on16-bw', frame: { widthPx: 352, maxHeightPx: 176 }, threads: 0 };
const lines = (count: number, what: string) =>
  Array.from({ length: count }, (_, i) => `${what} ${i} of the log`).join('\n');
const say = (id: string, text: string): Message => ({
  id,
  role: 'assistant',
  blocks: [{ type: 'text', text }],
});
const tool = (id: string, output: string): Message[] => [
  { id, role: 'assistant', blocks: [{ type: 'call', callId: id, name: 'run', input: {} }] },
  {
    id: `${id}r`,
    role: 'tool',
    blocks: [{ type: 'result', callId: id, content: [{ type: 'text', text: output }] }],
  },
];
const guideOf = (archive: Archive, options?: ContextOptions) => {
  const [block] = contextBlocks(archive, options);
  return block?.type === 'text' ? block.text : '';
};
const saysOfText = (guide: string) => {
  expect(guide).toMatch(/^Below is an archive/);
  expect(guide).not.toMatch(/image|A row has|cells|grey/);
  expect(guide).toContain('¶ai: is what the assistant answered.');
  expect(guide).toContain('as a record of what happened');
};

describe('the guide of a sending without images', () => {
  test('speaks of text where every page of the archive is text', async () => {
    const messages = [say('a', lines(60, 'a'))];
    const archive = await archiveHistory(
      { messages },
      { ...small, purpose: 'replace', onlyIfSmaller: false, margin: 1, edge: 0 },
    );
    expect(archive.frames).toEqual([]);
    expect(archive.parts.length).toBeGreaterThan(1);
    saysOfText(guideOf(archive));
    const short = await archiveHistory(
      { messages: [say('a', 'one'), say('b', 'two')] },
      { ...small, edge: 1 },
    );
    expect(contextBlocks(short).some(({ type }) => type === 'image')).toBe(short.frames.length > 0);
  });

  test('speaks of text where the request has no room for images, and no fact claims to be in one', async () => {
    const archive = await archiveHistory(
      { messages: [...tool('t', lines(60, 't')), say('a', `sha 9f86d081884c7d65 ${lines(60, 'a')}`)] },
      { ...small, edge: 0 },
    );
    expect(guideOf(archive)).toContain('Tool results are in grey.');
    expect(JSON.stringify(contextBlocks(archive))).toContain('Exact values that occur in the images');
    for (const limits of [{ maxImages: 0 }, { maxBytes: 2_000 }]) {
      saysOfText(guideOf(archive, { limits }));
      expect(JSON.stringify(contextBlocks(archive, { limits }))).not.toContain('images');
    }
  });

  test('speaks of text where the frames are all too large for the reader', async () => {
    const archive = await archiveHistory(
      { messages: [say('a', lines(3_000, 'a'))] },
      { shape: '11on16-bw', frame: { widthPx: 220, maxHeightPx: 9_000 }, threads: 0, edge: 0 },
    );
    const tall = { ...archive, frames: archive.frames.map((frame) => ({ ...frame, heightPx: 9_000 })) };
    const options = { reader: { model: 'claude-opus-4-8' } };
    expect(contextBlocks(tall, options).every(({ type }) => type === 'text')).toBe(true);
    saysOfText(guideOf(tall, options));
    expect(JSON.stringify(contextBlocks(tall, options))).toContain('a 2999 of the log');
  });
});

describe('the guide of a sending with some of the images', () => {
  const sharpAndDense = archiveHistory(
    { messages: Array.from({ length: 80 }, (_, i) => say(`m${i}`, lines(8, `${i}`))) },
    { ...small, maxFrames: 26, edge: 0 },
  );

  test('names the sizes of those that are sent', async () => {
    const archive = await sharpAndDense;
    const dense = 'The images in the middle are printed smaller than the first and the last.';
    expect(guideOf(archive)).toContain('A row has 32 cells or 44 cells.');
    expect(guideOf(archive)).toContain(dense);
    const newest = guideOf(archive, { limits: { maxImages: 3 } });
    expect(newest).toContain('A row has 32 cells.');
    expect(newest).not.toMatch(/smaller/);
    const half = guideOf(archive, { limits: { maxImages: 10 } });
    expect(half).toContain('A row has 44 cells or 32 cells.');
    expect(half).toContain('Some of the images are printed smaller than others.');
    expect(half).not.toContain(dense);
  });

  test('speaks of grey where it occurs in one of them', async () => {
    const archive = await archiveHistory(
      { messages: [...tool('t', lines(60, 't')), say('a', lines(90, 'a'))] },
      { ...small, edge: 0 },
    );
    expect(archive.frames.at(-1)!.bitDepth).toBe(1);
    expect(guideOf(archive)).toContain('grey');
    expect(guideOf(archive, { limits: { maxImages: 1 } })).not.toContain('grey');
  });

  test('says that text stands between them where one goes as its text', async () => {
    const archive = await sharpAndDense;
    const large = {
      ...archive,
      frames: archive.frames.map((frame, i) => (i === 4 ? { ...frame, heightPx: 9_000 } : frame)),
    };
    const text = 'Some stretches stand between the images as text.';
    expect(guideOf(large)).not.toContain(text);
    expect(guideOf(large, { reader: { model: 'claude-opus-4-8' } })).toContain(text);
  });

  test('is the same whatever part of the middle has room, but for what images need', async () => {
    const archive = await sharpAndDense;
    const guides = [11, 12, 15].map((maxImages) => guideOf(archive, { limits: { maxImages } }));
    expect(new Set(guides).size).toBe(1);
  });
});
