/**
 * Pages → frames, painting only what is not there yet.
 *
 * A stored frame is a memo: it is used when its page is the same to the digest and its bytes are those it was stored
 * with, else the page is painted. So frames never decide anything, and one that was tampered with is never sent.
 */
import { createHash, webcrypto } from 'node:crypto';
import { interruption } from '../errors.js';
import { createRenderer } from '../frame/create-renderer.js';
import { type Renderer, renderPages } from '../frame/renderer.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import type { ArchivedFrame, FrameMime } from './archive.js';
import type { FrameCache } from './frame-cache.js';
import { pageDigest } from './page-digest.js';

/** What painting gives of a frame. */
export type Painted = Pick<
  ArchivedFrame,
  'data' | 'mime' | 'sha256' | 'widthPx' | 'heightPx' | 'bitDepth' | 'pageSha256'
>;

export interface PaintOptions {
  readonly mime: FrameMime;
  /** Frames of before. */
  readonly stored?: readonly ArchivedFrame[] | undefined;
  /** Frames of this and other archives, from this process. Default: none. */
  readonly cache?: FrameCache | undefined;
  readonly renderer?: Renderer | undefined;
  readonly threads?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly onFrame?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PageToPaint {
  readonly page: Page;
  readonly format: PageFormat;
}

/** A frame for each page, in their order; equal pages are painted once. Throws `worker-failed` and `interrupted`. */
export async function paintPages(pages: readonly PageToPaint[], options: PaintOptions): Promise<Painted[]> {
  const job = new PaintJob(pages, options);
  await job.run();
  return job.frames();
}

class PaintJob {
  readonly #options: PaintOptions;
  readonly #digests: readonly string[];
  readonly #pages = new Map<string, PageToPaint>();
  /** Frames of before, as far as can be told without a look at their bytes. */
  readonly #stored = new Map<string, ArchivedFrame>();
  readonly #painted = new Map<string, Painted>();
  #done = 0;

  constructor(pages: readonly PageToPaint[], options: PaintOptions) {
    this.#options = options;
    this.#digests = pages.map(({ page, format }) => pageDigest(page, format));
    for (const [at, page] of pages.entries()) this.#pages.set(this.#digests[at]!, page);
    for (const frame of options.stored ?? []) {
      const page = this.#pages.get(frame.pageSha256);
      if (page && isLike(frame, page, options.mime)) this.#stored.set(frame.pageSha256, frame);
    }
  }

  frames(): Painted[] {
    return this.#digests.map((digest) => this.#painted.get(digest)!);
  }

  /** What another pass is painting at the moment is waited for, and painted here where nothing comes of it. */
  async run(): Promise<void> {
    const fresh = this.#missing().filter((digest) => !this.#stored.has(digest) && !this.#pending(digest));
    await Promise.all([this.#paint(fresh), this.#checkStored()]);
    for (let missing = this.#missing(); missing.length > 0; missing = this.#missing()) {
      const theirs = new Map(missing.map((digest) => [digest, this.#pending(digest)]));
      await this.#paint(missing.filter((digest) => theirs.get(digest) === undefined));
      for (const [digest, pending] of theirs) {
        const frame = await pending;
        if (this.#options.signal?.aborted) throw interruption('rendering', this.#options.signal);
        if (frame !== undefined) this.#add(digest, frame);
      }
    }
  }

  /** Takes over the frames whose bytes are those they were stored with. */
  async #checkStored(): Promise<void> {
    const checks = [...this.#stored].map(async ([digest, frame]) => {
      if (await isIntact(frame)) this.#painted.set(digest, paintedPart(frame));
    });
    await Promise.all(checks);
    this.#report();
  }

  #missing(): string[] {
    const { cache } = this.#options;
    for (const digest of this.#pages.keys()) {
      const frame = this.#painted.has(digest) ? undefined : cache?.get(this.#key(digest));
      if (frame !== undefined) this.#add(digest, frame);
    }
    return [...this.#pages.keys()].filter((digest) => !this.#painted.has(digest));
  }

  async #paint(digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return;
    const options = this.#options;
    const { renderer = createRenderer(rendererOptions(options)) } = options;
    const claims = digests.map((digest) => options.cache?.claim(this.#key(digest)));
    let settled = 0;
    try {
      const plans = digests.map((digest) => ({ ...this.#pages.get(digest)!, digest }));
      for await (const { plan, frame } of renderPages(renderer, plans, options.signal)) {
        const { png, ...rest } = frame;
        const painted = { ...rest, data: png, mime: 'image/png' as const, pageSha256: plan.digest };
        const whole = await encoded(painted, options.mime);
        claims[settled++]?.(whole);
        this.#add(plan.digest, whole);
      }
    } finally {
      for (const claim of claims.slice(settled)) claim?.();
      if (options.renderer === undefined) await renderer.close();
    }
  }

  #pending(digest: string): Promise<Painted | undefined> | undefined {
    return this.#options.cache?.pending(this.#key(digest));
  }

  /** A page in one encoding. */
  #key(digest: string): string {
    return `${this.#options.mime} ${digest}`;
  }

  #add(digest: string, frame: Painted): void {
    this.#painted.set(digest, frame);
    this.#report();
  }

  /** Pages done, those that are equal to another counted in. */
  #report(): void {
    const done = this.#digests.reduce((sum, digest) => sum + (this.#painted.has(digest) ? 1 : 0), 0);
    if (done > this.#done) this.#options.onFrame?.(done, this.#digests.length);
    this.#done = done;
  }
}

function isLike(frame: ArchivedFrame, { page, format }: PageToPaint, mime: FrameMime): boolean {
  const { frameWidthPx, heightPx: heightOf } = format.geometry;
  return frame.mime === mime && frame.widthPx === frameWidthPx && frame.heightPx === heightOf(page.rowsUsed);
}

/** On another thread: an archive has some ten megabytes of frames. */
async function isIntact({ data, sha256 }: ArchivedFrame): Promise<boolean> {
  const digest = await webcrypto.subtle.digest('SHA-256', data);
  return Buffer.from(digest).toString('hex') === sha256;
}

function paintedPart(frame: ArchivedFrame): Painted {
  const { data, mime, sha256, widthPx, heightPx, bitDepth, pageSha256 } = frame;
  return { data, mime, sha256, widthPx, heightPx, bitDepth, pageSha256 };
}

async function encoded(frame: Painted, mime: FrameMime): Promise<Painted> {
  if (mime === 'image/png') return frame;
  const { toWebp } = await import('../frame/webp.js');
  const data = await toWebp(frame.data);
  return { ...frame, data, mime, sha256: createHash('sha256').update(data).digest('hex') };
}

function rendererOptions({ threads, deadlineMs }: PaintOptions) {
  return {
    ...(threads !== undefined && { threads }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}
