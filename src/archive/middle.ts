/**
 * The middle of a history → pages within a budget: sharp where it fits, denser where it must be, shorter where even
 * that is too much.
 */
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens, fewestTextTokens } from '../billing/text-tokens.js';
import { SnapcompactError } from '../errors.js';
import {
  EDGE_PAGES,
  edgePages,
  foveate,
  layRuns,
  type PlannedPage,
  type Run,
  type Tiers,
} from '../page/foveate.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import type { Reader } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import { type PrintedText, type PrintMemo, printInTurns } from '../text/print.js';
import type { Segment } from '../text/segment.js';
import { type Budget, type FrameCap, frameCaps } from './budget.js';
import { type Degradation, degrade, treatments } from './degrade.js';
import type { Region } from './edges.js';

/** What a pass keeps of the one before: where pages are cut, and what was cut down. */
export interface MiddleLayout {
  readonly runs: readonly Run[];
  readonly degradation: Degradation;
}

/** One page, and whether it becomes pixels. */
export interface MiddlePage extends PlannedPage {
  /** `text`: cheaper as the text it is. */
  readonly as: 'frame' | 'text';
  /** What it costs as it is sent. */
  readonly tokens: number;
}

export interface Middle extends MiddleLayout {
  readonly pages: readonly MiddlePage[];
  readonly printed: PrintedText;
  /** Segments out of the pages: those of the rules, and user turns that found no room. */
  readonly pinned: ReadonlySet<number>;
  /** Frames that the undiminished middle takes in the reader's shape. */
  readonly wholePages: number;
  /** The tightest limit first. */
  readonly caps: readonly FrameCap[];
  /** Whether the layout of the pass before had to go. */
  readonly isNewLayout: boolean;
}

export interface MiddleRequest {
  /** All segments of the source; `region` is the middle of them. */
  readonly segments: readonly Segment[];
  readonly region: Region;
  readonly reader: Reader;
  readonly tiers: Tiers;
  readonly caps: Caps;
  readonly budget: Budget;
  readonly pinned: ReadonlySet<number>;
  /** What the text around the frames costs, with these segments pinned. */
  readonly textCost: (pinned: ReadonlySet<number>) => TextCost;
  /** Bytes of base64 for a pixel of the rows that are used, as measured or assumed. */
  readonly bytesPerPixel: number;
  readonly overrides?: BillingOverrides | undefined;
  /** Layout to keep where it fits. */
  readonly previous?: MiddleLayout | undefined;
}

export interface TextCost {
  readonly tokens: number;
  readonly bytes: number;
  /** Of `tokens`, those of the pins. */
  readonly pinTokens: number;
}

/** Of a full cap, what a new layout of an archive that outgrew its old one leaves free. */
const FREED_SHARE = 1 / 5;

/**
 * Plans the middle. A layout of before is kept as long as it fits; the one that takes its place frees a fifth of the
 * cap at once. Throws `over-budget` when what may not be dropped does not fit.
 */
export async function planMiddle(request: MiddleRequest): Promise<Middle> {
  const search = new MiddleSearch(request);
  if (request.previous === undefined) return search.fresh(0, false);
  const { excessChars, ...kept } = await search.attempt(request.previous.degradation, request.previous.runs);
  if (excessChars === 0) return { ...kept, isNewLayout: false };
  return search.fresh(FREED_SHARE, true);
}

/** More attempts than any history needs; each one cuts more than the one before. */
const MAX_ATTEMPTS = 24;

class MiddleSearch {
  readonly #request: MiddleRequest;
  /** What each segment printed as in an earlier attempt. */
  readonly #memo: PrintMemo = new Map();

  constructor(request: MiddleRequest) {
    this.#request = request;
  }

  /** A layout made anew that leaves a share of the cap free, or the whole cap where that cannot be had. */
  async fresh(freedShare: number, isNewLayout: boolean): Promise<Middle> {
    const whole = await this.attempt({}, undefined, freedShare);
    let best = whole;
    let savedChars = 0;
    let isAll = false;
    for (let tries = 0; best.excessChars > 0 && !isAll && tries < MAX_ATTEMPTS; tries++) {
      // What is saved is an estimate: each attempt asks for what the one before it still lacked.
      savedChars += best.excessChars;
      const next = this.#degraded(whole, savedChars);
      isAll = next.isAll;
      best = await this.attempt(next.degradation, undefined, freedShare);
    }
    const { excessChars, ...middle } = best;
    if (excessChars === 0) return { ...middle, wholePages: whole.wholePages, isNewLayout };
    if (freedShare > 0) return this.fresh(0, isNewLayout);
    throw noRoom(best.caps[0]!, whole.wholePages);
  }

  /** The first steps that save so many characters of what the undiminished middle prints. */
  #degraded(whole: Attempt, savedChars: number): ReturnType<typeof degrade> {
    const { segments, region, tiers } = this.#request;
    const printedChars = new Float64Array(segments.length);
    for (const { segment, from, to } of whole.printed.spans) printedChars[segment] = to - from;
    return degrade({
      segments: segments.slice(0, region.firstIndex + region.segments.length),
      printedChars,
      oldEnd: oldEnd(whole.printed, EDGE_PAGES * tiers.hq.geometry.capacityCells),
      savedChars,
    });
  }

  async attempt(degradation: Degradation, runs?: readonly Run[], freedShare = 0): Promise<Attempt> {
    const { segments, region, tiers, caps, budget, textCost } = this.#request;
    const pinned = new Set(this.#request.pinned);
    for (let i = region.firstIndex; i < (degradation.pin ?? 0); i++) {
      if (isTypedText(segments[i]!)) pinned.add(i);
    }
    const printed = await printInTurns(region.segments, {
      coverage: tiers.hq.coverage,
      caps,
      firstIndex: region.firstIndex,
      treatment: treatments(segments, degradation, pinned),
      memo: this.#memo,
    });
    const text = textCost(pinned);
    if (text.pinTokens > budget.pinTokens) throw tooManyPins(text.pinTokens, budget.pinTokens);
    const allowed = frameCaps(budget, text, this.#frameCost());
    const maxPages = Math.max(1, Math.floor(allowed[0]!.frames * (1 - freedShare)));
    if (runs === undefined) {
      const excess = this.#surelyTooLong(printed.text, maxPages);
      if (excess > 0) return this.#unlaid({ printed, pinned, degradation, caps: allowed }, excess);
    }
    const {
      pages: laid,
      runs: laidRuns,
      wholePages,
    } = runs === undefined
      ? await foveate(printed.text, printed.dim, tiers, maxPages)
      : { pages: await layRuns(printed.text, printed.dim, tiers, runs), runs, wholePages: undefined };
    const pages = laid.map((page) => this.#priced(page));
    return {
      pages,
      printed,
      pinned,
      runs: laidRuns,
      degradation,
      wholePages: wholePages ?? laid.length,
      caps: allowed,
      excessChars: this.#excessChars(pages, text, Math.floor(allowed[0]!.frames * (1 - freedShare))),
    };
  }

  /**
   * Characters that no layout of so many pages has room for; 0 where only a layout can tell: with characters of two
   * units, which take fewer cells, or pages that may be cheaper as text.
   */
  #surelyTooLong(text: string, maxPages: number): number {
    const { tiers, reader, budget, overrides } = this.#request;
    const { hq, lq = hq } = tiers;
    const edges = Math.min(maxPages, 2 * edgePages(maxPages));
    const room = edges * hq.geometry.capacityCells + (maxPages - edges) * lq.geometry.capacityCells;
    if (text.length <= room || /[\ud800-\udfff]/.test(text)) return 0;
    const page = text.slice(0, hq.geometry.capacityCells);
    const worth = this.#frameCost().tokens / (1 - (budget.margin ?? 0));
    if (budget.margin !== null && worth > fewestTextTokens(page, reader.tokenizer, overrides)) return 0;
    return text.length - room + SLACK_CHARS;
  }

  /** An attempt that is known to be too long: as many pages as its text takes, none laid out. */
  #unlaid(known: Pick<Middle, 'printed' | 'pinned' | 'degradation' | 'caps'>, excessChars: number): Attempt {
    const { capacityCells } = this.#request.tiers.hq.geometry;
    return {
      ...known,
      pages: [],
      runs: [],
      wholePages: Math.ceil(known.printed.text.length / capacityCells),
      excessChars,
    };
  }

  /** Characters to cut, about, until the pages keep to every limit; 0 when they do. */
  #excessChars(pages: readonly MiddlePage[], text: TextCost, maxFrames: number): number {
    const { budget, bytesPerPixel } = this.#request;
    const frames = pages.filter((page) => page.as === 'frame');
    const chars = pages.reduce((sum, { page }) => sum + page.text.length, 0);
    const tokens = pages.reduce((sum, page) => sum + page.tokens, 0);
    const bytes = frames.reduce((sum, { page, format }) => sum + pixelsOf(page, format) * bytesPerPixel, 0);
    const share = (actual: number, limit: number | null, taken: number) =>
      limit === null || actual <= limit - taken ? 0 : chars * (1 - Math.max(0, limit - taken) / actual);
    const excess = Math.max(
      frames.length > 0 && maxFrames < 1 ? Number.POSITIVE_INFINITY : overflowChars(frames, maxFrames),
      share(tokens, budget.tokens, text.tokens),
      share(bytes, budget.bytes, text.bytes),
    );
    return excess === 0 ? 0 : Math.ceil(excess) + SLACK_CHARS;
  }

  #priced(planned: PlannedPage): MiddlePage {
    const { reader, overrides, budget } = this.#request;
    const { page, format } = planned;
    const tokens = frameTokens(page, format, reader);
    if (budget.margin === null) return { ...planned, as: 'frame', tokens };
    const worth = tokens / (1 - budget.margin);
    // Most pages are worth it by far, and need no count.
    if (worth <= fewestTextTokens(page.text, reader.tokenizer, overrides))
      return { ...planned, as: 'frame', tokens };
    const textTokens = estimateTextTokens(page.text, reader.tokenizer, overrides);
    return worth <= textTokens
      ? { ...planned, as: 'frame', tokens }
      : { ...planned, as: 'text', tokens: textTokens };
  }

  /** A full frame. */
  #frameCost(): { tokens: number; bytes: number } {
    const { tiers, reader, bytesPerPixel } = this.#request;
    const { geometry } = tiers.hq;
    const full = { widthPx: geometry.frameWidthPx, heightPx: geometry.heightPx(geometry.rowsCells) };
    return {
      tokens: estimateImageTokens(reader.billing, full).budgetTokens,
      bytes: full.widthPx * full.heightPx * bytesPerPixel,
    };
  }
}

type Attempt = Omit<Middle, 'isNewLayout'> & { readonly excessChars: number };

/** A few marks more than what an estimate saves. */
const SLACK_CHARS = 60;

/** What the frames beyond the last allowed hold; of the denser ones, where there are any, since they are what shrinks. */
function overflowChars(frames: readonly MiddlePage[], maxFrames: number): number {
  const over = frames.length - maxFrames;
  if (over <= 0) return 0;
  const dense = frames.filter(({ tier }) => tier === 'lq');
  return (dense.length > 0 ? dense : frames)
    .slice(-over)
    .reduce((sum, { page }) => sum + page.text.length, 0);
}

export function frameTokens({ rowsUsed }: Page, { geometry }: PageFormat, reader: Reader): number {
  const size = { widthPx: geometry.frameWidthPx, heightPx: geometry.heightPx(rowsUsed) };
  return estimateImageTokens(reader.billing, size).budgetTokens;
}

export function pixelsOf({ rowsUsed }: Page, { geometry }: PageFormat): number {
  return geometry.frameWidthPx * geometry.heightPx(rowsUsed);
}

/** The first segment of what the trailing sharp pages hold: those before are old. */
function oldEnd({ text, spans }: PrintedText, edgeChars: number): number {
  const from = text.length - edgeChars;
  return spans.find(({ to }) => to > from)?.segment ?? 0;
}

function isTypedText(segment: Segment): boolean {
  return segment.part === 'text' && segment.scope === 'user' && segment.injected === undefined;
}

function tooManyPins(tokens: number, limit: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${limit} tokens`,
    of: 'pins, and what the user said that fits no frame',
    got: String(tokens),
    hint: 'raise the limits on frames (--max-frames, --max-images, --max-bytes, --window), or pin less',
  });
}

const options = {
  frames: '--max-frames (option maxFrames)',
  images: '--max-images (option maxImages)',
  bytes: '--max-bytes (option maxBytes)',
  pixels: '--max-images (option maxImages), or choose smaller frames',
  window: '--window (option windowTokens)',
} as const;

function noRoom({ limit, frames }: FrameCap, needed: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `what the user said to fit ${frames} frames`,
    of: `the limit on ${limit}`,
    got: `a history that takes ${needed}, and more than that where nothing may be dropped`,
    hint: `raise ${options[limit]}`,
  });
}
