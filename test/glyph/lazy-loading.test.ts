import { beforeEach, expect, it, vi } from 'vitest';

const loads: string[] = [];

vi.mock('../../src/glyph/load-font.js', async (original) => {
  const actual = await original<typeof import('../../src/glyph/load-font.js')>();
  return {
    loadFont: (name: string) => {
      loads.push(name);
      return actual.loadFont(name);
    },
  };
});

async function freshChain() {
  vi.resetModules();
  const { loadFontChain } = await import('../../src/glyph/font-chain.js');
  return loadFontChain(['8x13', 'unifont', 'unifont-upper']);
}

beforeEach(() => loads.splice(0));

it('reads no font to make a chain', async () => {
  await freshChain();
  expect(loads).toEqual([]);
});

it('answers for all codes below 0x80 and for common punctuation from the first font alone', async () => {
  const chain = await freshChain();
  for (let codePoint = 0; codePoint < 0x80; codePoint++) chain.coverage(codePoint);
  for (const character of '\n\t—–−’“”…•→─│█éАλ') chain.glyph(character.codePointAt(0)!);
  chain.coverage(0x1f600);
  expect([...new Set(loads)]).toEqual(['8x13']);
});

it('lists what the first font prints without reading the others', async () => {
  const chain = await freshChain();
  expect([...chain.codePoints(1)].length).toBeGreaterThan(3_000);
  expect([...new Set(loads)]).toEqual(['8x13']);
});

it('reads the second font for an ideograph and the third for what both lack', async () => {
  const chain = await freshChain();
  chain.coverage(0x4e2d);
  expect([...new Set(loads)]).toEqual(['8x13', 'unifont']);
  chain.coverage(0x10000);
  expect([...new Set(loads)]).toEqual(['8x13', 'unifont', 'unifont-upper']);
});
