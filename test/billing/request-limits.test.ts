import { describe, expect, it } from 'vitest';
import { allRequestLimits, requestLimits } from '../../src/billing/request-limits.js';
import { resolveReader } from '../../src/page/readers.js';

describe('requestLimits', () => {
  it.each([
    ['anthropic', 'anthropic-200k', 90],
    ['anthropic-1m', 'anthropic-1m', 96],
    ['Bedrock', 'bedrock', 20],
    ['bedrock-converse-stream', 'bedrock', 20],
    ['openai', 'openai', 200],
    ['google', 'gemini', 200],
    ['mistral', 'mistral', 8],
    ['groq', 'groq', 5],
    ['openrouter', 'openrouter', 8],
    ['vllm', 'vllm', 1],
    [' DeepInfra ', 'deepinfra', 8],
  ])('%s is the route %s with %d safe images', (name, route, images) => {
    const limits = requestLimits(name);
    expect(limits.route).toBe(route);
    expect(limits.images.safe).toBe(images);
  });

  it.each(['', 'no-such-route', '__proto__', 'openai-compatible'])(
    '%j is an endpoint nothing is known of',
    (name) => {
      expect(requestLimits(name)).toBe(requestLimits());
      expect(requestLimits().images.safe).toBe(5);
    },
  );

  it('keeps every Claude route to 2000 px past twenty images', () => {
    for (const route of [
      'anthropic-1m',
      'anthropic-200k',
      'bedrock',
      'google-cloud-claude',
      'anthropic-compatible',
    ]) {
      expect(requestLimits(route).manyImages).toEqual({ above: 20, sidePx: 2000 });
      expect(requestLimits(route).sidePx.safe).toBe(2000);
    }
  });

  it('knows that Copilot takes no detail original', () => {
    expect(requestLimits('openai').details).toContain('original');
    expect(requestLimits('copilot').details).not.toContain('original');
  });

  it('is what a reader of the same route is limited to', () => {
    for (const { route } of allRequestLimits()) {
      const { limits } = resolveReader({ model: 'house-model', route });
      const full = requestLimits(limits.route);
      expect(limits).toEqual({
        route: full.route,
        images: full.images.safe,
        imageBytes: full.imageBytes.safe,
        requestBytes: full.requestBytes.safe,
        sidePx: full.sidePx.safe,
      });
    }
  });
});

describe('src/billing/request-limits.json', () => {
  it.each(allRequestLimits())('$route is safe below what is documented and measured', (limits) => {
    for (const { documented, measured, safe } of [limits.images, limits.imageBytes, limits.requestBytes]) {
      if (safe === null) continue;
      expect(safe).toBeGreaterThan(0);
      expect(safe).toBeLessThanOrEqual(Math.min(documented ?? Infinity, measured ?? Infinity));
    }
    expect(limits.images.safe).toBeGreaterThanOrEqual(1);
    if (limits.manyImages !== null && limits.images.safe > limits.manyImages.above) {
      expect(limits.sidePx.safe).toBeLessThanOrEqual(limits.manyImages.sidePx);
    }
    expect(limits.source).toMatch(/\S/);
    expect(limits.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('gives every name and alias to one route only', () => {
    const names = allRequestLimits().flatMap(({ route, aliases }) => [route, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });
});
