/**
 * Whether a request may be sent on a route: the last check, on what was really encoded.
 *
 * Each limit is one function below. They take a route's safe figure, and where none is given the smaller of the
 * documented and the measured one.
 */
import type { BillingOverrides } from './overrides.js';
import { type Limit, type RequestLimits, requestLimits } from './request-limits.js';

/** One image as it goes on the wire. */
export interface RequestImage {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Length of its base64: `base64Bytes(file bytes)`. */
  readonly bytesBase64: number;
}

export type LimitName =
  | 'images'
  | 'image-side'
  | 'many-images-side'
  | 'image-patches'
  | 'image-bytes'
  | 'request-bytes';

/** One limit that a request exceeds. */
export interface Violation {
  readonly binding: LimitName;
  /** The most the route takes. */
  readonly limit: number;
  readonly actual: number;
  /** Place of the image among the images of the request, from 0; absent where the request as a whole is at fault. */
  readonly image?: number;
  readonly route: string;
}

export type RequestCheck =
  | { readonly ok: true; readonly route: string }
  | (Violation & { readonly ok: false; readonly violations: readonly Violation[] });

/** Patches of which `patchesPerImage` speaks. */
const patchPx = 32;

/** The figure to keep to, or none where nothing is known. */
function effective({ safe, documented, measured }: Limit): number {
  return safe ?? Math.min(documented ?? Number.POSITIVE_INFINITY, measured ?? Number.POSITIVE_INFINITY);
}

/** Images in one request. */
export const imageLimit = (limits: RequestLimits): number => effective(limits.images);

/** Bytes of one image as base64. */
export const imageBytesLimit = (limits: RequestLimits): number => effective(limits.imageBytes);

/** Bytes of the whole body. */
export const requestBytesLimit = (limits: RequestLimits): number => effective(limits.requestBytes);

/** Longest side of an image in a request of `images` images; Claude: 8000 px, but 2000 px from the 21st image on. */
export function sideLimitPx({ manyImages, sidePx }: RequestLimits, images: number): number {
  if (manyImages === null) return sidePx.safe ?? sidePx.documented ?? Number.POSITIVE_INFINITY;
  return images > manyImages.above
    ? manyImages.sidePx
    : (sidePx.documented ?? sidePx.safe ?? Number.POSITIVE_INFINITY);
}

/** Patches of 32 px begun in an image. */
export function patchCount({ widthPx, heightPx }: { widthPx: number; heightPx: number }): number {
  return Math.ceil(widthPx / patchPx) * Math.ceil(heightPx / patchPx);
}

/** Patches of one image. */
export const patchLimit = (limits: RequestLimits): number =>
  limits.patchesPerImage ?? Number.POSITIVE_INFINITY;

/**
 * Checks the images of a whole request, those of the resent history and of tool results included, in wire order;
 * `textBytes` is everything else in the body. A failed check names the first limit exceeded and lists all of them.
 * Linear; never throws.
 */
export function checkRequest(
  images: readonly RequestImage[],
  textBytes: number,
  route: string,
  overrides?: BillingOverrides,
): RequestCheck {
  const limits = requestLimits(route, overrides);
  const violations: Violation[] = [];
  const check = (binding: LimitName, actual: number, limit: number, image?: number) => {
    if (actual <= limit) return;
    violations.push({ binding, limit, actual, ...(image !== undefined && { image }), route: limits.route });
  };
  const many = limits.manyImages !== null && images.length > limits.manyImages.above;
  check('images', images.length, imageLimit(limits));
  for (const [index, image] of images.entries()) {
    const longestPx = Math.max(image.widthPx, image.heightPx);
    check(many ? 'many-images-side' : 'image-side', longestPx, sideLimitPx(limits, images.length), index);
    check('image-patches', patchCount(image), patchLimit(limits), index);
    check('image-bytes', image.bytesBase64, imageBytesLimit(limits), index);
  }
  const bodyBytes = images.reduce((sum, { bytesBase64 }) => sum + bytesBase64, textBytes);
  check('request-bytes', bodyBytes, requestBytesLimit(limits));
  const [first] = violations;
  return first === undefined ? { ok: true, route: limits.route } : { ok: false, ...first, violations };
}
