/** History → archive: the one implementation behind the library call and the shell command. */
import { createHash } from 'node:crypto';
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { SnapcompactError } from '../errors.js';
import { createRenderer, type RendererOptions } from '../frame/create-renderer.js';
import { type Renderer, renderPages } from '../frame/renderer.js';
import type { History } from '../history/history.js';
import { foveate, type PlannedPage } from '../page/foveate.js';
import { pageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import { type Reader, type ReaderTarget, resolveReader } from '../page/readers.js';
import { getShape } from '../page/shapes.js';
import { type Caps, resolveCaps } from '../text/caps.js';
import { type Elision, type PrintedText, printSegments, type Span } from '../text/print.js';
import type { Segment } from '../text/segment.js';
import { segmentChars } from '../text/segment.js';
import { serializeHistory } from '../text/serialize.js';
import { ARCHIVE_SCHEMA, type Archive, type ArchivedFrame, type ArchiveSource } from './archive.js';
import { EntryFinder } from './entry-finder.js';
import { extractFacts } from './factsheet.js';
import { checkMaxFrames, DEFAULT_MAX_FRAMES } from './max-frames.js';

export interface ArchiveOptions extends ReaderTarget {
  /** Keep what the model thought. Default true. */
  readonly reasoning?: boolean;
  /** Limits on results and arguments. Default `defaultCaps`. */
  readonly caps?: Partial<Caps>;
  /**
   * Frames at most, 1 to 600. Default 80. Where the reader's shape needs more, the middle is printed in its dense
   * companion; what still finds no frame is the oldest of the middle, and is recorded as an elision.
   */
  readonly maxFrames?: number;
  /** Archive for a model that takes no images. Default false: refused with `no-vision`. */
  readonly allowNoVision?: boolean;
  /** Takes secrets out of every text, name and label before anything else sees it. Default: none. */
  readonly redact?: (text: string) => string;
  /** A renderer to paint with, which stays open; default: one of its own, by `threads` and `deadlineMs`. */
  readonly renderer?: Renderer;
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
 * Throws `no-vision` for a model without vision, `usage` for options out of range, `unknown-shape`, `worker-failed`,
 * and `interrupted` when `signal` fires; nothing is written anywhere.
 */
export async function archiveHistory(history: History, options: ArchiveOptions = {}): Promise<Archive> {
  const { reasoning = true, maxFrames = DEFAULT_MAX_FRAMES, redact } = options;
  checkHistory(history);
  checkMaxFrames(maxFrames);
  const reader = resolveReader(options, options.overrides);
  if (!reader.vision && !options.allowNoVision) throw noVision(reader);
  const format = pageFormat(getShape(reader.shape), reader.frame);
  const segments = serializeHistory(history, { reasoning, ...(redact && { redact }) });
  const caps = resolveCaps(options.caps);
  const printed = printSegments(segments, { coverage: format.coverage, caps });
  const entries = new EntryFinder(printed.spans, segments);

  const { dense } = format.shape;
  const plan = foveate(printed.text, printed.dim, {
    hq: format,
    ...(dense !== null && { lq: pageFormat(getShape(dense), reader.frame) }),
    maxPages: maxFrames,
  });
  const frames = await paintFrames(plan.pages, entries, options);
  const elisions = [...plan.dropped.map((span) => pagesElided(span, entries)), ...printed.elisions];
  return {
    schema: ARCHIVE_SCHEMA,
    ...(options.source && { source: sourceOf(options.source) }),
    reader,
    printing: { reasoning, caps, maxFrames, scopes: printed.scopes },
    segments,
    frames,
    elisions,
    factsheet: extractFacts(
      frames.map(({ text }) => text),
      { tokenizer: reader.tokenizer },
    ),
    counts: countsOf(history, segments, printed, frames),
    cost: costOf(frames, reader, options.overrides),
  };
}

async function paintFrames(
  pages: readonly PlannedPage[],
  entries: EntryFinder,
  options: ArchiveOptions,
): Promise<ArchivedFrame[]> {
  const renderer = options.renderer ?? createRenderer(rendererOptions(options));
  const frames: ArchivedFrame[] = [];
  try {
    for await (const { plan, frame } of renderPages(renderer, pages, options.signal)) {
      const { page, tier, format } = plan;
      const { png, ...painted } = frame;
      frames.push({
        ...painted,
        data: png,
        mime: 'image/png',
        index: page.index,
        shape: format.shape.id,
        tier,
        text: page.text,
        pageSha256: pageDigest(page),
        span: page.source,
        entries: { first: entries.at(page.source.from), last: entries.at(page.source.to - 1) },
      });
      options.onFrame?.(frames.length, pages.length);
    }
  } finally {
    if (options.renderer === undefined) await renderer.close();
  }
  return frames;
}

function rendererOptions({ threads, deadlineMs }: ArchiveOptions): RendererOptions {
  return {
    ...(threads !== undefined && { threads }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

/** Digest of what a page prints; the pixels follow from it and the shape. */
function pageDigest(page: Page): string {
  const spans = page.dim.map(({ from, to }) => `${from}-${to}`).join(',');
  return createHash('sha256').update(`${spans}\n${page.text}`).digest('hex');
}

/** A stretch of text that no frame is left for. */
function pagesElided({ from, to }: Span, entries: EntryFinder): Elision {
  return { reason: 'frames', what: 'page text', chars: to - from, entryId: entries.at(from) };
}

function countsOf(
  history: History,
  segments: readonly Segment[],
  printed: PrintedText,
  frames: readonly ArchivedFrame[],
): Archive['counts'] {
  return {
    messages: history.messages.length,
    segments: segments.length,
    sourceChars: segments.reduce((sum, segment) => sum + segmentChars(segment), 0),
    printedChars: printed.text.length,
    framedChars: frames.reduce((sum, { text }) => sum + text.length, 0),
    frames: frames.length,
    bytes: frames.reduce((sum, { data }) => sum + data.length, 0),
    spelled: printed.spelled,
    dropped: printed.dropped,
  };
}

function costOf(
  frames: readonly ArchivedFrame[],
  reader: Reader,
  overrides?: BillingOverrides,
): Archive['cost'] {
  const imageTokens = frames.reduce(
    (sum, frame) => sum + estimateImageTokens(reader.billing, frame).tokens,
    0,
  );
  const textTokens = frames.reduce(
    (sum, { text }) => sum + estimateTextTokens(text, reader.tokenizer, overrides),
    0,
  );
  return { imageTokens, textTokens, savedTokens: textTokens - imageTokens };
}

/** The one mistake that plain JavaScript callers make: a transcript, or its messages, in place of the history. */
function checkHistory(history: History): void {
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
function sourceOf({
  name,
  format,
  bytes,
  sha256,
  sessionId,
  title,
  cwd,
  model,
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
  };
}
