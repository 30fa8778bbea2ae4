/**
 * Pages → frames, painting only what is not there yet.
 *
 * A stored frame is a memo: it is used when its page is the same to the digest and its bytes are those it was stored
 * with, else the page is painted. So frames never decide anything, and one that was tampered with is never sent.
 */
import { createHash } from 'node:crypto';
import { createRenderer } from '../frame/create-renderer.js';
import { RENDERER_VERSION } from '../frame/frame.js';
import { type Renderer, renderPages } from '../frame/renderer.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import type { ArchivedFrame, FrameMime } from './archive.js';

/** What painting gives of a frame. */
export type Painted = Pick<
  ArchivedFrame,
  'data' | 'mime' | 'sha256' | 'widthPx' | 'heightPx' | 'bitDepth' | 'pageSha256'
>;

export interface PaintOptions {
  readonly mime: FrameMime;
  /** Frames of before. */
  readonly stored?: readonly ArchivedFrame[] | undefined;
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

/** A frame for each page, in their order. Throws `worker-failed` and `interrupted`. */
export async function paintPages(pages: readonly PageToPaint[], options: PaintOptions): Promise<Painted[]> {
  const { stored = [], onFrame } = options;
  const memo = new Map(stored.map((frame) => [frame.pageSha256, frame]));
  const digests = pages.map(({ page, format }) => pageDigest(page, format));
  const painted = digests.map((digest) => usable(memo.get(digest), options.mime));
  const missing = pages.map((page, at) => ({ ...page, at })).filter(({ at }) => painted[at] === undefined);
  let done = pages.length - missing.length;
  if (done > 0) onFrame?.(done, pages.length);
  if (missing.length > 0) {
    const { renderer = createRenderer(rendererOptions(options)) } = options;
    try {
      for await (const { plan, frame } of renderPages(renderer, missing, options.signal)) {
        const { png, ...rest } = frame;
        painted[plan.at] = await encoded(
          { ...rest, data: png, mime: 'image/png', pageSha256: digests[plan.at]! },
          options.mime,
        );
        onFrame?.(++done, pages.length);
      }
    } finally {
      if (options.renderer === undefined) await renderer.close();
    }
  }
  return painted as Painted[];
}

/** Digest of all that decides the pixels of a page: text, emphasis, shape, width of the frame, version of the renderer. */
export function pageDigest(
  { text, dim }: Pick<Page, 'text' | 'dim'>,
  { shape, geometry }: PageFormat,
): string {
  const spans = dim.map(({ from, to }) => `${from}-${to}`).join(',');
  const head = `${RENDERER_VERSION} ${shape.id} ${geometry.frameWidthPx} ${spans}\n`;
  return createHash('sha256').update(head).update(text).digest('hex');
}

function usable(frame: ArchivedFrame | undefined, mime: FrameMime): Painted | undefined {
  if (frame === undefined || frame.mime !== mime) return undefined;
  if (createHash('sha256').update(frame.data).digest('hex') !== frame.sha256) return undefined;
  const { data, sha256, widthPx, heightPx, bitDepth, pageSha256 } = frame;
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
