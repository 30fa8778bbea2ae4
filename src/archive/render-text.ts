/** Any text → frames, without an archive around them. */
import { SnapcompactError } from '../errors.js';
import { createRenderer } from '../frame/create-renderer.js';
import type { Frame } from '../frame/frame.js';
import { type Renderer, renderPages } from '../frame/renderer.js';
import { type PageFormat, pageFormat } from '../page/page-format.js';
import { type Page, paginate } from '../page/paginate.js';
import { type Reader, type ReaderOverrides, type ReaderTarget, resolveReader } from '../page/readers.js';
import { getShape } from '../page/shapes.js';
import { escapeMarks } from '../text/escape.js';
import { normalizeText } from '../text/normalize.js';
import { visibleText } from '../text/visible.js';
import { checkMaxFrames, DEFAULT_MAX_FRAMES } from './max-frames.js';

export interface CountOptions extends ReaderTarget {
  /** Keep the indentation of each line. Default false. */
  readonly indented?: boolean;
  /** What a user says against the table of readers. */
  readonly overrides?: ReaderOverrides;
}

export interface RenderOptions extends CountOptions {
  /** Frames at most, 1 to 600. Default 80; a text that needs more is refused with `over-budget`. */
  readonly maxFrames?: number;
  /** A renderer to paint with, which stays open; default: one of its own with `threads`. */
  readonly renderer?: Renderer;
  readonly threads?: number;
  readonly onFrame?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface RenderedFrame extends Frame {
  /** The normal text that the frame shows, and that `decodeFrame` gives back. */
  readonly text: string;
}

export interface RenderedText {
  readonly reader: Reader;
  readonly frames: readonly RenderedFrame[];
}

/**
 * Prints a text on frames: white space collapsed, line breaks as black cells, and a `█` or `[U+` of its own spelled
 * out. Throws `over-budget`, `usage`, `unknown-shape`, `worker-failed`, `interrupted`.
 */
export async function renderText(text: string, options: RenderOptions = {}): Promise<RenderedText> {
  const { reader, format, pages } = layOut(text, options);
  const maxFrames = options.maxFrames ?? DEFAULT_MAX_FRAMES;
  checkMaxFrames(maxFrames);
  if (pages.length > maxFrames) throw tooLong(pages.length, maxFrames);
  const { threads } = options;
  const renderer = options.renderer ?? createRenderer(threads === undefined ? {} : { threads });
  const prints = pages.map((page) => ({ page, format }));
  const frames: RenderedFrame[] = [];
  try {
    for await (const { plan, frame } of renderPages(renderer, prints, options.signal)) {
      frames.push({ ...frame, text: plan.page.text });
      options.onFrame?.(frames.length, pages.length);
    }
  } finally {
    if (options.renderer === undefined) await renderer.close();
  }
  return { reader, frames };
}

/** How many frames `renderText` would make, without painting any. Linear in the text. */
export function countFrames(text: string, options: CountOptions = {}): number {
  return layOut(text, options).pages.length;
}

function layOut(text: string, options: CountOptions): { reader: Reader; format: PageFormat; pages: Page[] } {
  const reader = resolveReader(options, options.overrides);
  const format = pageFormat(getShape(reader.shape), reader.frame);
  const { indented = false } = options;
  const normal = normalizeText(escapeMarks(visibleText(text).text, 'page'), {
    coverage: format.coverage,
    indented,
  });
  return { reader, format, pages: [...paginate(normal.text, [], format)] };
}

function tooLong(frames: number, maxFrames: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `a text that fits ${maxFrames} frames`,
    of: 'rendering',
    got: `one that needs ${frames}`,
    hint: 'raise --max-frames (option maxFrames)',
  });
}
