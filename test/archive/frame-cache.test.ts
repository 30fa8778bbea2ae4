import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFrameCache } from '../../src/archive/frame-cache.js';
import { type Painted, paintPages } from '../../src/archive/paint-pages.js';
import { InProcessRenderer, type Renderer } from '../../src/frame/renderer.js';
import { pageFormat } from '../../src/page/page-format.js';
import { paginate } from '../../src/page/paginate.js';
import { getShape } from '../../src/page/shapes.js';

const frame = (bytes: number, fill = 1): Painted => {
  const data = new Uint8Array(bytes).fill(fill);
  return {
    data,
    mime: 'image/png',
    sha256: createHash('sha256').update(data).digest('hex'),
    widthPx: 1,
    heightPx: 1,
    bitDepth: 1,
    pageSha256: 'p',
  };
};
const format = pageFormat(getShape('11on16-bw'), { widthPx: 352, maxHeightPx: 176 });
const pages = [...paginate(Array.from({ length: 400 }, (_, i) => `word${i}`).join(' '), [], format)].map(
  (page) => ({ page, format }),
);

describe('a frame cache', () => {
  test('is bounded by the bytes of its entries, the least recently used going first', () => {
    const cache = createFrameCache({ maxBytes: 100 });
    cache.set('a', frame(40));
    cache.set('b', frame(40, 2));
    expect(cache.get('a')).toBeDefined();
    cache.set('c', frame(40, 3));
    expect(cache.get('b')).toBeUndefined();
    expect([cache.bytes, cache.frames]).toEqual([80, 2]);
    cache.set('c', frame(20, 4));
    expect(cache.bytes).toBe(60);
    cache.set('large', frame(101));
    expect([cache.get('large'), cache.bytes]).toEqual([undefined, 60]);
    cache.clear();
    expect([cache.bytes, cache.frames]).toEqual([0, 0]);
  });

  test('gives nothing that somebody changed, and holds no larger buffer than it counts', () => {
    const cache = createFrameCache();
    const painted = frame(40);
    cache.set('a', painted);
    painted.data[3] = 9;
    expect(cache.get('a')).toBeUndefined();
    expect(cache.bytes).toBe(0);
    cache.set('v', { ...frame(40), data: new Uint8Array(1_000).fill(1).subarray(0, 40) });
    expect(cache.get('v')!.data.buffer.byteLength).toBe(40);
  });

  test('refuses a bound out of range', () => {
    for (const maxBytes of [-1, 1.5, Number.NaN])
      expect(() => createFrameCache({ maxBytes })).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test('lets another pass paint what the first one gave up', async () => {
    const cache = createFrameCache();
    const inner = new InProcessRenderer();
    const failing: Renderer = {
      threads: 0,
      paint: async () => Promise.reject(new Error('lost')),
      close: async () => undefined,
    };
    const first = paintPages(pages, { mime: 'image/png', renderer: failing, cache });
    const second = paintPages(pages, { mime: 'image/png', renderer: inner, cache });
    await expect(first).rejects.toThrow('lost');
    expect(await second).toHaveLength(pages.length);
    expect(cache.frames).toBe(pages.length);
  });

  test('is not needed to paint equal pages once, nor large enough to share what is being painted', async () => {
    let drawn = 0;
    const inner = new InProcessRenderer();
    const renderer: Renderer = {
      threads: 0,
      paint: (...page) => {
        drawn++;
        return inner.paint(...page);
      },
      close: async () => undefined,
    };
    const calls: number[] = [];
    const twice = await paintPages([...pages, ...pages], {
      mime: 'image/png',
      renderer,
      onFrame: (done) => calls.push(done),
    });
    expect(twice.slice(pages.length)).toEqual(twice.slice(0, pages.length));
    expect(drawn).toBe(pages.length);
    expect(calls.at(-1)).toBe(pages.length * 2);
    const cache = createFrameCache({ maxBytes: 0 });
    const options = { mime: 'image/png' as const, renderer, cache };
    await Promise.all([paintPages(pages, options), paintPages(pages, options)]);
    expect(drawn).toBe(pages.length * 2);
    expect([cache.bytes, cache.frames]).toEqual([0, 0]);
  });
});
