/**
 * What a user or a caller may say against the data files of this folder.
 *
 * Plain data, handed as the last argument to each function that reads a table; there is no global state. `loadConfig`
 * reads it from configuration files and checks it there.
 */

import type { RecordOverrides } from './model-records.js';
import type { WindowRecord } from './model-window.js';
import type { PriceRecord } from './prices.js';
import type { ContentClass } from './text-classes.js';

/** Limits of one route; each replaces the documented, the measured and the safe figure; `null`: none. */
export interface LimitOverrides {
  readonly images?: number;
  readonly imageBytes?: number | null;
  readonly requestBytes?: number | null;
  readonly sidePx?: number | null;
  readonly manyImages?: { readonly above: number; readonly sidePx: number } | null;
  readonly patchesPerImage?: number | null;
}

/** Of one reader rule. */
export interface ReaderRuleOverrides {
  readonly shape?: string;
  readonly frame?: { readonly widthPx?: number; readonly maxHeightPx?: number };
  readonly vision?: boolean;
}

export interface BillingOverrides {
  /** Fields of image bills, by record of `image-billing.json`. */
  readonly images?: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  /** Characters per token, by column of `text-tokens.json`. */
  readonly charsPerToken?: Readonly<Record<string, Readonly<Partial<Record<ContentClass, number>>>>>;
  /** By record of `prices.json` or by model id. */
  readonly prices?: RecordOverrides<PriceRecord>;
  /** By record of `windows.json` or by model id. */
  readonly windows?: RecordOverrides<WindowRecord>;
  /** By route of `request-limits.json`; another name makes a new route out of `unknown`. */
  readonly limits?: Readonly<Record<string, LimitOverrides>>;
  /** By rule of `shapes/readers.json`. */
  readonly readers?: Readonly<Record<string, ReaderRuleOverrides>>;
}
