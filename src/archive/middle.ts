/**
 * The middle of a history → pages within a budget: sharp where it fits, denser where it must be, shorter where even
 * that is too much.
 */
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens, mostCharsPerToken } from '../billing/text-tokens.js';
import type { SnapcompactError } from '../errors.js';
import {
  EDGE_PAGES,
  edgePages,
  foveate,
  isLongerThan,
  layRuns,
  type PlannedPage,
  type Run,
  type Tiers,
} from '../page/foveate.js';
import type { Reader } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import { printInTurns } from '../text/print.js';
import type { PrintedText } from '../text/printed-text.js';
import { type Segment, segmentChars, segmentKind } from '../text/segment.js';
import { type Budget, type FrameCap, frameCaps, pageCaps } from './budget.js';
import { type Degradation, degrade, treatments } from './degrade.js';
import type { Region } from './edges.js';
import { bytesOf, frameTokens, type MiddlePage, pageText } from './middle-page.js';
import { noRoom, tooManyPins } from './refusals.js';
import { BLOCK_BYTES } from './wire-bytes.js';

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
  const kept = await new MiddleSearch(request).attempt(layout.degradation, 0, layout.runs);
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

/** Why an attempt is none: characters too many in the pages, too much text out of them, or too much around them. */
type Lack =
  | { readonly what: 'room'; readonly excessChars: number }
  | { readonly what: 'pins'; readonly tokens: number }
  | { readonly what: 'surroundings' };

interface Attempt {
  readonly middle: Middle;
  readonly lacks?: Lack;
}

class MiddleSearch {
  readonly #request: MiddleRequest;
  readonly #mostCharsPerToken: number;

  constructor(request: MiddleRequest) {
    this.#request = request;
    this.#mostCharsPerToken = mostCharsPerToken(request.reader.tokenizer, request.overrides);
  }

  /** The least degradation that fits, about: too little leaves too much in the pages, too much in the pins. */
  async lay(freedShare: number): Promise<Middle | SnapcompactError> {
    const whole = await this.attempt({}, freedShare);
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
      best = await this.attempt(degraded.degradation, freedShare);
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
    return typed > 2 * (caps[0]!.frames * cells + textTokens * this.#mostCharsPerToken);
  }

  /** Whether all is dropped that may be, and what is left is too much for pins to take. */
  #isBeyondPins({ middle, lacks }: Attempt): boolean {
    const most = this.#request.budget.pinTokens * this.#mostCharsPerToken;
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

  /** The middle cut down so far, under given runs or under those that its size asks for. */
  async attempt(degradation: Degradation, freedShare: number, runs?: readonly Run[]): Promise<Attempt> {
    const { segments, region, tiers, caps, textCost } = this.#request;
    const pinned = new Set(this.#request.pinned);
    for (let i = region.firstIndex; i < (degradation.pin ?? 0); i++) {
      if (isTypedText(segments[i]!)) pinned.add(i);
    }
    const fewest = this.#fewestPinTokens(pinned);
    if (fewest > this.#request.budget.pinTokens) return this.#pinnedTooMuch(degradation, pinned, fewest);
    const printed = await printInTurns(region.segments, {
      coverage: tiers.hq.coverage,
      caps,
      firstIndex: region.firstIndex,
      treatment: treatments(segments, degradation, pinned),
      remember: true,
    });
    const text = textCost(pinned);
    const allowed = frameCaps(this.#request.budget, text, this.#frameCost());
    const known = { printed, degradation, pinned, caps: allowed };
    const lacks = this.#lacksAround(text);
    if (lacks !== undefined) return { middle: this.#unlaid(known), lacks };
    const room = { text, freedShare };
    if (runs === undefined) return this.#layOut(known, room);
    const pages = (await layRuns(printed.text, printed.dim, tiers, runs)).map((page) => this.#priced(page));
    const layout = { runs, degradation, pages: pages.length, wholePages: pages.length };
    return withLack({ ...known, layout, pages }, this.#excessChars(pages, room, this.#pageCaps(room)[0]!));
  }

  /** No more than what the pins cost as text, which is much to print and to count. */
  #fewestPinTokens(pinned: ReadonlySet<number>): number {
    const { segments } = this.#request;
    let chars = 0;
    for (const index of pinned) chars += segmentChars(segments[index]!);
    return this.#fewestTokens(chars);
  }

  #pinnedTooMuch(degradation: Degradation, pinned: ReadonlySet<number>, tokens: number): Attempt {
    const { budget, textCost } = this.#request;
    const caps = frameCaps(budget, textCost(this.#request.pinned), this.#frameCost());
    const middle = this.#unlaid({ printed: NOTHING, degradation, pinned, caps });
    return { middle, lacks: { what: 'pins', tokens } };
  }

  /** The sharpest layout that fits; else the one for the fewer pages. */
  async #layOut(known: Known, room: FrameRoom): Promise<Attempt> {
    const { tiers } = this.#request;
    const { degradation } = known;
    const { text, dim } = known.printed;
    let best: Attempt | undefined;
    for (const maxPages of this.#pageCaps(room)) {
      const excess = this.#surelyTooLong(text, Math.max(1, maxPages));
      if (excess > 0) {
        best = withLack(this.#unlaid(known), excess);
        continue;
      }
      const { pages: laid, runs, wholePages } = await foveate(text, dim, tiers, Math.max(1, maxPages));
      const pages = laid.map((page) => this.#priced(page));
      const layout = { runs, degradation, pages: pages.length, wholePages };
      best = withLack({ ...known, layout, pages }, this.#excessChars(pages, room, maxPages));
      if (best.lacks === undefined) return best;
    }
    return best!;
  }

  /** Whether what stands around the frames leaves nothing for them. */
  #lacksAround({ tokens, bytes, pinTokens }: TextCost): Lack | undefined {
    const { budget } = this.#request;
    if (pinTokens > budget.pinTokens) return { what: 'pins', tokens: pinTokens };
    const isOver = (taken: number, limit: number | null) => limit !== null && taken > limit;
    return isOver(tokens, budget.tokens) || isOver(bytes, budget.bytes)
      ? { what: 'surroundings' }
      : undefined;
  }

  /** Pages to try with, the most first: what costs tokens or bytes may have room for a last page that is not full. */
  #pageCaps({ text, freedShare }: FrameRoom): number[] {
    const { budget } = this.#request;
    const [soft, hard] = pageCaps(budget, text, this.#frameCost()).map((cap) => cap * (1 - freedShare));
    const most = Math.min(Math.ceil(soft!), Math.floor(hard!));
    const fewest = Math.floor(Math.min(soft!, hard!));
    return fewest < most ? [most, fewest] : [most];
  }

  /**
   * Characters that no layout of so many pages has room for; 0 where only a layout can tell, as with pages that may be
   * cheaper as text.
   */
  #surelyTooLong(text: string, maxPages: number): number {
    const { tiers, budget } = this.#request;
    const { hq, lq = hq } = tiers;
    const edges = Math.min(maxPages, 2 * edgePages(maxPages));
    const room = edges * hq.geometry.capacityCells + (maxPages - edges) * lq.geometry.capacityCells;
    if (!isLongerThan(text, room)) return 0;
    const worth = this.#frameCost().tokens / (1 - (budget.margin ?? 0));
    if (
      budget.margin !== null &&
      worth > this.#fewestTokens(Math.min(text.length, hq.geometry.capacityCells))
    )
      return 0;
    return text.length - room + SLACK_CHARS;
  }

  /** A middle that is known not to fit: as many pages as its text takes, none laid out. */
  #unlaid(known: Known): Middle {
    const { capacityCells } = this.#request.tiers.hq.geometry;
    const wholePages = Math.ceil(known.printed.text.length / capacityCells);
    return {
      ...known,
      pages: [],
      layout: { runs: [], degradation: known.degradation, pages: 0, wholePages },
    };
  }

  /** Characters to cut, about, until the pages keep to every limit; 0 when they do. */
  #excessChars(pages: readonly MiddlePage[], { text, freedShare }: FrameRoom, maxFrames: number): number {
    const { budget, bytesPerPixel } = this.#request;
    const frames = pages.filter((page) => page.as === 'frame');
    const chars = pages.reduce((sum, { page }) => sum + page.text.length, 0);
    const share = (actual: number, limit: number | null, taken: number) => {
      const room = limit === null ? actual : (limit - taken) * (1 - freedShare);
      return actual <= room ? 0 : chars * (1 - room / actual);
    };
    const bytes = pages.reduce((sum, page) => sum + bytesOf(page, bytesPerPixel), 0);
    const excess = Math.max(
      frames.length > 0 && maxFrames < 1 ? Number.POSITIVE_INFINITY : overflowChars(frames, maxFrames),
      share(
        pages.reduce((sum, page) => sum + page.tokens, 0),
        budget.tokens,
        text.tokens,
      ),
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
    if (worth <= this.#fewestTokens(page.text.length)) return { ...planned, as: 'frame', tokens };
    const textTokens = estimateTextTokens(pageText(page), reader.tokenizer, overrides);
    return worth <= textTokens
      ? { ...planned, as: 'frame', tokens }
      : { ...planned, as: 'text', tokens: textTokens };
  }

  /** Of a text of so many characters, whatever it says. */
  #fewestTokens(chars: number): number {
    return Math.floor(chars / this.#mostCharsPerToken);
  }

  /** A full frame. */
  #frameCost(): { tokens: number; bytes: number } {
    const { tiers, reader, bytesPerPixel } = this.#request;
    const { geometry } = tiers.hq;
    const full = { widthPx: geometry.frameWidthPx, heightPx: geometry.heightPx(geometry.rowsCells) };
    return {
      tokens: estimateImageTokens(reader.billing, full).budgetTokens,
      bytes: full.widthPx * full.heightPx * bytesPerPixel + BLOCK_BYTES,
    };
  }
}

const NOTHING: PrintedText = {
  text: '',
  dim: [],
  spans: [],
  elisions: [],
  scopes: [],
  spelled: 0,
  dropped: 0,
};

type Known = Pick<Middle, 'printed' | 'degradation' | 'pinned' | 'caps'>;

/** What the pages have to share: all but the text around them, and but a share that is to stay free. */
interface FrameRoom {
  readonly text: TextCost;
  readonly freedShare: number;
}

function withLack(middle: Middle, excessChars: number): Attempt {
  return excessChars === 0 ? { middle } : { middle, lacks: { what: 'room', excessChars } };
}

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

/** The first segment of what the trailing sharp pages hold: those before are old. */
function oldEnd({ text, spans }: PrintedText, edgeChars: number): number {
  const from = text.length - edgeChars;
  return spans.find(({ to }) => to > from)?.segment ?? 0;
}

function isTypedText(segment: Segment): boolean {
  return segment.part === 'text' && segment.scope === 'user' && segment.injected === undefined;
}
