/** The choice between painting in-process and in a pool. */
import { availableParallelism } from 'node:os';
import { SnapcompactError } from '../errors.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import type { Frame } from './frame.js';
import { closedRenderer, InProcessRenderer, type Renderer } from './renderer.js';

export interface RendererOptions {
  /**
   * Worker threads, 0 to 64; 0 paints in the calling thread. Default: one per core, 8 at most. Each costs some 10 MB
   * and 40 ms of start-up, once.
   */
  readonly threads?: number;
  /** Time for one page before its worker is replaced, 1 ms and up. Default 10,000. */
  readonly deadlineMs?: number;
  /** Worker module, for tests of failing workers. */
  readonly workerFile?: URL;
}

const MAX_THREADS = 64;
const DEFAULT_MAX_THREADS = 8;

/**
 * A renderer; close it when done. Threads start with the first page. Throws `usage` for options out of range.
 */
export function createRenderer(options: RendererOptions = {}): Renderer {
  const threads = options.threads ?? Math.min(DEFAULT_MAX_THREADS, availableParallelism());
  const deadlineMs = options.deadlineMs ?? 10_000;
  checkInteger(threads, 0, MAX_THREADS, 'threads');
  checkInteger(deadlineMs, 1, 2 ** 31 - 1, 'deadlineMs');
  if (threads === 0) return new InProcessRenderer();
  return new LazyPool(threads, deadlineMs, options.workerFile);
}

/** Loads Piscina and starts its threads when the first page comes. */
class LazyPool implements Renderer {
  readonly threads: number;
  readonly #start: () => Promise<Renderer>;
  #pool: Promise<Renderer> | undefined;
  #isClosed = false;

  constructor(threads: number, deadlineMs: number, workerFile: URL | undefined) {
    this.threads = threads;
    const file = workerFile === undefined ? {} : { workerFile };
    this.#start = async () => new (await import('./pool.js')).PoolRenderer({ threads, deadlineMs, ...file });
  }

  get isStarted(): boolean {
    return this.#pool !== undefined && !this.#isClosed;
  }

  async paint(page: Page, format: PageFormat, signal?: AbortSignal): Promise<Frame> {
    if (this.#isClosed) throw closedRenderer();
    this.#pool ??= this.#start();
    return (await this.#pool).paint(page, format, signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#pool)?.close();
  }
}

function checkInteger(value: number, low: number, high: number, of: string): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new SnapcompactError('usage', {
    expected: `an integer from ${low} to ${high}`,
    of,
    got: String(value),
  });
}
