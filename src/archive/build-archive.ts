/**
 * Source → archive: plan, paint what is not painted yet, and hold the plan against what was really encoded.
 *
 * The one implementation behind the first pass and every later one. Every page is derived from the source each time;
 * an earlier pass gives its layout, which is kept while it fits, and its frames, which save painting.
 */

import { base64Bytes } from '../billing/base64-bytes.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { SnapcompactError } from '../errors.js';
import type { Tiers } from '../page/foveate.js';
import { pageFormat } from '../page/page-format.js';
import type { Reader } from '../page/readers.js';
import { getShape } from '../page/shapes.js';
import type { Elision } from '../text/elision.js';
import type { Segment } from '../text/segment.js';
import type { Archive, ArchivedFrame, ArchiveSettings, ArchiveSource } from './archive.js';
import { assemble, type Pass } from './assemble.js';
import type { Budget } from './budget.js';
import { NO_LIMITS, sendingOf } from './context-blocks.js';
import { factsheetOf } from './factsheet.js';
import { type MiddlePage, pixelsOf } from './middle-page.js';
import { figuresOf } from './page-figures.js';
import { type PaintOptions, paintPages } from './paint-pages.js';
import {
  bindingOf,
  type Estimates,
  isSmaller,
  type Layout,
  planSegments,
  type SegmentPlan,
  SURROUNDING_BYTES,
  SURROUNDING_TOKENS,
} from './plan.js';

export interface BuildInput {
  readonly segments: readonly Segment[];
  /** What the bound of the source left out, in this pass and before. */
  readonly sourceElisions: readonly Elision[];
  readonly messages: number;
  readonly reader: Reader;
  readonly settings: ArchiveSettings;
  readonly budget: Budget;
  readonly source?: ArchiveSource | undefined;
  readonly overrides?: BillingOverrides | undefined;
  /** The archive before this pass. */
  readonly previous?: Archive | undefined;
}

/** Base64 bytes for a pixel: a little more than full frames of real transcripts with grey tool output took. */
export const ASSUMED_BYTES_PER_PIXEL = 0.051;

/** Plans alone. Throws `over-budget`. */
export function planBuild(input: BuildInput, estimates = estimatesOf(input)): Promise<SegmentPlan> {
  const { segments, reader, settings, budget, overrides } = input;
  return planSegments({
    segments,
    reader,
    tiers: tiersOf(reader),
    caps: settings.caps,
    pins: settings.pins,
    budget,
    estimates,
    overrides,
    previous: layoutToKeep(input),
    generation: (input.previous?.layout.generation ?? -1) + 1,
  });
}

/** What a layout that is kept was planned with, so that it fits again; else what is assumed. */
function estimatesOf(input: BuildInput): Estimates {
  return layoutToKeep(input)?.estimates ?? ASSUMED;
}

const ASSUMED: Estimates = {
  bytesPerPixel: ASSUMED_BYTES_PER_PIXEL,
  surroundingTokens: SURROUNDING_TOKENS,
  surroundingBytes: SURROUNDING_BYTES,
};

/** Passes at most: one, one more with what was measured, and a few in which that does not do either. */
const MAX_PASSES = 5;

/**
 * Plans and paints, and holds the archive against the limits as it is sent. Where bytes decide, the plan is made once
 * more with those that were encoded; where it turns out too large, until it is not. Throws `over-budget`,
 * `nothing-gained`, `worker-failed`, `interrupted`.
 */
export async function buildArchive(
  input: BuildInput,
  options: Omit<PaintOptions, 'mime' | 'stored'>,
): Promise<Archive> {
  let stored = input.previous?.frames ?? [];
  let estimates = estimatesOf(input);
  let fitting: Archive | undefined;
  for (let passes = 1; ; passes++) {
    const made = await pass(input, options, stored, estimates).catch((cause: unknown) => {
      if (fitting !== undefined && cause instanceof SnapcompactError && cause.exitCode === REFUSED)
        return undefined;
      throw cause;
    });
    if (made === undefined) return fitting!;
    const archive = assemble(input, made);
    const excess = excessOf(archive, input);
    if (excess === undefined) {
      const looser = passes === 1 ? looserEstimates(made, input) : undefined;
      if (looser === undefined) return archive;
      fitting = archive;
      estimates = looser;
    } else {
      if (fitting !== undefined) return fitting;
      if (passes === MAX_PASSES) throw excess.error;
      estimates = tighterEstimates(made, excess);
    }
    stored = [...stored, ...archive.frames];
  }
}

const REFUSED = 4;

async function pass(
  input: BuildInput,
  options: Omit<PaintOptions, 'mime' | 'stored'>,
  stored: readonly ArchivedFrame[],
  estimates: Estimates,
): Promise<Pass> {
  const plan = await planBuild(input, estimates);
  checkGain(input.budget, plan);
  const pages = framesOf(plan);
  const { overrides, settings, reader } = input;
  const counting = { tokenizer: reader.tokenizer, overrides };
  const [painted, figures] = await Promise.all([
    paintPages(pages, { ...options, mime: settings.mime, stored }),
    figuresOf(pages, stored, counting),
  ]);
  const factsheet = factsheetOf(
    figures.map(({ facts }) => facts),
    counting,
  );
  return { plan, painted, figures, factsheet };
}

export function tiersOf(reader: Reader): Tiers {
  const hq = pageFormat(getShape(reader.shape), reader.frame);
  const { dense } = hq.shape;
  return dense === null ? { hq } : { hq, lq: pageFormat(getShape(dense), reader.frame) };
}

/** The layout of the pass before, unless something else than the source changed what is printed. */
function layoutToKeep({ previous, reader, settings, budget }: BuildInput): Layout | undefined {
  if (previous === undefined) return undefined;
  const printing = ({ reasoning, caps, pins }: ArchiveSettings, of: Reader, { edge, purpose }: Budget) =>
    JSON.stringify([reasoning, caps, pins, edge, purpose, of.shape, of.frame]);
  const before = printing(previous.settings, previous.reader, previous.budget);
  if (printing(settings, reader, budget) !== before) return undefined;
  // The same pages in another encoding are other bytes: that is declared as a new layout is.
  const { layout } = previous;
  const isSameEncoding = settings.mime === previous.settings.mime;
  return isSameEncoding ? layout : { ...layout, generation: layout.generation + 1 };
}

function framesOf({ middle }: SegmentPlan): MiddlePage[] {
  return middle.pages.filter((page) => page.as === 'frame');
}

/** Of base64, on the frame that needs the most; frames of a few rows, which are mostly file head, aside. */
function measuredBytes({ plan, painted }: Pass): number {
  const pages = framesOf(plan).map(({ page, format }) => pixelsOf(page, format));
  const largest = Math.max(...pages);
  const rates = pages.map((pixels, i) =>
    pixels < largest / 2 ? 0 : base64Bytes(painted[i]!.data.length) / pixels,
  );
  return Math.max(...rates) * 1.02;
}

/** Where bytes are what binds and frames took fewer than was assumed, a new layout may hold more. */
function looserEstimates(made: Pass, { budget }: BuildInput): Estimates | undefined {
  const { middle, layout, isNewLayout } = made.plan;
  const { limit, frames, needed } = bindingOf(middle);
  if (budget.bytes === null || limit !== 'bytes' || needed <= frames || !isNewLayout) return undefined;
  const bytesPerPixel = made.painted.length === 0 ? Number.POSITIVE_INFINITY : measuredBytes(made);
  return bytesPerPixel < layout.estimates.bytesPerPixel ? { ...layout.estimates, bytesPerPixel } : undefined;
}

/** By how much an archive is larger, as it is sent, than was planned for. */
interface Excess {
  readonly bytes: number;
  readonly tokens: number;
  readonly error: SnapcompactError;
}

function excessOf(archive: Archive, { budget, reader, overrides }: BuildInput): Excess | undefined {
  checkLargestFrame(archive, reader);
  // For a model that takes no images all of it would be text, and the sender cuts that.
  if (!reader.vision) return undefined;
  const sent = sendingOf(archive, { limits: NO_LIMITS, ...(overrides && { overrides }) });
  const bytes = Math.max(0, sent.bytes - (budget.bytes ?? Number.POSITIVE_INFINITY));
  const tokens = Math.max(0, sent.tokens - (budget.tokens ?? Number.POSITIVE_INFINITY));
  if (bytes > 0) return { bytes, tokens, error: tooMany('bytes', sent.bytes, budget.bytes!) };
  if (tokens > 0) return { bytes, tokens, error: tooMany('tokens', sent.tokens, budget.tokens!) };
  return undefined;
}

/** Each time by some more than what was lacking, so that the passes come to an end. */
function tighterEstimates(made: Pass, { bytes, tokens }: Excess): Estimates {
  const before = made.plan.layout.estimates;
  const pixels = framesOf(made.plan).reduce((sum, { page, format }) => sum + pixelsOf(page, format), 0);
  const images = made.painted.reduce((sum, { data }) => sum + base64Bytes(data.length), 0);
  const isImages = bytes > 0 && images / pixels > before.bytesPerPixel;
  return {
    bytesPerPixel: isImages
      ? Math.max(measuredBytes(made), before.bytesPerPixel * 1.05)
      : before.bytesPerPixel,
    surroundingBytes: before.surroundingBytes + (bytes > 0 && !isImages ? bytes + 200 : 0),
    surroundingTokens: before.surroundingTokens + (tokens > 0 ? tokens + 50 : 0),
  };
}

/** An unknown route has limits of its own only where somebody replaces a context by it. */
function checkLargestFrame({ frames, budget }: Archive, { limits: { imageBytes, route } }: Reader): void {
  if (imageBytes === null || (budget.purpose === 'archive' && route === 'unknown')) return;
  const largest = Math.max(0, ...frames.map(({ data }) => base64Bytes(data.length)));
  if (largest <= imageBytes) return;
  throw new SnapcompactError('over-budget', {
    expected: `frames of at most ${imageBytes} bytes as base64`,
    of: `route ${route}`,
    got: String(largest),
    hint: 'choose a smaller frame, or another --route',
  });
}

/** Nothing is saved that is not smaller than what it replaces. */
function checkGain({ onlyIfSmaller }: Budget, plan: SegmentPlan): void {
  if (!onlyIfSmaller || isSmaller(plan)) return;
  const { middle, replacedTokens, layout } = plan;
  const tokens = plan.tokens + layout.estimates.surroundingTokens;
  const hasFrames = middle.pages.some((page) => page.as === 'frame');
  throw new SnapcompactError('nothing-gained', {
    expected: `fewer than ${replacedTokens} tokens, those of the history as text`,
    of: 'the archive',
    got: hasFrames ? `${tokens}` : `no frames: all of it is better kept as text, ${tokens} tokens`,
    hint: 'archive more at once, or leave the check out (option onlyIfSmaller)',
  });
}

const raises = {
  bytes: '--max-bytes (option maxBytes)',
  tokens: '--window (option windowTokens)',
} as const;

function tooMany(what: 'bytes' | 'tokens', taken: number, limit: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${limit} ${what}`,
    of: 'the archive as it is sent',
    got: String(taken),
    hint: `raise ${raises[what]}`,
  });
}
