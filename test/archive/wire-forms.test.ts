import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { contextBlocks } from '../../src/archive/context-blocks.js';
import {
  toAISDK,
  toAnthropic,
  toGoogle,
  toOpenAIChat,
  toOpenAIResponses,
  toPi,
} from '../../src/archive/wire-forms.js';

const archive = await archiveHistory(
  { messages: [{ id: 'm', role: 'user', blocks: [{ type: 'text', text: 'word '.repeat(300) }] }] },
  { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 }, threads: 0 },
);
const blocks = contextBlocks(archive);

/** The base64 of every image, wherever the form keeps it. */
function imagesIn(content: readonly object[]): string[] {
  return [...JSON.stringify(content).matchAll(/iVBORw0KGgo[A-Za-z0-9+/]*={0,2}/g)].map(([data]) => data);
}

describe.each([
  ['toAnthropic', toAnthropic(blocks)],
  ['toOpenAIChat', toOpenAIChat(blocks, { detail: 'original' })],
  ['toOpenAIResponses', toOpenAIResponses(blocks)],
  ['toGoogle', toGoogle(blocks)],
  ['toPi', toPi(blocks)],
])('%s', (_, content) => {
  test('gives the guide first and then every frame once, whole and in order', () => {
    expect(content).toHaveLength(archive.frames.length + 1);
    expect(JSON.stringify(content[0])).toContain('archive of the earlier part');
    const images = imagesIn(content).map((data) => Buffer.from(data, 'base64'));
    expect(images.map((png) => png.equals(archive.frames[images.indexOf(png)]!.data))).toEqual(
      archive.frames.map(() => true),
    );
    for (const png of images) expect(PNG.sync.read(png).width).toBe(320);
  });
});

describe('the wire forms', () => {
  test('are those of the APIs', () => {
    expect(toAnthropic(blocks)[1]).toMatchObject({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png' },
    });
    expect(toOpenAIChat(blocks, { detail: 'original' })[1]).toMatchObject({
      type: 'image_url',
      image_url: { detail: 'original' },
    });
    expect(toOpenAIResponses(blocks)[1]).toMatchObject({
      type: 'input_image',
      image_url: expect.stringMatching(/^data:image\/png;base64,/),
    });
    expect(toGoogle(blocks)[1]).toMatchObject({ inlineData: { mimeType: 'image/png' } });
    expect(toPi(blocks)[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect(toAISDK(blocks)[1]).toMatchObject({
      type: 'image',
      mediaType: 'image/png',
      image: archive.frames[0]!.data,
    });
  });

  test('send no detail where none is asked for', () => {
    expect(JSON.stringify(toOpenAIChat(blocks))).not.toContain('detail');
  });

  test('mark the last block for the cache on request', () => {
    const marked = toAnthropic(blocks, { cache: true }).map((block) => 'cache_control' in block);
    expect(marked).toEqual([...blocks.slice(1).map(() => false), true]);
  });
});
