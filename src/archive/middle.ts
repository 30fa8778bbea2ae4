/**
 * The middle of a history → pages within a budget: sharp where it fits, denser where it must be, shorter where even
 * that is too much.
 */
import type { BillingOverrides } from '../billing/overrides.js';
import type { SnapcompactError } from '../errors.js';
import { EDGE_PAGES, type Run, type Tiers } from '../page/foveate.js';
import type { Reader } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import type { PrintedText } from '../text/printed-text.js';
import { type Segment, segmentKind } from '../text/segment.js';
import type { Budget, FrameCap } from './budget.js';
import { type Degradation, degrade } from './degrade.js';
import type { Region } from './edges.js';
import { type Attempt, MiddleAttempts } from './middle-attempt.js';
import type { MiddlePage } from './middle-page.js';
import { noRoom, tooManyPins } from './refusals.js';

/** What a pass keeps of the one before: where pages are cut, and what was cut down. */
export interface MiddleLayout {
  readonly runs: readonly Run[];
  readonly degradation: Degradation;
  /** Pages under these runs, and pages that the undiminished middle takes in the reader's shape. */
  readonly pages: number;
  readonly wholePages: number;
}

export interface Middle {
  readonly layout: MiddleLayout;
  readonly pages: readonly MiddlePage[];
  readonly printed: PrintedText;
  readonly degradation: Degradation;
  /** Segments out of the pages: those of the rules, and user turns that found no room. */
  readonly pinned: ReadonlySet<number>;
  /** The tightest limit first. */
  readonly caps: readonly FrameCap[];
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
}

export interface TextCost {
  readonly tokens: number;
  readonly bytes: number;
  /** Of `tokens`, those of the pins. */
  readonly pinTokens: number;
}

/**
 * The middle under a layout of before; `undefined` where it does not fit any more, or where `isSame` says that the
 * printed text is not the one that it was made for.
 */
export async function keepMiddle(
  request: MiddleRequest,
  layout: MiddleLayout,
  isSame: (middle: Middle) => boolean,
): Promise<Middle | undefined> {
  const kept = await new MiddleAttempts(request).make(layout.degradation, 0, layout.runs);
  if (kept.lacks !== undefined || !isSame(kept.middle)) return undefined;
  const pages = kept.middle.pages.length;
  const wholePages = layout.wholePages + pages - layout.pages;
  return { ...kept.middle, layout: { ...layout, pages, wholePages } };
}

/** A middle laid out anew, with a share of what the limits allow left free; or why it cannot be had. */
export async function layMiddle(
  request: MiddleRequest,
  freedShare: number,
): Promise<Middle | SnapcompactError> {
  return new MiddleSearch(request).lay(freedShare);
}

/** More attempts than any history needs: what is not known to be too little or too much halves with each. */
const MAX_ATTEMPTS = 30;

class MiddleSearch {
  readonly #request: MiddleRequest;
  readonly #attempts: MiddleAttempts;

  constructor(request: MiddleRequest) {
    this.#request = request;
    this.#attempts = new MiddleAttempts(request);
  }

  /** The least degradation that fits, about: too little leaves too much in the pages, too much in the pins. */
  async lay(freedShare: number): Promise<Middle | SnapcompactError> {
    const whole = await this.#attempts.make({}, freedShare);
    const { wholePages } = whole.middle.layout;
    if (whole.lacks !== undefined && this.#isHopeless(whole.middle)) return this.#refusal(whole, wholePages);
    let best = whole;
    let isAll = false;
    let tooLittle = 0;
    let tooMuch = Number.POSITIVE_INFINITY;
    let savedChars = 0;
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
      const { middle, lacks } = best;
      if (lacks === undefined) return { ...middle, layout: { ...middle.layout, wholePages } };
      if (lacks.what === 'room') tooLittle = savedChars;
      else tooMuch = savedChars;
      if ((isAll && lacks.what === 'room') || tooMuch - tooLittle < 1) break;
      if (this.#isBeyondPins(best)) break;
      // What is saved is an estimate: each attempt asks for what the one before it still lacked.
      savedChars = tooLittle + (lacks.what === 'room' ? lacks.excessChars : Number.POSITIVE_INFINITY);
      if (savedChars >= tooMuch) savedChars = (tooLittle + tooMuch) / 2;
      const degraded = this.#degraded(whole.middle, savedChars);
      if (!Number.isFinite(savedChars)) savedChars = whole.middle.printed.text.length;
      isAll = degraded.isAll;
      best = await this.#attempts.make(degraded.degradation, freedShare);
    }
    return this.#refusal(best, wholePages);
  }

  /** Whether what the user typed is more than twice what could ever be placed: no search is needed then. */
  #isHopeless({ printed, pinned, caps }: Middle): boolean {
    const { segments, tiers, budget } = this.#request;
    const { hq, lq = hq } = tiers;
    const typed = printed.spans.reduce((sum, { segment, from, to }) => {
      return segmentKind(segments[segment]!) === 'user' && !pinned.has(segment) ? sum + to - from : sum;
    }, 0);
    const textTokens = budget.pinTokens + (budget.margin === null ? 0 : (budget.tokens ?? typed));
    const cells = Math.max(hq.geometry.capacityCells, lq.geometry.capacityCells);
    return typed > 2 * (caps[0]!.frames * cells + textTokens * this.#attempts.mostCharsPerToken);
  }

  /** Whether all is dropped that may be, and what is left is too much for pins to take. */
  #isBeyondPins({ middle, lacks }: Attempt): boolean {
    const most = this.#request.budget.pinTokens * this.#attempts.mostCharsPerToken;
    return middle.degradation.pin !== undefined && lacks?.what === 'room' && lacks.excessChars > most;
  }

  #refusal({ middle, lacks }: Attempt, wholePages: number): SnapcompactError {
    if (lacks?.what === 'pins') return tooManyPins(lacks.tokens, this.#request.budget.pinTokens);
    return noRoom(middle.caps[0]!, wholePages);
  }

  /** The first steps that save so many characters of what the undiminished middle prints. */
  #degraded(whole: Middle, savedChars: number) {
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
}

/** The first segment of what the trailing sharp pages hold: those before are old. */
function oldEnd({ text, spans }: PrintedText, edgeChars: number): number {
  const from = text.length - edgeChars;
  return spans.find(({ to }) => to > from)?.segment ?? 0;
}
