/**
 * The worker pool: Piscina for the threads; queueing, deadlines and second attempts are ours.
 *
 * Piscina's queue rejects when it is full instead of waiting, and a task can only be timed from its submission, so a
 * page is handed over only when a worker is free. A worker that dies or overruns the deadline is replaced by Piscina;
 * its page gets one more attempt. A pool whose module has never loaded in any worker fails as a whole.
 */
import { Piscina } from 'piscina';
import { interruption, SnapcompactError } from '../errors.js';
import { packageFile } from '../package-files.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import type { Frame } from './frame.js';
import { closedRenderer, type Renderer, taskOf } from './renderer.js';

export interface PoolOptions {
  /** 1 or more. */
  readonly threads: number;
  /** How long one page may take, worker start included, before its worker is given up. */
  readonly deadlineMs: number;
  /** The worker module; default the built one. Another one is for tests of failing workers. */
  readonly workerFile?: URL;
}

/** Far more than a page takes, whose pixels lie outside the heap; a runaway worker ends here, not with the machine. */
const WORKER_HEAP_MB = 256;

export class PoolRenderer implements Renderer {
  readonly threads: number;
  readonly #deadlineMs: number;
  readonly #pool: Piscina;
  readonly #waiting: (() => void)[] = [];
  readonly #broken = new AbortController();
  #free: number;
  #loaded = false;
  #closing: Promise<void> | undefined;
  #onIdle: () => void = () => undefined;

  constructor({ threads, deadlineMs, workerFile = packageFile('dist/frame/worker.js') }: PoolOptions) {
    this.threads = threads;
    this.#free = threads;
    this.#deadlineMs = deadlineMs;
    this.#pool = new Piscina({
      filename: workerFile.href,
      name: 'paint',
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      atomics: 'async',
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
    });
    this.#pool.on('message', () => {
      this.#loaded = true;
    });
    this.#pool.on('error', (cause: unknown) => this.#failUnlessLoaded(cause));
  }

  async paint(page: Page, format: PageFormat, signal?: AbortSignal): Promise<Frame> {
    if (this.#closing !== undefined) throw closedRenderer();
    await this.#slot();
    try {
      const first = await this.#run(page, format, signal);
      const outcome = 'frame' in first ? first : await this.#run(page, format, signal);
      if ('frame' in outcome) return outcome.frame;
      throw lostTwice(page, outcome);
    } finally {
      this.#release();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#idle().then(() => this.#pool.destroy());
    return this.#closing;
  }

  /** One attempt: the frame, or how the worker was lost. */
  async #run(
    page: Page,
    format: PageFormat,
    signal: AbortSignal | undefined,
  ): Promise<{ frame: Frame } | LostWorker> {
    const stops = signal === undefined ? [this.#broken.signal] : [this.#broken.signal, signal];
    const overrun = new AbortController();
    const timer = setTimeout(() => overrun.abort(), this.#deadlineMs);
    const task = taskOf(page, format);
    try {
      for (const stop of stops) if (stop.aborted) throw interruption('rendering', stop);
      const any = AbortSignal.any([...stops, overrun.signal]);
      return { frame: await this.#pool.run(task, { signal: any, transferList: [task.cells.buffer] }) };
    } catch (cause) {
      if (signal?.aborted) throw interruption('rendering', signal);
      if (!overrun.signal.aborted) this.#failUnlessLoaded(cause);
      if (this.#broken.signal.aborted) throw interruption('rendering', this.#broken.signal);
      const lost = overrun.signal.aborted ? `no answer within ${this.#deadlineMs} ms` : messageOf(cause);
      return { lost, cause };
    } finally {
      clearTimeout(timer);
    }
  }

  #failUnlessLoaded(cause: unknown): void {
    if (this.#loaded || this.#broken.signal.aborted) return;
    this.#broken.abort(
      new SnapcompactError('worker-failed', {
        expected: 'a worker module that loads',
        of: 'the worker pool',
        got: messageOf(cause),
        hint: 'run the build, or paint in-process with 0 threads',
        cause,
      }),
    );
  }

  async #slot(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when no page is running or waiting. */
  async #idle(): Promise<void> {
    if (this.#free === this.threads) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (++this.#free === this.threads) this.#onIdle();
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

interface LostWorker {
  /** How, in words. */
  readonly lost: string;
  readonly cause: unknown;
}

function lostTwice(page: Page, { lost, cause }: LostWorker): SnapcompactError {
  return new SnapcompactError('worker-failed', {
    expected: 'a painted frame',
    of: `page ${page.index + 1}`,
    got: `two lost workers, the second by: ${lost}`,
    cause,
  });
}
