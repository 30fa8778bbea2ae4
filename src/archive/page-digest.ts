/** What two pages with the same pixels have in common. */
import { createHash } from 'node:crypto';
import { RENDERER_VERSION } from '../frame/frame.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';

/** A page is laid out for one format, and asked for its digest more than once in a pass. */
const digests = new WeakMap<Page, string>();

/** Digest of all that decides the pixels of a page: text, emphasis, shape, width of the frame, version of the renderer. */
export function pageDigest(page: Page, { shape, geometry }: PageFormat): string {
  const known = digests.get(page);
  if (known !== undefined) return known;
  const spans = page.dim.map(({ from, to }) => `${from}-${to}`).join(',');
  const head = `${RENDERER_VERSION} ${shape.id} ${geometry.frameWidthPx} ${spans}\n`;
  const digest = createHash('sha256').update(head).update(page.text).digest('hex');
  digests.set(page, digest);
  return digest;
}
