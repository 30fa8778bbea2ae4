/** Runs against the built package: a worker cannot be TypeScript. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createRenderer, type Frame, type Renderer, renderText, SnapcompactError } from 'snapcompact';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awkwardText } from '../support/text-samples.js';

const shape = { shape: '8on16-bw', frame: { widthPx: 320, maxHeightPx: 160 } };
const CELLS = 40 * 10;
const text = Array.from({ length: 400 }, (_, i) => `line ${i} of a log, 漢字 and ─── ${i * 7919}`).join('\n');
const worker = (name: string) => new URL(`../fixtures/workers/${name}`, import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snapcompact-'));
  process.env['SNAPCOMPACT_TEST_STATE'] = join(folder, 'state');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function digests(threads: number): Promise<string[]> {
  const { frames } = await renderText(text, { ...shape, threads });
  return frames.map(({ sha256 }) => sha256);
}

/** The renderer, with every page it paints handed to `see`. */
function watch(renderer: Renderer, see: (page: Promise<Frame>) => void): Renderer {
  return {
    threads: renderer.threads,
    paint: (...page) => {
      const frame = renderer.paint(...page);
      see(frame);
      return frame;
    },
    close: () => renderer.close(),
  };
}

describe('the worker pool', () => {
  test('gives the same bytes in-process, with one thread and with two', async () => {
    const inProcess = await digests(0);
    expect(inProcess.length).toBeGreaterThan(20);
    expect(await digests(1)).toEqual(inProcess);
    expect(await digests(2)).toEqual(inProcess);
  });

  test('gives the same bytes as in-process for any text', async () => {
    const pools = [createRenderer({ threads: 1 }), createRenderer({ threads: 2 })];
    const inProcess = createRenderer({ threads: 0 });
    await fc.assert(
      fc.asyncProperty(awkwardText, async (part) => {
        const source = `${part} `.repeat(400).slice(0, 6000);
        const [expected, ...others] = await Promise.all(
          [inProcess, ...pools].map((renderer) => renderText(source, { ...shape, renderer })),
        );
        const bytesOf = (rendered: typeof expected) => rendered!.frames.map(({ sha256 }) => sha256);
        for (const other of others) expect(bytesOf(other)).toEqual(bytesOf(expected));
      }),
      { numRuns: 25 },
    );
    await Promise.all(pools.map((pool) => pool.close()));
  }, 60_000);

  test.each(['exit', 'throw in a timer', 'exhaust the heap', 'hang'])(
    'replaces a worker that dies (%s) and renders its page once more: B58',
    async (death) => {
      process.env['SNAPCOMPACT_TEST_DEATH'] = death;
      const renderer = createRenderer({
        threads: 1,
        deadlineMs: death === 'hang' ? 1500 : 20_000,
        workerFile: worker('dies-once.mjs'),
      });
      const { frames } = await renderText(text, { ...shape, renderer });
      await renderer.close();
      expect(frames.map(({ sha256 }) => sha256)).toEqual(await digests(0));
    },
    60_000,
  );

  test('rejects a page that costs two workers with the reason, while the others finish', async () => {
    const lastPageCells = 40;
    process.env['SNAPCOMPACT_TEST_CELLS'] = String(lastPageCells);
    const renderer = createRenderer({ threads: 2, workerFile: worker('dies-on-size.mjs') });
    const painted: Promise<Frame>[] = [];
    const watched = watch(renderer, (page) => painted.push(page));
    const run = renderText('y'.repeat(CELLS * 7 + 30), { ...shape, renderer: watched });
    await expect(run).rejects.toMatchObject({ code: 'worker-failed' });
    await expect(run).rejects.toThrow(/page 8.*worker exited with code: 7/);
    const outcomes = await Promise.allSettled(painted);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(7).fill('fulfilled'), 'rejected']);
    await renderer.close();
  });

  test('rejects everything at once when the worker module cannot load', async () => {
    const renderer = createRenderer({ threads: 2, workerFile: worker('cannot-load.mjs') });
    const failure = await renderText(text, { ...shape, renderer }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SnapcompactError);
    expect((failure as SnapcompactError).message).toMatch(/a worker module that loads/);
    await expect(renderText(text, { ...shape, renderer })).rejects.toMatchObject({ code: 'worker-failed' });
    await renderer.close();
  });

  test('stops when its signal fires, and paints again afterwards', async () => {
    const renderer = createRenderer({ threads: 2 });
    const stop = new AbortController();
    const run = renderText(text, { ...shape, renderer, signal: stop.signal, onFrame: () => stop.abort() });
    await expect(run).rejects.toMatchObject({ code: 'interrupted' });
    expect((await renderText(text, { ...shape, renderer })).frames.length).toBeGreaterThan(20);
    await renderer.close();
  });

  test('is none the worse for an abort before its workers have loaded', async () => {
    const renderer = createRenderer({ threads: 2 });
    const early = renderText(text, { ...shape, renderer, signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ code: 'interrupted' });
    for (const delayMs of [0, 5, 30]) {
      const run = renderText(text, { ...shape, renderer, signal: AbortSignal.timeout(delayMs) });
      await expect(run).rejects.toMatchObject({ code: 'interrupted' });
    }
    expect((await renderText(text, { ...shape, renderer })).frames.length).toBeGreaterThan(20);
    await renderer.close();
  });

  test('lets pages under way finish when it is closed, and takes no more', async () => {
    const renderer = createRenderer({ threads: 2 });
    const painted: Promise<Frame>[] = [];
    const run = renderText(text, {
      ...shape,
      renderer: watch(renderer, (page) => painted.push(page)),
      onFrame: () => void renderer.close(),
    });
    await expect(run).rejects.toThrow(/a closed one/);
    const outcomes = await Promise.allSettled(painted);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(3);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason.message).toMatch(/a closed one/);
  });

  test('closes twice, and unused', async () => {
    const renderer = createRenderer({ threads: 2 });
    await renderText(text, { ...shape, renderer });
    await renderer.close();
    await renderer.close();
    await createRenderer({ threads: 2 }).close();
  });

  test('keeps a bounded number of pages in flight', async () => {
    const renderer = createRenderer({ threads: 2 });
    let open = 0;
    let most = 0;
    const watched = watch(renderer, (page) => {
      most = Math.max(most, ++open);
      page.finally(() => open--);
    });
    await renderText(text, { ...shape, renderer: watched });
    await renderer.close();
    expect(most).toBeLessThanOrEqual(4);
  });
});
