/** Pages of the middle, and what each costs as it is sent. */
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { PlannedPage } from '../page/foveate.js';
import type { PageFormat } from '../page/page-format.js';
import type { Page } from '../page/paginate.js';
import type { Reader } from '../page/readers.js';
import { BLOCK_BYTES, textBlockBytes } from './wire-bytes.js';

/** One page, and whether it becomes pixels. */
export interface MiddlePage extends PlannedPage {
  /** `text`: cheaper as the text it is. */
  readonly as: 'frame' | 'text';
  /** What it costs as it is sent. */
  readonly tokens: number;
}

/** In a request, about. */
export function bytesOf({ as, page, format }: MiddlePage, bytesPerPixel: number): number {
  if (as === 'text') return textBlockBytes(pageText(page));
  return pixelsOf(page, format) * bytesPerPixel + BLOCK_BYTES;
}

/** A page that stays text, as it is sent. */
export function pageText({ text }: Pick<Page, 'text'>): string {
  return text.replaceAll('█', '\n');
}

export function frameTokens({ rowsUsed }: Page, { geometry }: PageFormat, reader: Reader): number {
  const size = { widthPx: geometry.frameWidthPx, heightPx: geometry.heightPx(rowsUsed) };
  return estimateImageTokens(reader.billing, size).budgetTokens;
}

export function pixelsOf({ rowsUsed }: Page, { geometry }: PageFormat): number {
  return geometry.frameWidthPx * geometry.heightPx(rowsUsed);
}
