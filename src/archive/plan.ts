/**
 * Segments → what stands where: text at both edges of time, frames between, pins and the newest request behind.
 *
 * Everything is decided here, before anything is painted, and by counting what will be sent.
 */
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import type { Tiers } from '../page/foveate.js';
import type { Reader } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import { withoutNoteSigns } from '../text/note.js';
import {
  type Elision,
  expectedChars,
  type PrintedText,
  printSegments,
  type Treatment,
} from '../text/print.js';
import type { Scope, Segment } from '../text/segment.js';
import { inTurns } from '../turns.js';
import type { Budget, FrameCap } from './budget.js';
import { headEnd, isBefore, type Position, type Region, regionOf, START, tailStart } from './edges.js';
import { type Middle, type MiddleLayout, planMiddle, type TextCost } from './middle.js';
import { type LiveRequest, liveRequest, pinnedSegments } from './pins.js';

/** Where the pages of an archive are cut; the next pass keeps to it while it fits. */
export interface Layout extends MiddleLayout {
  /** Where the text at the head ends and the frames begin. */
  readonly headEnd: Position;
}

export interface PlanInput {
  readonly segments: readonly Segment[];
  readonly reader: Reader;
  readonly tiers: Tiers;
  readonly caps: Caps;
  readonly budget: Budget;
  /** Rules as in `pins.ts`. */
  readonly pins: readonly string[];
  readonly bytesPerPixel: number;
  readonly overrides?: BillingOverrides | undefined;
  readonly previous?: Layout | undefined;
}

/** Text that stands as text, and what it costs. */
export interface TextPart {
  readonly text: string;
  readonly tokens: number;
}

export interface SegmentPlan {
  readonly layout: Layout;
  readonly head: TextPart;
  readonly middle: Middle;
  readonly tail: TextPart;
  readonly pins: TextPart;
  /** The newest request; empty where there is none. */
  readonly live: TextPart;
  readonly elisions: readonly Elision[];
  readonly scopes: readonly Scope[];
  readonly spelled: number;
  readonly droppedControls: number;
  readonly printedChars: number;
  /** Predicted: the archive as it is sent, and the source as text. */
  readonly tokens: number;
  readonly replacedTokens: number;
}

/** Guide and factsheet at their largest, and the labels of the texts. */
export const SURROUNDING_TOKENS = 2_600;
export const SURROUNDING_BYTES = 16_000;
/** Of what the window leaves, what each edge and the newest request may take. */
const EDGE_SHARE = 1 / 6;
const LIVE_SHARE = 1 / 2;
/** Archiving keeps text at the edges only where that is a small part of the whole. */
const EDGES_FROM_CAPACITIES = 4;

/**
 * Plans the archive of a source. Lets the event loop run in between; the same input gives the same plan. Throws
 * `over-budget` as `planMiddle` does.
 */
export async function planSegments(input: PlanInput): Promise<SegmentPlan> {
  const { segments, previous } = input;
  const printer = new TextPrinter(input);
  const live = printer.live();
  const pinned = pinnedSegments(segments, input.pins);
  const edges = cutEdges(input, printer, pinned, live);
  const region = regionOf(segments, edges.headEnd, edges.tailStart);
  const head = printer.edge(regionOf(segments, START, edges.headEnd), pinned);
  const tail = printer.edge(
    regionOf(segments, edges.tailStart, { segment: segments.length, unit: 0 }),
    pinned,
    live?.segment,
  );
  const liveText = printer.part(live?.text ?? '');
  const around = [head.part, tail.part, liveText];
  const middle = await planMiddle({
    ...input,
    region,
    pinned,
    previous,
    textCost: (all) => textCost(around, printer.pins(all)),
  });
  const pins = printer.pins(middle.pinned);
  const printed = [head.printed, middle.printed, tail.printed];
  const parts = [...around, pins];
  return {
    layout: { headEnd: edges.headEnd, runs: middle.runs, degradation: middle.degradation },
    head: head.part,
    middle,
    tail: tail.part,
    pins,
    live: liveText,
    elisions: printed.flatMap(({ elisions }) => elisions),
    scopes: [...new Set(printed.flatMap(({ scopes }) => scopes))],
    spelled: middle.printed.spelled,
    droppedControls: printed.reduce((sum, { dropped }) => sum + dropped, 0),
    printedChars: printed.reduce((sum, { text }) => sum + text.length, 0),
    tokens: [...parts, ...middle.pages].reduce((sum, { tokens }) => sum + tokens, 0),
    replacedTokens: await sourceTokens(input),
  };
}

function textCost(around: readonly TextPart[], pins: TextPart): TextCost {
  return {
    tokens: around.reduce((sum, { tokens }) => sum + tokens, SURROUNDING_TOKENS + pins.tokens),
    bytes: [...around, pins].reduce((sum, { text }) => sum + jsonBytes(text), SURROUNDING_BYTES),
    pinTokens: pins.tokens,
  };
}

/** Bytes of a text inside the body of a request. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

interface Edges {
  readonly headEnd: Position;
  readonly tailStart: Position;
}

/** Edges of the size that purpose and window allow; the head stays where an earlier pass had it. */
function cutEdges(
  { segments, budget, tiers, caps, previous }: PlanInput,
  printer: TextPrinter,
  pinned: ReadonlySet<number>,
  live: LiveRequest | undefined,
): Edges {
  const end = { segment: segments.length, unit: 0 };
  const capacity = tiers.hq.geometry.capacityCells;
  const total = segments.reduce((sum, segment) => sum + expectedChars(segment, caps), 0);
  const isShort = budget.purpose === 'archive' && total < EDGES_FROM_CAPACITIES * capacity;
  let chars = isShort ? 0 : budget.edge * capacity;
  const allowed = budget.tokens === null ? Number.POSITIVE_INFINITY : budget.tokens * EDGE_SHARE;
  for (;;) {
    const edges = {
      headEnd: previous?.headEnd ?? (chars < 1 ? START : headEnd(segments, chars, caps)),
      tailStart: chars < 1 ? end : tailStart(segments, chars, caps),
    };
    if (isBefore(edges.tailStart, edges.headEnd)) edges.tailStart = edges.headEnd;
    const head = printer.edge(regionOf(segments, START, edges.headEnd), pinned).part.tokens;
    const tail = printer.edge(regionOf(segments, edges.tailStart, end), pinned, live?.segment).part.tokens;
    const largest = Math.max(previous === undefined ? head : 0, tail);
    if (largest <= allowed || chars < 1) return edges;
    chars = Math.floor(chars * Math.min(0.9, allowed / largest));
  }
}

/** The texts that stand as text, with their tokens. */
class TextPrinter {
  readonly #input: PlanInput;
  readonly #live: LiveRequest | undefined;

  constructor(input: PlanInput) {
    this.#input = input;
    const live = liveRequest(input.segments);
    const { tokens } = input.budget;
    const isTooLong = tokens !== null && this.part(live?.text ?? '').tokens > tokens * LIVE_SHARE;
    this.#live = isTooLong ? undefined : live;
  }

  /** The newest request, unless it is too long to be anything but pixels. */
  live(): LiveRequest | undefined {
    return this.#live;
  }

  part(text: string): TextPart {
    const { reader, overrides } = this.#input;
    return { text, tokens: text === '' ? 0 : estimateTextTokens(text, reader.tokenizer, overrides) };
  }

  /** One edge; the newest request, which stands last of all, is pointed to. */
  edge(
    { segments, firstIndex }: Region,
    pinned: ReadonlySet<number>,
    live?: number,
  ): { part: TextPart; printed: PrintedText } {
    const liveEntry = live === undefined ? undefined : this.#input.segments[live]!.entryId;
    const isLive = (index: number) =>
      liveEntry !== undefined && index >= live! && this.#input.segments[index]!.entryId === liveEntry;
    const printed = this.#print(segments, firstIndex, (index) =>
      pinned.has(index) || isLive(index) ? 'pin' : undefined,
    );
    return { part: this.part(printed.text), printed };
  }

  pins(pinned: ReadonlySet<number>): TextPart {
    const segments = [...pinned].sort((a, b) => a - b).map((index) => this.#input.segments[index]!);
    if (segments.length === 0) return this.part('');
    const whole = Number.MAX_SAFE_INTEGER;
    const caps = { outputChars: whole, argumentChars: whole, callChars: whole };
    return this.part(printSegments(segments, { ...this.#options(), caps }).text);
  }

  #print(
    segments: readonly Segment[],
    firstIndex: number,
    treatment: (index: number) => Treatment | undefined,
  ): PrintedText {
    return printSegments(segments, { ...this.#options(), caps: this.#input.caps, firstIndex, treatment });
  }

  #options() {
    return { coverage: this.#input.tiers.hq.coverage, verbatim: true };
  }
}

/** Counts of segments that a later pass has again. Of the vocabulary alone: what a user states is not kept. */
const counted = new WeakMap<Segment, { readonly tokenizer: string; readonly tokens: number }>();

/** The source as text: what the archive takes the place of. */
async function sourceTokens({ segments, reader: { tokenizer }, overrides }: PlanInput): Promise<number> {
  const isStated = overrides?.charsPerToken !== undefined;
  let total = 0;
  await inTurns(segments, (segment) => {
    const known = isStated ? undefined : counted.get(segment);
    if (known?.tokenizer === tokenizer) {
      total += known.tokens;
      return 0;
    }
    const text = sourceText(segment);
    const tokens = estimateTextTokens(text, tokenizer, overrides);
    if (!isStated) counted.set(segment, { tokenizer, tokens });
    total += tokens;
    return text.length;
  });
  return total;
}

/** A segment's own text, whole. */
export function sourceText(segment: Segment): string {
  if (segment.part !== 'call') return withoutNoteSigns(segment.text);
  const args = segment.args.map(({ key, text }) => (key === undefined ? text : `${key}=${text}`));
  return withoutNoteSigns([segment.name, ...args, segment.intent ?? ''].join(' '));
}

/** The limit that decided, what it allows, and what the undiminished middle would take. */
export interface Binding extends FrameCap {
  readonly needed: number;
}

export function bindingOf({ caps, wholePages }: Middle): Binding {
  return { ...caps[0]!, needed: wholePages };
}
