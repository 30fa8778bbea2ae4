/**
 * What an archive may take, from every side: frames, images, bytes and pixels of a request, and the live window.
 *
 * One set of numbers for planner, renderer and sender: `budgetOf` asks the same limits that `checkRequest` checks.
 */
import {
  imageLimit,
  patchCount,
  patchLimit,
  requestBytesLimit,
  sideLimitPx,
} from '../billing/check-request.js';
import { modelWindow } from '../billing/model-window.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { type RequestLimits, requestLimits } from '../billing/request-limits.js';
import { SnapcompactError } from '../errors.js';
import type { Reader } from '../page/readers.js';
import { checkMaxFrames, DEFAULT_MAX_FRAMES } from './max-frames.js';

/**
 * Why somebody makes an archive. `replace`: it takes the place of messages in a live context, so it must be smaller
 * than they are. `archive`: somebody asked for frames and gets them.
 */
export type Purpose = 'replace' | 'archive';

export interface BudgetOptions {
  /** Default: `archive` for `archiveHistory`, `replace` for `planArchive`. */
  readonly purpose?: Purpose;
  /** Frames at most, 1 to 600. Default 80. */
  readonly maxFrames?: number;
  /**
   * Images that one request may hold. Default: what the reader's route takes; for an unknown route 5 when replacing,
   * and no limit when archiving.
   */
  readonly maxImages?: number;
  /** Bytes of one request, images as base64. Default: as for `maxImages`. */
  readonly maxBytes?: number;
  /** Context window in tokens. Default when replacing: the model's, else 200,000; when archiving: none. */
  readonly windowTokens?: number;
  /** Tokens in use beside the archive: system prompt, tools, kept messages. Default 0. */
  readonly usedTokens?: number;
  /** Tokens to keep free for the answer. Default 16,384, at most a quarter of the window. */
  readonly reserveTokens?: number;
  /** Images, and bytes of anything, that the request holds beside the archive. Default 0. */
  readonly usedImages?: number;
  readonly usedBytes?: number;
  /** Share by which a frame must be cheaper than its text, 0 to 1. Default 0.1 when replacing, else none. */
  readonly margin?: number;
  /**
   * Text kept at each end, in capacities of one frame of the reader's shape. Default 1; when archiving, none for a
   * text under four capacities.
   */
  readonly edge?: number;
  /** Tokens of pinned text at most. Default 16,000, at most a quarter of what the window leaves. */
  readonly pinTokens?: number;
  /** Refuse an archive that is not smaller than what it replaces. Default true when replacing, else false. */
  readonly onlyIfSmaller?: boolean;
}

export type BindingLimit = 'frames' | 'images' | 'bytes' | 'pixels' | 'window';

/** `BudgetOptions` with every default filled in; `null`: no limit. Kept in the archive. */
export interface Budget {
  readonly purpose: Purpose;
  readonly maxFrames: number;
  /** What is left of each for the archive. */
  readonly images: number | null;
  readonly bytes: number | null;
  readonly tokens: number | null;
  /** Images from which on the reader's frames would be too large for the route; `null`: never. */
  readonly largeImages: number | null;
  readonly margin: number | null;
  readonly edge: number;
  readonly pinTokens: number;
  readonly onlyIfSmaller: boolean;
}

/** What a live context is taken to hold where nobody says (Oh-My-Pi's assumption, too). */
const UNKNOWN_WINDOW_TOKENS = 200_000;
const DEFAULT_RESERVE_TOKENS = 16_384;
const DEFAULT_PIN_TOKENS = 16_000;
const DEFAULT_MARGIN = 0.1;

/** Fills in what the options leave open. Throws `usage` for options out of range. */
export function budgetOf(reader: Reader, options: BudgetOptions, overrides?: BillingOverrides): Budget {
  const {
    purpose = 'archive',
    maxFrames = DEFAULT_MAX_FRAMES,
    edge = 1,
    usedImages = 0,
    usedBytes = 0,
  } = options;
  checkMaxFrames(maxFrames);
  checkNumbers(options);
  const replaces = purpose === 'replace';
  const limits = requestLimits(reader.limits.route, overrides);
  const binds = replaces || limits.route !== 'unknown';
  const images = options.maxImages ?? (binds ? imageLimit(limits) : Number.POSITIVE_INFINITY);
  const bytes = options.maxBytes ?? (binds ? requestBytesLimit(limits) : Number.POSITIVE_INFINITY);
  const tokens = tokensLeft(reader, options, replaces, overrides);
  const sidePx = Math.max(reader.frame.widthPx, reader.frame.maxHeightPx);
  const large = limits.manyImages !== null && sidePx > limits.manyImages.sidePx && binds;
  if (binds) checkFrameSize(reader, limits);
  return {
    purpose,
    maxFrames,
    images: limited(images - usedImages),
    bytes: limited(bytes - usedBytes),
    tokens: limited(tokens),
    largeImages: large ? Math.max(0, limits.manyImages!.above - usedImages) : null,
    margin: options.margin ?? (replaces ? DEFAULT_MARGIN : null),
    edge,
    pinTokens: options.pinTokens ?? Math.min(DEFAULT_PIN_TOKENS, Math.floor(Math.max(0, tokens) / 4)),
    onlyIfSmaller: options.onlyIfSmaller ?? replaces,
  };
}

function tokensLeft(
  reader: Reader,
  { windowTokens, usedTokens = 0, reserveTokens }: BudgetOptions,
  replaces: boolean,
  overrides: BillingOverrides | undefined,
): number {
  const known = replaces ? modelWindow(reader.model, overrides)?.contextTokens : undefined;
  const assumed = replaces ? UNKNOWN_WINDOW_TOKENS : Number.POSITIVE_INFINITY;
  const window = windowTokens ?? known ?? assumed;
  return window - usedTokens - (reserveTokens ?? defaultReserve(window));
}

function defaultReserve(windowTokens: number): number {
  return Math.min(DEFAULT_RESERVE_TOKENS, Math.floor(windowTokens / 4));
}

/**
 * What a model's window leaves beside an answer. One that no table knows is no limit to frames, which nobody sends by the
 * window; all of an archive as text needs one that is assumed.
 */
export function windowTokensLeft({ model, vision }: Reader, overrides?: BillingOverrides): number {
  const assumed = vision ? Number.POSITIVE_INFINITY : UNKNOWN_WINDOW_TOKENS;
  const window = modelWindow(model, overrides)?.contextTokens ?? assumed;
  return window - defaultReserve(window);
}

/** `null` for no limit, since JSON has no infinity. */
function limited(value: number): number | null {
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : null;
}

export interface FrameCap {
  readonly limit: BindingLimit;
  readonly frames: number;
}

/**
 * How many frames each limit allows, the tightest first. `text` is what goes with them as text; a frame is taken to
 * cost `frameTokens` and `frameBytes` of base64.
 */
export function frameCaps(
  budget: Budget,
  text: { readonly tokens: number; readonly bytes: number },
  frame: { readonly tokens: number; readonly bytes: number },
): readonly FrameCap[] {
  const caps: FrameCap[] = [{ limit: 'frames', frames: budget.maxFrames }];
  const add = (limit: BindingLimit, frames: number | null) => {
    if (frames !== null) caps.push({ limit, frames: Math.max(0, Math.floor(frames)) });
  };
  add('images', budget.images);
  add('pixels', budget.largeImages);
  add('bytes', budget.bytes === null ? null : (budget.bytes - text.bytes) / frame.bytes);
  add('window', budget.tokens === null ? null : (budget.tokens - text.tokens) / Math.max(1, frame.tokens));
  return caps.sort((a, b) => a.frames - b.frames);
}

/** Full frames, and parts of one, that tokens and bytes have room for; and frames that the counts allow. */
export function pageCaps(
  budget: Budget,
  text: { readonly tokens: number; readonly bytes: number },
  frame: { readonly tokens: number; readonly bytes: number },
): [soft: number, hard: number] {
  const room = (limit: number | null, taken: number, each: number) =>
    limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - taken) / each;
  return [
    Math.min(
      room(budget.tokens, text.tokens, Math.max(1, frame.tokens)),
      room(budget.bytes, text.bytes, frame.bytes),
    ),
    Math.min(
      budget.maxFrames,
      budget.images ?? Number.POSITIVE_INFINITY,
      budget.largeImages ?? Number.POSITIVE_INFINITY,
    ),
  ];
}

const ranges = {
  maxImages: [0, 100_000],
  maxBytes: [0, Number.MAX_SAFE_INTEGER],
  windowTokens: [1, Number.MAX_SAFE_INTEGER],
  usedTokens: [0, Number.MAX_SAFE_INTEGER],
  reserveTokens: [0, Number.MAX_SAFE_INTEGER],
  usedImages: [0, 100_000],
  usedBytes: [0, Number.MAX_SAFE_INTEGER],
  margin: [0, 1],
  edge: [0, 1000],
  pinTokens: [0, Number.MAX_SAFE_INTEGER],
} as const;

function checkNumbers(options: BudgetOptions): void {
  for (const [name, [low, high]] of Object.entries(ranges)) {
    const value = options[name as keyof typeof ranges];
    const isWhole = name === 'margin' || name === 'edge' || Number.isInteger(value);
    if (value === undefined || (isWhole && value >= low && value <= high)) continue;
    throw new SnapcompactError('usage', {
      expected: `a number from ${low} to ${high}`,
      of: `the option ${name}`,
      got: String(value),
    });
  }
}

function checkFrameSize(reader: Reader, limits: RequestLimits): void {
  const { widthPx, maxHeightPx } = reader.frame;
  const sidePx = sideLimitPx(limits, 1);
  if (Math.max(widthPx, maxHeightPx) > sidePx) throw tooLarge(`${sidePx} pixels a side`, reader);
  const patches = patchLimit(limits);
  const taken = patchCount({ widthPx, heightPx: maxHeightPx });
  if (taken > patches) throw tooLarge(`${patches} patches of 32 pixels`, reader);
}

function tooLarge(limit: string, { limits, frame }: Reader): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `frames of at most ${limit}`,
    of: `route ${limits.route}`,
    got: `${frame.widthPx}×${frame.maxHeightPx}`,
    hint: 'choose a smaller frame, or another --route',
  });
}
