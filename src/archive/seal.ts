/**
 * The part of an archive that the next pass must find unchanged: text at the head, and pages that new ones do not
 * reach. Where it is, a layout can be kept.
 */
import { createHash } from 'node:crypto';
import { EDGE_PAGES } from '../page/foveate.js';
import type { Middle } from './middle.js';
import type { MiddlePage } from './middle-page.js';
import { pageDigest } from './page-digest.js';

export interface Seal {
  /** Pages of the middle under it, from the first on. */
  readonly pages: number;
  /** Hex digest of the text at the head and of those pages. */
  readonly sha256: string;
}

export function sealOf(head: string, middle: Middle): Seal {
  return seal(head, middle.pages, sealedPages(middle));
}

/** Whether the start of an archive is the one that was sealed. */
export function isUnderSeal({ pages, sha256 }: Seal, head: string, middle: Middle): boolean {
  return middle.pages.length >= pages && seal(head, middle.pages, pages).sha256 === sha256;
}

/** Pages before the open ones, and before the last run, which starts there whatever is printed. */
function sealedPages({ pages, layout }: Middle): number {
  const lastRunAt = Math.max(0, ...layout.runs.map(({ to = 0 }) => to));
  const before = pages.findIndex(({ page }) => page.source.from >= lastRunAt);
  return Math.max(pages.length - EDGE_PAGES, before < 0 ? pages.length : before);
}

function seal(head: string, pages: readonly MiddlePage[], count: number): Seal {
  const hash = createHash('sha256').update(`${head.length}\n${head}`);
  for (const { page, format } of pages.slice(0, count)) hash.update(pageDigest(page, format));
  return { pages: count, sha256: hash.digest('hex') };
}
