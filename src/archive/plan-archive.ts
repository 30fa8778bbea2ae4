/** What an archive would hold and cost, part by part, and why: everything but the painting. */
import { priceArchive } from '../billing/price-archive.js';
import type { History } from '../history/history.js';
import type { Tier } from '../page/foveate.js';
import type { Reader } from '../page/readers.js';
import type { Elision } from '../text/elision.js';
import { type ArchiveOptions, inputOf } from './archive-history.js';
import type { Budget } from './budget.js';
import { planBuild } from './build-archive.js';
import type { Degradation } from './degrade.js';
import type { TextPart } from './edge-texts.js';
import { type MiddlePage, pixelsOf } from './middle-page.js';
import { idleRules } from './pins.js';
import { type Binding, bindingOf, isSmaller, type SegmentPlan } from './plan.js';
import { textBlockBytes } from './wire-bytes.js';

export interface ArchivePlan {
  /** `nothing`: an archive would not be smaller than what it replaces, and the caller asked for that. */
  readonly status: 'archive' | 'nothing';
  readonly reader: Reader;
  readonly budget: Budget;
  /** The tightest limit: frames it allows, and frames that the undiminished middle takes. */
  readonly binding: Binding;
  readonly rows: readonly PlanRow[];
  /** Steps of the degrade order that were needed; each reaches to the segment with this index. */
  readonly degradation: Degradation;
  readonly elisions: readonly Elision[];
  /** Rules of pins that name nothing. */
  readonly idlePins: readonly string[];
  readonly frames: number;
  /** Predicted: the archive as sent, and the history as text. */
  readonly tokens: number;
  readonly replacedTokens: number;
  /** The history under its caps and in normal form, in UTF-16 units; what frames hold of it. */
  readonly printedChars: number;
  readonly framedChars: number;
}

/** One part of an archive. */
export interface PlanRow {
  readonly part:
    | 'guide and facts'
    | 'head'
    | 'hq'
    | 'lq'
    | 'page text'
    | 'pins'
    | 'tail'
    | 'live'
    | 'left out';
  /** Frames, texts, or things left out. */
  readonly count: number;
  readonly chars: number;
  readonly tokens: number;
  /** In a request, images as base64: an estimate. */
  readonly bytes: number;
  /** Dollars of plain input; absent where the price is not known. */
  readonly usd?: number;
}

/**
 * Plans an archive of a history for one reader, by default one that replaces it in a live context. Paints nothing, calls
 * nobody, and lets the event loop run in between; the same input gives the same plan. Throws `over-budget` when what
 * the user said does not fit, `no-vision`, `unknown-shape`, and `usage` for options out of range.
 */
export async function planArchive(history: History, options: ArchiveOptions = {}): Promise<ArchivePlan> {
  const input = await inputOf(history, options, options.purpose ?? 'replace');
  const plan = await planBuild(input);
  const { middle, layout, replacedTokens } = plan;
  const { surroundingTokens } = layout.estimates;
  const frames = middle.pages.filter((page) => page.as === 'frame');
  const elisions = [...input.sourceElisions, ...plan.elisions];
  return {
    status: isSmaller(plan) || !input.budget.onlyIfSmaller ? 'archive' : 'nothing',
    reader: input.reader,
    budget: input.budget,
    binding: bindingOf(middle),
    rows: rowsOf(plan, elisions).map((row) => priced(row, input.reader, options)),
    degradation: layout.degradation,
    elisions,
    idlePins: idleRules(input.segments, input.settings.pins),
    frames: frames.length,
    tokens: plan.tokens + surroundingTokens,
    replacedTokens,
    printedChars: plan.printedChars,
    framedChars: charsOf(frames),
  };
}

function rowsOf(
  { head, middle, tail, pins, live, layout }: SegmentPlan,
  elisions: readonly Elision[],
): PlanRow[] {
  const { surroundingTokens, surroundingBytes, bytesPerPixel } = layout.estimates;
  const frames = (tier: Tier) => middle.pages.filter((page) => page.as === 'frame' && page.tier === tier);
  const texts = middle.pages.filter((page) => page.as === 'text');
  const leftOut = elisions.reduce((sum, { chars }) => sum + chars, 0);
  const rows: PlanRow[] = [
    { part: 'guide and facts', count: 2, chars: 0, tokens: surroundingTokens, bytes: surroundingBytes },
    textRow('head', head),
    frameRow('hq', frames('hq'), bytesPerPixel),
    frameRow('lq', frames('lq'), bytesPerPixel),
    {
      part: 'page text',
      count: texts.length,
      chars: charsOf(texts),
      tokens: tokensOf(texts),
      bytes: texts.reduce((sum, { page }) => sum + textBlockBytes(page.text), 0),
    },
    textRow('pins', pins),
    textRow('tail', tail),
    textRow('live', live),
    { part: 'left out', count: elisions.length, chars: leftOut, tokens: 0, bytes: 0 },
  ];
  return rows.filter(({ count }) => count > 0);
}

function textRow(part: PlanRow['part'], { text, tokens }: TextPart): PlanRow {
  return { part, count: text === '' ? 0 : 1, chars: text.length, tokens, bytes: textBlockBytes(text) };
}

function frameRow(part: Tier, pages: readonly MiddlePage[], bytesPerPixel: number): PlanRow {
  const pixels = pages.reduce((sum, { page, format }) => sum + pixelsOf(page, format), 0);
  const bytes = Math.round(pixels * bytesPerPixel);
  return { part, count: pages.length, chars: charsOf(pages), tokens: tokensOf(pages), bytes };
}

function charsOf(pages: readonly MiddlePage[]): number {
  return pages.reduce((sum, { page }) => sum + page.text.length, 0);
}

function tokensOf(pages: readonly MiddlePage[]): number {
  return pages.reduce((sum, { tokens }) => sum + tokens, 0);
}

function priced(row: PlanRow, { model }: Reader, { overrides, route }: ArchiveOptions): PlanRow {
  const isImage = row.part === 'hq' || row.part === 'lq';
  const tokens = { imageTokens: isImage ? row.tokens : 0, textTokens: isImage ? 0 : row.tokens };
  const { uncachedUsd } = priceArchive(model, tokens, {
    ...(route !== undefined && { route }),
    ...(overrides && { overrides }),
  });
  return uncachedUsd === undefined ? row : { ...row, usd: uncachedUsd };
}
