import type Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { archiveHistory } from '../../src/archive/archive-history.js';
import { type ContextBlock, contextBlocks } from '../../src/archive/context-blocks.js';
import {
  type CacheOptions,
  toAISDK,
  toAnthropic,
  toGoogle,
  toOpenAIChat,
  toOpenAIResponses,
  toPi,
} from '../../src/archive/wire-forms.js';

const archive = await archiveHistory(
  { messages: [{ id: 'm', role: 'assistant', blocks: [{ type: 'text', text: 'word '.repeat(300) }] }] },
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
});

const png = { type: 'image', mime: 'image/png', data: Uint8Array.of(1, 2, 3), sha256: 'aa' } as const;
const webp = { type: 'image', mime: 'image/webp', data: Uint8Array.of(4, 5, 6), sha256: 'bb' } as const;
const text = (value: string) => ({ type: 'text', text: value }) as const;
const mixed: readonly ContextBlock[] = [
  text('guide'),
  text(''),
  png,
  text(' \n\t'),
  webp,
  text('facts'),
  text(''),
];

describe('the wire forms of PNG, WebP and empty text', () => {
  const inline = (mime: string, data: string) => `data:${mime};base64,${data}`;
  test.each([
    [
      'toAnthropic',
      toAnthropic(mixed),
      (mime: string, data: string) => ({ type: 'image', source: { type: 'base64', media_type: mime, data } }),
      text,
    ],
    [
      'toOpenAIChat',
      toOpenAIChat(mixed),
      (mime: string, data: string) => ({ type: 'image_url', image_url: { url: inline(mime, data) } }),
      text,
    ],
    [
      'toOpenAIResponses',
      toOpenAIResponses(mixed),
      (mime: string, data: string) => ({ type: 'input_image', image_url: inline(mime, data) }),
      (value: string) => ({ type: 'input_text', text: value }),
    ],
    [
      'toGoogle',
      toGoogle(mixed),
      (mime: string, data: string) => ({ inlineData: { mimeType: mime, data } }),
      (value: string) => ({ text: value }),
    ],
    ['toPi', toPi(mixed), (mime: string, data: string) => ({ type: 'image', data, mimeType: mime }), text],
    [
      'toAISDK',
      toAISDK(mixed),
      (mime: string, data: string) => ({
        type: 'image',
        image: new Uint8Array(Buffer.from(data, 'base64')),
        mediaType: mime,
      }),
      text,
    ],
  ])('%s names the type of every image and sends no text of white space', (_, content, image, words) => {
    expect(content).toEqual([
      words('guide'),
      image('image/png', 'AQID'),
      image('image/webp', 'BAUG'),
      words('facts'),
    ]);
  });

  test('give every image the detail that is asked for', () => {
    expect(toOpenAIChat(mixed, { detail: 'original' }).slice(1, 3)).toEqual([
      { type: 'image_url', image_url: { url: inline('image/png', 'AQID'), detail: 'original' } },
      { type: 'image_url', image_url: { url: inline('image/webp', 'BAUG'), detail: 'original' } },
    ]);
    expect(toOpenAIResponses(mixed, { detail: 'high' }).slice(1, 3)).toEqual([
      { type: 'input_image', image_url: inline('image/png', 'AQID'), detail: 'high' },
      { type: 'input_image', image_url: inline('image/webp', 'BAUG'), detail: 'high' },
    ]);
    expect(JSON.stringify(toOpenAIResponses(mixed))).not.toContain('detail');
  });

  test('never send text of white space, whatever the blocks', () => {
    const block = fc.oneof(
      fc.constantFrom<ContextBlock>(png, webp),
      fc.constantFrom('', ' ', '\n', 'words', '\u00a0', '0').map(text),
    );
    fc.assert(
      fc.property(fc.array(block), fc.boolean(), (any, cache) => {
        for (const sent of toAnthropic(any, { cache })) {
          if (sent.type === 'text') expect(sent.text).toMatch(/\S/);
        }
      }),
    );
  });
});

describe('frames by reference', () => {
  test('are files where the digest is known, and inline where it is not', () => {
    const content: Anthropic.ContentBlockParam[] = toAnthropic(mixed, { files: new Map([['bb', 'file_b']]) });
    expect(content[1]).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AQID' },
    });
    expect(content[2]).toEqual({ type: 'image', source: { type: 'file', file_id: 'file_b' } });
  });

  test('are never sent as picture data, nor empty', () => {
    const files = new Map([
      ['aa', ''],
      ['cc', 'file_c'],
    ]);
    expect(toAnthropic(mixed, { files })).toEqual(toAnthropic(mixed));
    expect(JSON.stringify(toAnthropic([png], { files: new Map([['aa', 'file_a']]) }))).not.toContain(
      'base64',
    );
  });
});

type Sent = ReturnType<typeof toAnthropic>;
type Sealed = ContextBlock & { readonly sealed?: boolean };

const marksOf = (content: Sent) =>
  content.flatMap((block, index) => ('cache_control' in block ? [index] : []));

/** `count` blocks that differ from those of another name. */
const run = (name: string, count: number, sealed = false): Sealed[] =>
  Array.from({ length: count }, (_, index) => ({ ...text(`${name} ${index}`), ...(sealed && { sealed }) }));

/** Where a later request's lookup finds an entry of an earlier one, looking `reach` blocks back from each mark. */
function hits(earlier: Sent, later: Sent, reach: number): number[] {
  const prefix = (content: Sent, end: number) =>
    JSON.stringify(content.slice(0, end + 1).map(({ cache_control: _, ...block }) => block));
  const entries = new Set(marksOf(earlier));
  return marksOf(later)
    .flatMap((mark) => Array.from({ length: reach + 1 }, (_, back) => mark - back))
    .filter((at) => entries.has(at) && prefix(earlier, at) === prefix(later, at));
}

describe('cache marks', () => {
  test('stand at the end where nothing is sealed, and every 20 blocks before', () => {
    expect(marksOf(toAnthropic(run('frame', 5), { cache: true }))).toEqual([4]);
    expect(marksOf(toAnthropic(run('frame', 20), { cache: true }))).toEqual([19]);
    expect(marksOf(toAnthropic(run('frame', 21), { cache: true }))).toEqual([0, 20]);
    expect(marksOf(toAnthropic(run('frame', 82), { cache: true }))).toEqual([21, 41, 61, 81]);
  });

  test('stand at the last sealed block, the end, and back from both', () => {
    const archive = (sealed: number, rest: number) => [...run('sealed', sealed, true), ...run('open', rest)];
    expect(marksOf(toAnthropic(archive(10, 5), { cache: true }))).toEqual([9, 14]);
    expect(marksOf(toAnthropic(archive(76, 6), { cache: true }))).toEqual([35, 55, 75, 81]);
    expect(marksOf(toAnthropic(archive(10, 30), { cache: true }))).toEqual([9, 19, 39]);
    expect(marksOf(toAnthropic(archive(10, 0), { cache: true }))).toEqual([9]);
    expect(marksOf(toAnthropic(archive(76, 6), { cache: { breakpoints: 2 } }))).toEqual([75, 81]);
    expect(marksOf(toAnthropic(archive(76, 6), { cache: { breakpoints: 1 } }))).toEqual([75]);
  });

  test('are none by default, and carry the life that is asked for', () => {
    const one = run('frame', 1);
    expect(marksOf(toAnthropic(one))).toEqual([]);
    expect(marksOf(toAnthropic(one, { cache: false }))).toEqual([]);
    expect(toAnthropic(one, { cache: true })[0]).toMatchObject({ cache_control: { type: 'ephemeral' } });
    expect(toAnthropic(one, { cache: {} })).toEqual(toAnthropic(one, { cache: true }));
    expect(toAnthropic(one, { cache: { lifetime: '1h' } })[0]!.cache_control).toEqual({
      type: 'ephemeral',
      ttl: '1h',
    });
    expect(toAnthropic([], { cache: true })).toEqual([]);
  });

  test.each([
    [{ breakpoints: 0 }, /1 to 4 for breakpoints, got 0/],
    [{ breakpoints: 5 }, /got 5/],
    [{ breakpoints: 1.5 }, /got 1.5/],
    [{ lifetime: '2h' as '1h' }, /5m or 1h for lifetime, got 2h/],
  ])('refuse %j', (cache: CacheOptions, message) => {
    expect(() => toAnthropic(run('frame', 1), { cache })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) }),
    );
  });

  test('are never too many, and never miss the last sealed block', () => {
    const block = fc.tuple(fc.constantFrom('', 'words', 'more'), fc.boolean());
    const budget = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 150 }), budget, (list, breakpoints) => {
        const kept = list.filter(([words]) => words !== '');
        const content = toAnthropic(
          list.map(([words, sealed]) => ({ ...text(words), ...(sealed && { sealed }) })),
          { cache: { breakpoints } },
        );
        const marks = marksOf(content);
        const lastSealed = kept.findLastIndex(([, sealed]) => sealed);
        expect(content).toHaveLength(kept.length);
        expect(marks.length).toBeLessThanOrEqual(breakpoints);
        if (kept.length > 0) expect(marks.length).toBeGreaterThan(0);
        if (lastSealed >= 0) expect(marks).toContain(lastSealed);
        if (breakpoints > 1 && kept.length > 0) expect(marks).toContain(kept.length - 1);
      }),
    );
  });

  /** Two passes: the second seals `added` more, and what is not sealed differs. */
  const passes = (most: number) =>
    fc.record({
      sealed: fc.integer({ min: 1, max: 100 }),
      added: fc.integer({ min: 0, max: most }),
      open: fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })),
    });
  const twoPasses = (sealed: number, added: number, open: readonly [number, number], cache: CacheOptions) => [
    toAnthropic([...run('sealed', sealed, true), ...run('first', open[0])], { cache }),
    toAnthropic([...run('sealed', sealed + added, true), ...run('second', open[1])], { cache }),
  ];

  test('let the next pass hit the last sealed block when at most 20 blocks were added', () => {
    fc.assert(
      fc.property(passes(20), fc.integer({ min: 1, max: 4 }), ({ sealed, added, open }, breakpoints) => {
        const [earlier, later] = twoPasses(sealed, added, open, { breakpoints });
        expect(hits(earlier!, later!, 20)).toContain(sealed - 1);
      }),
    );
  });

  test('let the next pass hit it with 60 blocks added, and a look-back that counts the mark itself', () => {
    fc.assert(
      fc.property(passes(59), ({ sealed, added, open }) => {
        const [earlier, later] = twoPasses(sealed, added, open, {});
        expect(hits(earlier!, later!, 19)).toContain(sealed - 1);
      }),
    );
  });

  test('let appended blocks hit where nothing is sealed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 79 }), (count, added) => {
        const [earlier, later] = [count, count + added].map((length) =>
          toAnthropic(run('frame', length), { cache: true }),
        );
        expect(hits(earlier!, later!, 19)).toContain(count - 1);
      }),
    );
  });
});
