import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Bytes } from '../../src/billing/base64-bytes.js';
import {
  checkRequest,
  imageBytesLimit,
  imageLimit,
  patchCount,
  requestBytesLimit,
  sideLimitPx,
} from '../../src/billing/check-request.js';
import { allRequestLimits, requestLimits } from '../../src/billing/request-limits.js';

const frame = { widthPx: 1932, heightPx: 1932, bytesBase64: base64Bytes(117_000) };
const frames = (count: number, changes: object = {}) =>
  Array.from({ length: count }, () => ({ ...frame, ...changes }));

describe('base64Bytes', () => {
  it('is the length of what Node encodes', () => {
    for (let bytes = 0; bytes < 200; bytes++) {
      expect(base64Bytes(bytes)).toBe(Buffer.alloc(bytes).toString('base64').length);
    }
  });
});

describe('checkRequest', () => {
  it('passes what a route takes', () => {
    expect(checkRequest(frames(96), 10_000, 'anthropic-1m')).toEqual({ ok: true, route: 'anthropic-1m' });
    expect(checkRequest([], 0, 'groq')).toEqual({ ok: true, route: 'groq' });
    expect(checkRequest(frames(5), 0, 'no-such-route')).toEqual({ ok: true, route: 'unknown' });
  });

  it.each([
    ['anthropic-1m', 97, { binding: 'images', limit: 96, actual: 97 }],
    ['anthropic', 91, { binding: 'images', limit: 90, actual: 91 }],
    ['bedrock', 21, { binding: 'images', limit: 20, actual: 21 }],
    ['groq', 6, { binding: 'images', limit: 5, actual: 6 }],
    ['mistral', 9, { binding: 'images', limit: 8, actual: 9 }],
    ['copilot', 11, { binding: 'images', limit: 10, actual: 11 }],
  ])('%s refuses %d images', (route, count, expected) => {
    expect(checkRequest(frames(count), 0, route)).toMatchObject({ ok: false, ...expected });
  });

  it('holds Claude to 2000 px only from the 21st image on', () => {
    const large = { widthPx: 2001, heightPx: 100 };
    expect(checkRequest(frames(20, large), 0, 'anthropic-1m').ok).toBe(true);
    const request = [...frames(20), { ...frame, ...large }];
    expect(checkRequest(request, 0, 'anthropic-1m')).toMatchObject({
      ok: false,
      binding: 'many-images-side',
      limit: 2000,
      actual: 2001,
      image: 20,
    });
    expect(checkRequest(frames(21, { widthPx: 2000, heightPx: 2000 }), 0, 'anthropic-1m').ok).toBe(true);
    expect(checkRequest(frames(1, { widthPx: 8001, heightPx: 10 }), 0, 'anthropic-1m')).toMatchObject({
      binding: 'image-side',
      limit: 8000,
    });
  });

  it('holds DeepSeek to 4096 px from the 15th image on', () => {
    expect(checkRequest(frames(14, { widthPx: 8192 }), 0, 'deepseek').ok).toBe(true);
    expect(checkRequest(frames(15, { widthPx: 4097 }), 0, 'deepseek')).toMatchObject({
      binding: 'many-images-side',
      limit: 4096,
    });
  });

  it('counts the patches of an image on OpenAI', () => {
    expect(patchCount({ widthPx: 33, heightPx: 32 })).toBe(2);
    expect(checkRequest(frames(1, { widthPx: 6400, heightPx: 4800 }), 0, 'openai').ok).toBe(true);
    expect(checkRequest(frames(1, { widthPx: 6401, heightPx: 4800 }), 0, 'openai')).toMatchObject({
      binding: 'image-patches',
      limit: 30_000,
      actual: 201 * 150,
      image: 0,
    });
  });

  it('counts bytes as base64, of an image and of the whole body', () => {
    const fits = base64Bytes(3_750_000);
    expect(fits).toBe(5_000_000);
    expect(checkRequest(frames(1, { bytesBase64: fits }), 0, 'bedrock').ok).toBe(true);
    expect(checkRequest(frames(1, { bytesBase64: base64Bytes(3_750_001) }), 0, 'bedrock')).toMatchObject({
      binding: 'image-bytes',
      limit: 5_000_000,
    });
    expect(checkRequest(frames(4, { bytesBase64: 4_500_000 }), 0, 'bedrock').ok).toBe(true);
    expect(checkRequest(frames(4, { bytesBase64: 4_500_000 }), 1, 'bedrock')).toMatchObject({
      binding: 'request-bytes',
      limit: 18_000_000,
      actual: 18_000_001,
    });
    expect(checkRequest([], 3_500_001, 'groq')).toMatchObject({ binding: 'request-bytes' });
  });

  it('lists every limit exceeded, the first of them as the binding one', () => {
    const check = checkRequest(frames(6, { widthPx: 5761, bytesBase64: 3_600_000 }), 0, 'groq');
    expect(check.ok).toBe(false);
    if (check.ok) return;
    expect(check.binding).toBe('images');
    expect(new Set(check.violations.map(({ binding }) => binding))).toEqual(
      new Set(['images', 'image-side', 'image-bytes', 'request-bytes']),
    );
  });

  it('passes exactly the requests that keep every limit', () => {
    const routes = constantFrom(...allRequestLimits().map(({ route }) => route));
    const image = record({
      widthPx: integer({ min: 1, max: 9000 }),
      heightPx: integer({ min: 1, max: 9000 }),
      bytesBase64: integer({ min: 4, max: 12_000_000 }),
    });
    assert(
      property(
        routes,
        array(image, { maxLength: 110 }),
        integer({ min: 0, max: 5_000_000 }),
        (route, images, text) => {
          const limits = requestLimits(route);
          const body = images.reduce((sum, { bytesBase64 }) => sum + bytesBase64, text);
          const keeps =
            images.length <= imageLimit(limits) &&
            body <= requestBytesLimit(limits) &&
            images.every(
              ({ widthPx, heightPx, bytesBase64 }) =>
                Math.max(widthPx, heightPx) <= sideLimitPx(limits, images.length) &&
                bytesBase64 <= imageBytesLimit(limits) &&
                patchCount({ widthPx, heightPx }) <= (limits.patchesPerImage ?? Number.POSITIVE_INFINITY),
            );
          expect(checkRequest(images, text, route).ok).toBe(keeps);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('takes limits from the overrides, under a name, an alias or for a new route', () => {
    const overrides = {
      limits: {
        claude: { images: 2, sidePx: 100, requestBytes: null },
        'our-gateway': { images: 30, manyImages: { above: 3, sidePx: 50 } },
      },
    };
    expect(checkRequest(frames(3), 0, 'anthropic-200k', overrides)).toMatchObject({
      binding: 'images',
      limit: 2,
    });
    expect(checkRequest(frames(1), 0, 'anthropic', overrides)).toMatchObject({
      binding: 'image-side',
      limit: 100,
    });
    expect(checkRequest(frames(6), 0, 'Our-Gateway', overrides)).toMatchObject({
      binding: 'many-images-side',
      limit: 50,
      route: 'our-gateway',
    });
    expect(requestLimits('claude', overrides)).toMatchObject({
      route: 'anthropic-200k',
      requestBytes: { safe: null },
      source: expect.stringMatching(/^configuration/),
    });
    expect(requestLimits('claude').images.safe).toBe(90);
  });
});
