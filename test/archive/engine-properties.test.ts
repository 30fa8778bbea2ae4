import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Archive } from '../../src/archive/archive.js';
import { type ArchiveOptions, archiveHistory } from '../../src/archive/archive-history.js';
import {
  type ContextBlock,
  type ContextOptions,
  NO_LIMITS,
  type Sending,
  type SendLimits,
  sendingOf,
} from '../../src/archive/context-blocks.js';
import { pinnedSegments } from '../../src/archive/pins.js';
import { rearchive } from '../../src/archive/rearchive.js';
import { textBlockBytes } from '../../src/archive/wire-bytes.js';
import { toAnthropic, toGoogle, toOpenAIChat, toOpenAIResponses } from '../../src/archive/wire-forms.js';
import { predictTokens } from '../../src/billing/predict-tokens.js';
import { SnapcompactError } from '../../src/errors.js';
import { resolveReader } from '../../src/page/readers.js';
import { segmentChars } from '../../src/text/segment.js';
import { droppedChars, exceeded, lostTurns } from '../support/archives.js';
import { deepFreeze, historyOf, turns } from '../support/histories.js';

const numRuns = (usual: number) => Number(process.env['SNAPCOMPACT_RUNS'] ?? usual);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const frames = [
  { shape: '11on16-bw', frame: { widthPx: 352, maxHeightPx: 176 } },
  { shape: '8on16-bw', frame: { widthPx: 256, maxHeightPx: 96 } },
  { shape: '11on16-bw', frame: { widthPx: 1232, maxHeightPx: 160 } },
];
const anyOptions: fc.Arbitrary<ArchiveOptions> = fc
  .record({
    target: fc.constantFrom(...frames),
    model: fc.constantFrom('claude-sonnet-4-5', 'gpt-5.5', 'gemini-3-pro', 'nobody-knows'),
    maxFrames: maybe(fc.integer({ min: 1, max: 40 })),
    maxImages: maybe(fc.integer({ min: 0, max: 25 })),
    maxBytes: maybe(fc.integer({ min: 5_000, max: 90_000 })),
    windowTokens: maybe(fc.integer({ min: 2_000, max: 40_000 })),
    usedTokens: maybe(fc.integer({ min: 0, max: 3_000 })),
    usedImages: maybe(fc.integer({ min: 0, max: 3 })),
    purpose: fc.constantFrom('archive' as const, 'replace' as const),
    onlyIfSmaller: fc.constantFrom(false, false, undefined),
    margin: maybe(fc.constantFrom(0, 0.1, 0.5)),
    edge: maybe(fc.constantFrom(0, 0.5, 1, 2, 3)),
    pins: fc.constantFrom([], [], ['alpha'], ['role:ai', 'm3']),
    reasoning: fc.boolean(),
    sourceBytes: fc.constantFrom(undefined, undefined, 3_000),
  })
  .map(({ target, ...options }) => {
    const stated = Object.entries(options).filter(([, value]) => value !== undefined);
    return { ...target, ...Object.fromEntries(stated), threads: 0 };
  });

/** The archive, or `undefined` for one that was refused for a reason of its size. */
async function made(work: Promise<Archive>): Promise<Archive | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof SnapcompactError && ['over-budget', 'nothing-gained'].includes(cause.code))
      return undefined;
    throw cause;
  }
}

const digestsOf = ({ frames: all }: Archive) =>
  all.map(({ data }) => createHash('sha256').update(data).digest('hex'));

describe('an archive of any history under any limits', () => {
  test('exceeds none of them, accounts for every character and keeps what the user said', async () => {
    let archives = 0;
    await fc.assert(
      fc.asyncProperty(turns(40), anyOptions, async (list, options) => {
        const archive = await made(archiveHistory(deepFreeze(historyOf(list)), options));
        if (archive === undefined) return;
        archives++;
        expect(exceeded(archive)).toEqual([]);
        expect(lostTurns(archive)).toEqual([]);
        const pinned = pinnedSegments(archive.segments, archive.settings.pins);
        const left = (reason: string) =>
          archive.elisions
            .filter((elision) => elision.reason === reason)
            .reduce((sum, { chars }) => sum + chars, 0);
        if (left('source') === 0) expect(left('budget')).toBe(droppedChars(archive, pinned));
        const kept = archive.segments.reduce((sum, segment) => sum + segmentChars(segment), 0);
        if (left('source') === 0) expect(archive.counts.sourceChars).toBe(kept);
        expect(left('cap') + left('budget')).toBeLessThanOrEqual(kept);
        if (archive.budget.onlyIfSmaller)
          expect(archive.cost.totalTokens).toBeLessThan(archive.cost.replacedTokens);
      }),
      { numRuns: numRuns(120) },
    );
    expect(archives).toBeGreaterThan(0);
  });

  test('is the same for the same input, whatever the threads', async () => {
    await fc.assert(
      fc.asyncProperty(turns(20), anyOptions, async (list, options) => {
        const first = await made(archiveHistory(historyOf(list), options));
        const second = await made(archiveHistory(historyOf(list), options));
        expect(second).toEqual(first);
      }),
      { numRuns: numRuns(20) },
    );
    const history = historyOf(fc.sample(turns(60), { seed: 7, numRuns: 1 })[0]!);
    const options = { ...frames[0]!, edge: 0, maxFrames: 40 };
    const alone = await archiveHistory(history, { ...options, threads: 0 });
    expect(alone.frames.length).toBeGreaterThan(2);
    // A worker is built code.
    const built = await import('snapcompact');
    for (const threads of [0, 1, 3])
      expect(await built.archiveHistory(history, { ...options, threads })).toEqual(alone);
  });
});

describe('a later pass over any archive', () => {
  test('changes nothing when nothing is new', async () => {
    await fc.assert(
      fc.asyncProperty(turns(30), anyOptions, async (list, options) => {
        const archive = await made(archiveHistory(historyOf(list), options));
        if (archive === undefined) return;
        expect(await rearchive(deepFreeze(archive), undefined, { threads: 0 })).toBe(archive);
        const loaded = structuredClone(archive);
        expect(await rearchive(loaded, undefined, { threads: 0 })).toBe(loaded);
      }),
      { numRuns: numRuns(60) },
    );
  });

  test('keeps sealed frames, limits and user turns over three passes, with stored frames or without', async () => {
    await fc.assert(
      fc.asyncProperty(
        turns(25),
        fc.array(turns(12), { minLength: 3, maxLength: 3 }),
        anyOptions,
        async (list, more, options) => {
          let before = await made(archiveHistory(historyOf(list), options));
          for (const [pass, addition] of more.entries()) {
            if (before === undefined) return;
            const bytes = digestsOf(before);
            const history = historyOf(addition, `p${pass}-`);
            const after = await made(rearchive(deepFreeze(before), history, { threads: 0 }));
            expect(digestsOf(before)).toEqual(bytes);
            if (after === undefined) return;
            expect(exceeded(after)).toEqual([]);
            expect(lostTurns(after)).toEqual([]);
            checkSealed(before, after);
            // Of copies nothing is remembered: neither what they print as nor what was counted.
            const foreign = {
              ...before,
              segments: structuredClone(before.segments),
              frames: before.frames.map((frame) => ({ ...frame, data: Uint8Array.of(1, 2, 3) })),
            };
            expect(await rearchive(foreign, history, { threads: 0 })).toEqual(after);
            before = after;
          }
        },
      ),
      { numRuns: numRuns(40), interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false },
    );
  });
});

/** Between layouts all but the open frames stay in place. */
function checkSealed(before: Archive, after: Archive): void {
  if (before.layout.generation !== after.layout.generation) return;
  const sealed = before.counts.frames - before.counts.openFrames;
  expect(digestsOf(after).slice(0, sealed)).toEqual(digestsOf(before).slice(0, sealed));
  const head = ({ parts }: Archive) => parts.filter((part) => part.type === 'text' && part.role === 'head');
  expect(head(after)).toEqual(head(before));
}

describe('a later pass far from every limit', () => {
  test('makes no new layout while every limit is far', async () => {
    const options = fc.record({
      target: fc.constantFrom(...frames),
      purpose: fc.constantFrom('archive' as const, 'replace' as const),
      edge: fc.constantFrom(0, 0.5, 1, 3),
      pins: fc.constantFrom([], ['alpha'], ['role:ai']),
    });
    await fc.assert(
      fc.asyncProperty(
        turns(25),
        fc.array(turns(12), { minLength: 3, maxLength: 3 }),
        options,
        async (list, more, { target, ...rest }) => {
          const far = {
            ...target,
            ...rest,
            model: 'claude-sonnet-4-5',
            maxFrames: 600,
            maxImages: 600,
            windowTokens: 1e6,
            pinTokens: 500_000,
            onlyIfSmaller: false,
            threads: 0,
          };
          let before = await archiveHistory(historyOf(list), far);
          for (const [pass, addition] of more.entries()) {
            const after = await rearchive(before, historyOf(addition, `p${pass}-`), { threads: 0 });
            expect(after.layout.generation).toBe(0);
            checkSealed(before, after);
            before = after;
          }
        },
      ),
      { numRuns: numRuns(25), interruptAfterTimeLimit: 25_000, markInterruptAsFailure: false },
    );
  });
});

describe('context blocks of any archive', () => {
  test('keep to any limits, or are refused where what always goes does not fit', async () => {
    const limit = (max: number) =>
      maybe(fc.oneof(fc.integer({ min: 0, max: Math.ceil(max / 8) }), fc.integer({ min: 0, max })));
    const seen = { whole: 0, cut: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        turns(30),
        anyOptions,
        fc.record({ maxImages: limit(12), maxBytes: limit(60_000), maxTokens: limit(9_000) }),
        fc.constantFrom(
          undefined,
          { model: 'gpt-oss-120b' },
          { model: 'gpt-3.5-turbo' },
          { model: 'claude-opus-4-8' },
          { route: 'openrouter' },
        ),
        async (list, options, some, reader) => {
          const archive = await made(archiveHistory(historyOf(list), options));
          if (archive === undefined) return;
          deepFreeze(archive);
          const target = { ...(reader && { reader }) };
          const limits = some as SendLimits;
          const sending = sentOrRefused(archive, { ...target, limits });
          if (sending === undefined) {
            seen.refused++;
            expectNoRoom(archive, target, limits);
            return;
          }
          const { blocks, missing, missingChars } = sending;
          seen[missing + missingChars === 0 ? 'whole' : 'cut']++;
          expect(bodyBytes(blocks)).toBeLessThanOrEqual(sending.bytes);
          expect(sending.bytes).toBeLessThanOrEqual(some.maxBytes ?? Number.POSITIVE_INFINITY);
          const images = blocks.filter(({ type }) => type === 'image').length;
          expect(images).toBeLessThanOrEqual(some.maxImages ?? Number.POSITIVE_INFINITY);
          const reads = reader === undefined ? archive.reader : resolveReader(reader);
          const { tokens } = predictTokens(blocks, reads);
          expect(tokens).toBeLessThanOrEqual(some.maxTokens ?? Number.POSITIVE_INFINITY);
          if (!reads.vision) expect(images).toBe(0);
          checkAccount(archive, sending);
        },
      ),
      { numRuns: numRuns(120) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });
});

/** In the body of a request, by the wire form that takes the most; nothing is sent of no blocks. */
function bodyBytes(blocks: readonly ContextBlock[]): number {
  if (blocks.length === 0) return 0;
  const bodies = [
    toAnthropic(blocks, { cache: { lifetime: '1h' } }),
    toOpenAIChat(blocks, { detail: 'original' }),
    toOpenAIResponses(blocks, { detail: 'original' }),
    toGoogle(blocks),
  ];
  return Math.max(...bodies.map((body) => Buffer.byteLength(JSON.stringify(body))));
}

function sentOrRefused(archive: Archive, options: ContextOptions): Sending | undefined {
  try {
    return sendingOf(archive, options);
  } catch (cause) {
    if (cause instanceof SnapcompactError && cause.code === 'over-budget') return undefined;
    throw cause;
  }
}

/** Guide, pins and newest request, as a request without room for images has them, with three markers take too much. */
function expectNoRoom(archive: Archive, target: ContextOptions, { maxBytes, maxTokens }: SendLimits): void {
  const { blocks } = sendingOf(archive, { ...target, limits: { ...NO_LIMITS, maxImages: 0 } });
  const reader = target.reader === undefined ? archive.reader : resolveReader(target.reader);
  const marker = '[missing: 1000000 characters of the archive, beyond the limits of this request]';
  const gapLine = '[missing: …] stands where a part of the archive is not sent.\n';
  const least = [
    ...blocks.filter(
      (block, i) =>
        i === 0 || (block.type === 'text' && /^(?:Parts of the conv|The newest req|¶|\[)/.test(block.text)),
    ),
    ...[gapLine, marker, marker, marker].map((text) => ({ type: 'text' as const, text })),
  ];
  const bytes = least.reduce(
    (sum, block) => sum + (block.type === 'text' ? textBlockBytes(block.text) : 0),
    0,
  );
  const { tokens } = predictTokens(least, reader);
  expect(
    bytes > (maxBytes ?? Number.POSITIVE_INFINITY) || tokens > (maxTokens ?? Number.POSITIVE_INFINITY),
  ).toBe(true);
}

/** A marker for each part that is not there or not whole, whose numbers are those of the sending. */
function checkAccount(archive: Archive, { blocks, missing, missingChars }: Sending): void {
  const all = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const count = (what: string) =>
    [...all.matchAll(new RegExp(`\\[missing: (\\d+) ${what}s? of the archive`, 'g'))].map(([, n]) =>
      Number(n),
    );
  expect(count('page')).toEqual(missing === 0 ? [] : [missing]);
  expect(count('character').reduce((sum, n) => sum + n, 0)).toBe(missingChars);
  expect(all.includes('[missing: …]')).toBe(missing + missingChars > 0);
  const edges = archive.parts.flatMap((part) =>
    part.type === 'text' && part.role !== 'page' ? [part.text] : [],
  );
  if (missingChars === 0) expect(edges.every((text) => all.includes(text))).toBe(true);
  if (archive.live !== '') expect(all.endsWith(archive.live)).toBe(true);
  expect(all).toContain(archive.pins);
}
