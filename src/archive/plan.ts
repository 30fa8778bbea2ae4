/**
 * Segments → what stands where: text at both edges of time, frames between, pins and the newest request behind.
 *
 * Everything is decided here, before anything is painted, and by counting what will be sent.
 */
import type { BillingOverrides } from '../billing/overrides.js';
import { SnapcompactError } from '../errors.js';
import type { Tiers } from '../page/foveate.js';
import type { Reader } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import type { Elision } from '../text/elision.js';
import { expectedChars } from '../text/print.js';
import type { Scope, Segment } from '../text/segment.js';
import type { Budget, FrameCap } from './budget.js';
import { type PrintedPart, type TextPart, TextPrinter, textCost } from './edge-texts.js';
import {
  endOf,
  headEnd,
  isBefore,
  isPlaceOf,
  laterOf,
  type Position,
  regionOf,
  START,
  tailStart,
} from './edges.js';
import { keepMiddle, layMiddle, type Middle, type MiddleLayout, type MiddleRequest } from './middle.js';
import { isUnderSeal, type Seal } from './seal.js';
import { sourceTokens } from './source-tokens.js';

export { jsonBytes } from './wire-bytes.js';

/** Where the texts of an archive are cut; the next pass keeps to it while it fits. */
export interface Layout extends MiddleLayout {
  /** Where the text at the head ends and the frames begin, and where they end and the text at the tail begins. */
  readonly headEnd: Position;
  readonly tailStart: Position;
  readonly sealed: Seal;
  /** What it was planned with, where only painting tells. */
  readonly estimates: Estimates;
  /** How many layouts the archive had before: another number means that any frame may have changed. */
  readonly generation: number;
}

/** What is known only of a finished archive. */
export interface Estimates {
  /** Bytes of base64 for a pixel of the rows that are used. */
  readonly bytesPerPixel: number;
  /** Of guide, factsheet and labels. */
  readonly surroundingTokens: number;
  readonly surroundingBytes: number;
}

export interface PlanInput {
  readonly segments: readonly Segment[];
  readonly reader: Reader;
  readonly tiers: Tiers;
  readonly caps: Caps;
  readonly budget: Budget;
  /** Rules as in `pins.ts`. */
  readonly pins: readonly string[];
  readonly estimates: Estimates;
  readonly overrides?: BillingOverrides | undefined;
  /** Layout to keep where it fits. */
  readonly previous?: Layout | undefined;
  /** Of a new layout. */
  readonly generation: number;
}

export interface SegmentPlan {
  readonly layout: Omit<Layout, 'sealed'>;
  /** Whether the pages are cut anew: always on a first pass. */
  readonly isNewLayout: boolean;
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
/** Of what the window leaves, what each edge may take. */
const EDGE_SHARE = 1 / 6;
/** Archiving keeps text at the edges only where that is a small part of the whole. */
const EDGES_FROM_CAPACITIES = 4;

/** Of a limit that an archive outgrew, what the pass leaves free that changes what was sealed. */
export const FREED_SHARE = 1 / 5;

/**
 * Plans the archive of a source. A layout of before is kept as long as it fits; the one that takes its place frees a
 * fifth of the cap at once, where that can be had. Lets the event loop run in between; the same input gives the same
 * plan. Throws `over-budget` when what may not be dropped does not fit.
 */
export async function planSegments(input: PlanInput): Promise<SegmentPlan> {
  const { previous } = input;
  const texts = new TextPrinter(input);
  const kept = previous && (await keptPlan(input, previous, texts));
  return kept ?? newPlan(input, texts);
}

async function keptPlan(
  input: PlanInput,
  previous: Layout,
  texts: TextPrinter,
): Promise<SegmentPlan | undefined> {
  const { segments } = input;
  if (!isPlaceOf(segments, previous.headEnd) || !isPlaceOf(segments, previous.tailStart)) return undefined;
  const around = printAround(input, texts, cutEdges(input, texts, previous));
  const middle = await keepMiddle(around.request, previous, (kept) =>
    isUnderSeal(previous.sealed, around.head.part.text, kept),
  );
  return middle && assemble(input, texts, around, middle);
}

/** With less and less of what it may do without: free room, then text at the edges. */
async function newPlan(input: PlanInput, texts: TextPrinter): Promise<SegmentPlan> {
  const edges = cutEdges(input, texts);
  const none = { headEnd: START, tailStart: endOf(input.segments) };
  const tries = [
    ...(input.previous === undefined ? [] : [{ edges, freedShare: FREED_SHARE }]),
    { edges, freedShare: 0 },
    ...(isSamePlace(edges, none) ? [] : [{ edges: none, freedShare: 0 }]),
  ];
  let refusal: SnapcompactError | undefined;
  for (const { edges: tried, freedShare } of tries) {
    const around = printAround(input, texts, tried);
    const middle = await layMiddle(around.request, freedShare);
    if (!(middle instanceof SnapcompactError)) return assemble(input, texts, around, middle, true);
    refusal = middle;
  }
  throw refusal;
}

interface Around {
  readonly edges: Edges;
  readonly head: PrintedPart;
  readonly tail: PrintedPart;
  readonly live: TextPart;
  readonly request: MiddleRequest;
}

/** The texts around the frames, and what they leave for those. */
function printAround(input: PlanInput, texts: TextPrinter, edges: Edges): Around {
  const { segments, estimates } = input;
  const region = regionOf(segments, edges.headEnd, edges.tailStart);
  const head = texts.edge(regionOf(segments, START, edges.headEnd));
  const tail = texts.tail(edges.tailStart);
  const { live, pinned } = texts;
  const fixed = [head.part, tail.part, live];
  const request = {
    ...input,
    bytesPerPixel: estimates.bytesPerPixel,
    region,
    pinned,
    textCost: (all: ReadonlySet<number>) => textCost(fixed, texts.pins(all).part, estimates),
  };
  return { edges, head, tail, live, request };
}

async function assemble(
  input: PlanInput,
  texts: TextPrinter,
  { edges, head, tail, live }: Around,
  middle: Middle,
  isNewLayout = false,
): Promise<SegmentPlan> {
  const generation = isNewLayout ? input.generation : input.previous!.generation;
  const pins = texts.pins(middle.pinned);
  const printed = [head.printed, middle.printed, tail.printed];
  const parts = [head.part, tail.part, live, pins.part];
  return {
    layout: { ...middle.layout, ...edges, estimates: input.estimates, generation },
    isNewLayout,
    head: head.part,
    middle,
    tail: tail.part,
    pins: pins.part,
    live,
    elisions: printed.flatMap(({ elisions }) => elisions),
    scopes: [...new Set([...printed, pins.printed].flatMap(({ scopes }) => scopes))],
    spelled: middle.printed.spelled,
    droppedControls: printed.reduce((sum, { dropped }) => sum + dropped, 0),
    printedChars: printed.reduce((sum, { text }) => sum + text.length, 0),
    tokens: [...parts, ...middle.pages].reduce((sum, { tokens }) => sum + tokens, 0),
    replacedTokens: await sourceTokens(input),
  };
}

interface Edges {
  readonly headEnd: Position;
  readonly tailStart: Position;
}

/**
 * Edges of the size that purpose and window allow. Those of an earlier pass stay where they are, but that the tail may
 * start later: what is in frames stays there.
 */
function cutEdges(input: PlanInput, texts: TextPrinter, previous?: Layout): Edges {
  const { segments, caps } = input;
  const end = endOf(segments);
  const room = edgeRoom(input, texts);
  let chars = edgeChars(input);
  for (;;) {
    const headAt = previous?.headEnd ?? (chars < 1 ? START : headEnd(segments, chars, caps));
    const tailAt = chars < 1 ? end : tailStart(segments, chars, caps);
    const edges = { headEnd: headAt, tailStart: laterOf(tailAt, previous?.tailStart ?? headAt) };
    const head = texts.edge(regionOf(segments, START, edges.headEnd)).part;
    const tail = texts.tail(edges.tailStart).part;
    const share = Math.min(...(previous === undefined ? [head, tail] : [tail]).map(room));
    if (share >= 1 || chars < 1) return edges;
    chars = Math.floor(chars * Math.min(0.9, share));
  }
}

function edgeChars({ segments, budget, tiers, caps }: PlanInput): number {
  const capacity = tiers.hq.geometry.capacityCells;
  const total = segments.reduce((sum, segment) => sum + expectedChars(segment, caps), 0);
  const isShort = budget.purpose === 'archive' && total < EDGES_FROM_CAPACITIES * capacity;
  return isShort ? 0 : budget.edge * capacity;
}

/** How many times a text fits into what one edge may take. */
function edgeRoom({ budget, estimates }: PlanInput, texts: TextPrinter): (part: TextPart) => number {
  const taken = textCost([texts.live], texts.pins(texts.pinned).part, estimates);
  const share = (limit: number | null, used: number, takes: number) =>
    limit === null || takes === 0
      ? Number.POSITIVE_INFINITY
      : (Math.max(0, limit - used) * EDGE_SHARE) / takes;
  return ({ text, tokens }) =>
    Math.min(share(budget.tokens, taken.tokens, tokens), share(budget.bytes, taken.bytes, text.length));
}

function isSamePlace(a: Edges, b: Edges): boolean {
  return !isBefore(b.headEnd, a.headEnd) && !isBefore(a.tailStart, b.tailStart);
}

/** The limit that decided, what it allows, and what the undiminished middle would take. */
export interface Binding extends FrameCap {
  readonly needed: number;
}

export function bindingOf({ caps, layout }: Middle): Binding {
  return { ...caps[0]!, needed: layout.wholePages };
}

/** Whether the archive is smaller than what it replaces, its guide and factsheet at their largest counted in. */
export function isSmaller({ middle, tokens, replacedTokens, layout }: SegmentPlan): boolean {
  const hasFrames = middle.pages.some((page) => page.as === 'frame');
  return hasFrames && tokens + layout.estimates.surroundingTokens < replacedTokens;
}
