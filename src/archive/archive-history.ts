/** History → archive: the library call, and what every pass has in common. */

import type { BillingOverrides } from '../billing/overrides.js';
import { interruption, SnapcompactError } from '../errors.js';
import type { Renderer } from '../frame/renderer.js';
import type { History } from '../history/history.js';
import { type Reader, type ReaderTarget, resolveReader } from '../page/readers.js';
import { type Caps, resolveCaps } from '../text/caps.js';
import type { Segment } from '../text/segment.js';
import { serializeInTurns } from '../text/serialize.js';
import type { Archive, ArchiveSettings, ArchiveSource } from './archive.js';
import { boundSource, DEFAULT_SOURCE_BYTES } from './bound-source.js';
import { type BudgetOptions, budgetOf, type Purpose } from './budget.js';
import { type BuildInput, buildArchive } from './build-archive.js';
import type { FrameCache } from './frame-cache.js';
import { pinnedSegments } from './pins.js';

export interface ArchiveOptions extends ReaderTarget, BudgetOptions {
  /** Keep what the model thought. Default true. */
  readonly reasoning?: boolean;
  /** Limits on results and arguments. Default `defaultCaps`. */
  readonly caps?: Partial<Caps>;
  /**
   * Segments to keep as text, never dropped and never pixels: `id:<entry>`, `role:user` (`think`, `ai`, `call`),
   * `/<pattern>/`, or a text that they contain. Default none.
   */
  readonly pins?: readonly string[];
  /** Bytes of source text to keep, as UTF-8. Default 16,000,000; beyond them the oldest tool output goes first. */
  readonly sourceBytes?: number;
  /** How frames are encoded; WebP is lossless, smaller and slower to make. Default `png`. */
  readonly format?: 'png' | 'webp';
  /** Archive for a model that takes no images. Default false: refused with `no-vision`. */
  readonly allowNoVision?: boolean;
  /** Takes secrets out of every text, name and label before anything else sees it. Default: none. */
  readonly redact?: (text: string) => string;
  /** A renderer to paint with, which stays open; default: one of its own, by `threads` and `deadlineMs`. */
  readonly renderer?: Renderer;
  /** Painted frames of earlier passes, from `createFrameCache`. Default: those of the archive before alone. */
  readonly cache?: FrameCache;
  readonly threads?: number;
  readonly deadlineMs?: number;
  /** What a user says against the tables of prices, limits and readers; `loadConfig` reads it from files. */
  readonly overrides?: BillingOverrides;
  /** What the archive records of the transcript; a `Transcript` will do. */
  readonly source?: ArchiveSource;
  /** Called after each frame. May not throw. */
  readonly onFrame?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Archives a history for one reader. A history without text gives an archive without frames.
 *
 * Throws `no-vision` for a model without vision, `over-budget` when what the user said does not fit, `nothing-gained`
 * with `onlyIfSmaller`, `usage` for options out of range, `unknown-shape`, `worker-failed`, and `interrupted` when
 * `signal` fires; nothing is written anywhere.
 */
export async function archiveHistory(history: History, options: ArchiveOptions = {}): Promise<Archive> {
  return buildArchive(await inputOf(history, options, 'archive'), options);
}

/** What a first pass is made from. */
export async function inputOf(
  history: History,
  options: ArchiveOptions,
  purpose: Purpose,
): Promise<BuildInput> {
  checkHistory(history);
  const settings = settingsOf(options, purpose);
  const reader = visionReader(settings, options);
  const budget = budgetOf(reader, settings.limits, options.overrides);
  const source = options.source && sourceOf(options.source);
  const all = await segmentsOf(history, settings, options);
  const { segments, elisions } = boundSource(all, settings.sourceBytes, {
    transcriptSha256: source?.sha256,
    pinned: pinnedSegments(all, settings.pins),
  });
  return {
    segments,
    sourceElisions: elisions,
    messages: history.messages.length,
    reader,
    settings,
    budget,
    source,
    overrides: options.overrides,
  };
}

export async function segmentsOf(
  history: History,
  { reasoning }: ArchiveSettings,
  { redact, signal }: ArchiveOptions,
): Promise<Segment[]> {
  if (signal?.aborted) throw interruption('archiving', signal);
  return serializeInTurns(history, { reasoning, ...(redact && { redact }) });
}

/** The reader, unless it takes no images. Throws `no-vision`. */
export function visionReader({ target }: ArchiveSettings, options: ArchiveOptions): Reader {
  const reader = resolveReader(target, options.overrides);
  if (!reader.vision && !options.allowNoVision) throw noVision(reader);
  return reader;
}

/** What the options say, over what an earlier pass was told. Throws `usage`. */
export function settingsOf(
  options: ArchiveOptions,
  purpose: Purpose,
  before?: ArchiveSettings,
): ArchiveSettings {
  const { reasoning, pins, sourceBytes, format } = options;
  checkSourceBytes(sourceBytes);
  return {
    reasoning: reasoning ?? before?.reasoning ?? true,
    caps: resolveCaps({ ...before?.caps, ...options.caps }),
    pins: pins ?? before?.pins ?? [],
    sourceBytes: sourceBytes ?? before?.sourceBytes ?? DEFAULT_SOURCE_BYTES,
    mime: format === undefined ? (before?.mime ?? 'image/png') : `image/${format}`,
    target: targetOf(options, before?.target),
    limits: { purpose, ...before?.limits, ...stated(options, limitNames) },
  };
}

const targetNames = ['model', 'api', 'route', 'shape', 'frame'] as const;
const limitNames = [
  'purpose',
  'maxFrames',
  'maxImages',
  'maxBytes',
  'windowTokens',
  'usedTokens',
  'reserveTokens',
  'usedImages',
  'usedBytes',
  'margin',
  'edge',
  'pinTokens',
  'onlyIfSmaller',
] as const satisfies readonly (keyof BudgetOptions)[];

/** Another model brings its own API, route, shape and frame. */
function targetOf(options: ArchiveOptions, before: ReaderTarget | undefined): ReaderTarget {
  const target = stated(options, targetNames);
  return target.model !== undefined && target.model !== before?.model ? target : { ...before, ...target };
}

/** The named options that say something. */
function stated<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const entries = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]);
  return Object.fromEntries(entries) as Pick<T, K>;
}

function checkSourceBytes(bytes: number | undefined): void {
  if (bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0)) return;
  throw new SnapcompactError('usage', {
    expected: 'a whole number from 0',
    of: 'the option sourceBytes',
    got: String(bytes),
  });
}

/** The one mistake that plain JavaScript callers make: a transcript, or its messages, in place of the history. */
export function checkHistory(history: History): void {
  if (Array.isArray((history as Partial<History> | null)?.messages)) return;
  throw new SnapcompactError('usage', {
    expected: 'an object with a list of messages',
    of: 'the history',
    got: history === null ? 'null' : Array.isArray(history) ? 'a list' : typeof history,
  });
}

function noVision(reader: Reader): SnapcompactError {
  return new SnapcompactError('no-vision', {
    expected: 'a model that takes images',
    of: 'the reader of the frames',
    got: `${reader.model}, which takes none: ${reader.evidence}`,
    hint: 'use --allow no-vision (option allowNoVision) to archive all the same',
  });
}

/** The fields of a source and no others: a transcript has its history, too. */
export function sourceOf({
  name,
  format,
  bytes,
  sha256,
  sessionId,
  title,
  cwd,
  model,
  branches,
  subagents,
}: ArchiveSource): ArchiveSource {
  return {
    name,
    format,
    bytes,
    sha256,
    ...(sessionId !== undefined && { sessionId }),
    ...(title !== undefined && { title }),
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
    ...(branches !== undefined && { branches }),
    ...(subagents !== undefined && { subagents }),
  };
}
