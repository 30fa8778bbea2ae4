/** One try at a middle: printed under a degradation, cut into pages, and held against every limit. */
import { estimateImageTokens } from '../billing/image-tokens.js';
import { estimateTextTokens, mostCharsPerToken } from '../billing/text-tokens.js';
import { edgePages, foveate, isLongerThan, layRuns, type PlannedPage, type Run } from '../page/foveate.js';
import { printInTurns } from '../text/print.js';
import type { PrintedText } from '../text/printed-text.js';
import { type Segment, segmentChars } from '../text/segment.js';
import { frameCaps, pageCaps } from './budget.js';
import { type Degradation, treatments } from './degrade.js';
import type { Middle, MiddleRequest, TextCost } from './middle.js';
import { bytesOf, frameTokens, type MiddlePage, pageText } from './middle-page.js';
import { BLOCK_BYTES } from './wire-bytes.js';

/** Why an attempt is none: characters too many in the pages, too much text out of them, or too much around them. */
export type Lack =
  | { readonly what: 'room'; readonly excessChars: number }
  | { readonly what: 'pins'; readonly tokens: number }
  | { readonly what: 'surroundings' };

export interface Attempt {
  readonly middle: Middle;
  readonly lacks?: Lack;
}

export class MiddleAttempts {
  readonly #request: MiddleRequest;
  /** Whatever a text says. */
  readonly mostCharsPerToken: number;

  constructor(request: MiddleRequest) {
    this.#request = request;
    this.mostCharsPerToken = mostCharsPerToken(request.reader.tokenizer, request.overrides);
  }

  /** The middle cut down so far, under given runs or under those that its size asks for. */
  async make(degradation: Degradation, freedShare: number, runs?: readonly Run[]): Promise<Attempt> {
    const { segments, region, tiers, caps, textCost } = this.#request;
    const pinned = this.#pinned(degradation);
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

  /** Those of the rules, and what the user typed as far as the last step of the degradation reaches. */
  #pinned({ pin = 0 }: Degradation): ReadonlySet<number> {
    const { segments, region, pinned } = this.#request;
    if (pin <= region.firstIndex) return pinned;
    const all = new Set(pinned);
    for (let i = region.firstIndex; i < pin; i++) if (isTypedText(segments[i]!)) all.add(i);
    return all;
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
    return Math.floor(chars / this.mostCharsPerToken);
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

function isTypedText(segment: Segment): boolean {
  return segment.part === 'text' && segment.scope === 'user' && segment.injected === undefined;
}
