/**
 * Pages → frames, in order, in-process or in a worker pool, behind one interface.
 *
 * Thread count never shows in a frame's bytes. At most `concurrency` pages are being painted and as many more are
 * finished and waiting for the consumer: memory stays bounded however many pages come.
 */
import { interruption, SnapcompactError } from '../errors.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import { cellsOfPage } from './cells.js';
import { type Frame, type PaintTask, paintFrame } from './frame.js';

export interface Renderer {
  /** Pages painted at once; 0 for in-process painting. */
  readonly threads: number;
  /** Whether its threads run already, so that even a few pages are best left to them. Default false. */
  readonly isStarted?: boolean;
  /**
   * Paints one page. Rejects with `interrupted` when `signal` fires, and with `worker-failed` when the page cost two
   * workers; other pages go on.
   */
  paint(page: Page, format: PageFormat, signal?: AbortSignal): Promise<Frame>;
  /** Lets running pages finish, then frees every thread. May be called more than once. */
  close(): Promise<void>;
}

/** The task for one page; made anew for each attempt, since its cells are moved away. */
export function taskOf(page: Page, format: PageFormat): PaintTask {
  const { geometry, atlas } = format;
  return {
    cells: cellsOfPage(page, format),
    columnsCells: geometry.columnsCells,
    widthPx: geometry.frameWidthPx,
    atlas: atlas.image,
    shape: format.shape.id,
  };
}

/** The error for painting with a renderer that was closed. */
export function closedRenderer(): SnapcompactError {
  return new SnapcompactError('internal', {
    expected: 'an open one',
    of: 'the renderer',
    got: 'a closed one',
  });
}

/** Paints in the calling thread, and lets its event loop run between frames. */
export class InProcessRenderer implements Renderer {
  readonly threads = 0;

  async paint(page: Page, format: PageFormat, signal?: AbortSignal): Promise<Frame> {
    await new Promise(setImmediate);
    if (signal?.aborted) throw interruption('rendering', signal);
    return paintFrame(taskOf(page, format));
  }

  async close(): Promise<void> {}
}

/** Up to this many pages are painted in the calling thread: less work than starting a pool. */
const SMALL_JOB_PAGES = 3;

/** A page and the format to print it in. */
export interface PageToPrint {
  readonly page: Page;
  readonly format: PageFormat;
}

/** Frames of `pages` in their order. Stops at the first page that fails; started pages then finish unseen. */
export async function* renderPages<P extends PageToPrint>(
  renderer: Renderer,
  pages: Iterable<P>,
  signal?: AbortSignal,
): AsyncGenerator<{ plan: P; frame: Frame }> {
  const queue = pages[Symbol.iterator]();
  const first = take(queue, SMALL_JOB_PAGES + 1);
  const isLeftToThreads = first.length > SMALL_JOB_PAGES || renderer.isStarted;
  const painter = isLeftToThreads ? renderer : new InProcessRenderer();
  const ahead = Math.max(1, painter.threads * 2);
  const started: { plan: P; frame: Promise<Frame> }[] = [];
  for (let plan = first.shift() ?? next(queue); plan !== undefined; plan = first.shift() ?? next(queue)) {
    const frame = painter.paint(plan.page, plan.format, signal);
    frame.catch(() => undefined);
    started.push({ plan, frame });
    if (started.length >= ahead) yield await settled(started.shift()!);
  }
  while (started.length > 0) yield await settled(started.shift()!);
}

function next<T>(queue: Iterator<T>): T | undefined {
  const { value, done } = queue.next();
  return done ? undefined : value;
}

function take<T>(queue: Iterator<T>, count: number): T[] {
  const taken: T[] = [];
  for (let item = next(queue); item !== undefined; item = next(queue)) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

async function settled<P>({
  plan,
  frame,
}: {
  plan: P;
  frame: Promise<Frame>;
}): Promise<{ plan: P; frame: Frame }> {
  return { plan, frame: await frame };
}
