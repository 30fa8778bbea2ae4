/**
 * What one image costs a reader in tokens, and how much of it the model still sees.
 *
 * The record comes with the reader (`resolveReader(…).billing`) or from `image-billing.json`; it is plain data and
 * checked here, so a caller may also write one.
 */
import { SnapcompactError } from '../errors.js';
import { type ImageSize, imageFamilies } from './image-families.js';

/** A bill as data: the family names the formula, the other fields are its parameters, with source and date. */
export type ImageBillingRecord = Readonly<Record<string, string | number>> & { readonly family: string };

export interface ImageEstimate {
  /** Tokens of the image by the provider's published or fitted formula. */
  readonly tokens: number;
  /**
   * `tokens` and the record's `perImageTokens`: what a budget should count for one image of a request. They differ on
   * Claude, where requests with one image were measured 3 to 4 tokens above the formula.
   */
  readonly budgetTokens: number;
  /** Sides after the provider's resize. */
  readonly seenWidthPx: number;
  readonly seenHeightPx: number;
  /** Whether the model sees fewer pixels than were sent, on either side: the print is resampled, do not send it. */
  readonly shrunk: boolean;
}

/** Largest side the formulas are held to; far above every provider's own limit. */
const maxSidePx = 65_536;

/**
 * Tokens of one image of `size` under the bill `rule`.
 *
 * Pure; sides are integers from 1 to 65536 pixels. Limits that refuse an image instead of shrinking it (side,
 * bytes, patches) belong to the route: `requestLimits`. `perImageTokens` of the record (0 where absent; 4 on
 * Claude) is in `budgetTokens`, not in `tokens`, so that `tokens` equals the figure the provider documents.
 *
 * Errors: `usage` for a size or record that cannot be billed. Formulas: see `image-families.ts`; sources: each record.
 */
export function estimateImageTokens(rule: ImageBillingRecord, size: ImageSize): ImageEstimate {
  const { widthPx, heightPx } = size;
  checkSide(widthPx, 'the image width in pixels');
  checkSide(heightPx, 'the image height in pixels');
  const family = Object.hasOwn(imageFamilies, rule.family) ? imageFamilies[rule.family] : undefined;
  if (family === undefined)
    throw badRecord(`one of ${Object.keys(imageFamilies).join(', ')}`, 'family', rule.family);
  const parameters: Record<string, number> = {};
  for (const name of family.parameters) {
    const value = rule[name];
    const atLeast = name === 'imageTokens' ? 0 : Number.MIN_VALUE;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < atLeast) {
      throw badRecord(
        atLeast === 0 ? 'a number from 0' : 'a number above 0',
        `${rule.family}.${name}`,
        value,
      );
    }
    parameters[name] = value;
  }
  const perImageTokens = rule['perImageTokens'] ?? 0;
  if (typeof perImageTokens !== 'number' || !(perImageTokens >= 0)) {
    throw badRecord('a number from 0', `${rule.family}.perImageTokens`, perImageTokens);
  }
  const seen = family.see({ widthPx, heightPx }, parameters);
  return {
    tokens: seen.tokens,
    budgetTokens: seen.tokens + perImageTokens,
    seenWidthPx: seen.widthPx,
    seenHeightPx: seen.heightPx,
    shrunk: seen.widthPx < widthPx || seen.heightPx < heightPx,
  };
}

function checkSide(sidePx: number, of: string): void {
  if (Number.isInteger(sidePx) && sidePx >= 1 && sidePx <= maxSidePx) return;
  throw new SnapcompactError('usage', {
    expected: `an integer from 1 to ${maxSidePx}`,
    of,
    got: String(sidePx),
  });
}

function badRecord(expected: string, of: string, got: unknown): SnapcompactError {
  return new SnapcompactError('usage', {
    expected,
    of: `the image bill's ${of}`,
    got: JSON.stringify(got) ?? 'nothing',
  });
}
