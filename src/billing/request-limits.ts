/**
 * What one request may carry on a route: images, bytes, pixels.
 *
 * The table is `request-limits.json`: one record a route, with what the vendor documents, what others measured and
 * what is safe. A request that keeps to the safe figures keeps to all of them.
 */
import { readPackageJson } from '../package-files.js';
import type { BillingOverrides, LimitOverrides } from './overrides.js';

/** One limit from three sides; `null` where nothing is known. `safe` is at most the least of the other two. */
export interface Limit {
  readonly documented: number | null;
  readonly measured: number | null;
  readonly safe: number | null;
}

export interface RequestLimits {
  readonly route: string;
  readonly aliases: readonly string[];
  /** Images in one request, those of the whole resent history and of tool results included. */
  readonly images: Limit & { readonly safe: number };
  /** Bytes of one image as base64. */
  readonly imageBytes: Limit;
  /** Bytes of the request body, images as base64. */
  readonly requestBytes: Limit;
  /** Longest side of an image; `safe` holds however many images there are. */
  readonly sidePx: { readonly documented: number | null; readonly safe: number | null };
  /** With more than `above` images in the request, none may have a side over `sidePx`: the request is refused. */
  readonly manyImages: { readonly above: number; readonly sidePx: number } | null;
  /** Patches of 32 px above which an image is refused. */
  readonly patchesPerImage: number | null;
  /** Values of the image's `detail` field the route takes; `null`: not known, send none. */
  readonly details: readonly string[] | null;
  readonly note: string;
  readonly source: string;
  readonly date: string;
}

let loaded: readonly RequestLimits[] | undefined;

/** The limits of every route in the table. */
export function allRequestLimits(): readonly RequestLimits[] {
  loaded ??= (readPackageJson('src/billing/request-limits.json') as { routes: RequestLimits[] }).routes;
  return loaded;
}

/**
 * The limits of `route`, a name or an alias of the table in any letter case; by default, and for any name that is
 * not there, those of an OpenAI-compatible endpoint nothing is known of: 5 images, 3 MB. Never throws.
 *
 * `overrides.limits` may change a route under its name or an alias, and make a new one out of the unknown endpoint.
 */
export function requestLimits(route = 'unknown', overrides?: BillingOverrides): RequestLimits {
  const key = route.trim().toLowerCase();
  const find = (name: string) =>
    allRequestLimits().find((limits) => limits.route === name || limits.aliases.includes(name));
  const found = find(key);
  const base = found ?? find('unknown')!;
  const override = Object.entries(overrides?.limits ?? {}).find(([name]) => {
    const named = name.trim().toLowerCase();
    return named === key || (found !== undefined && (found.route === named || found.aliases.includes(named)));
  });
  return override === undefined ? base : overriddenLimits(base, found?.route ?? key, override[1]);
}

/** What the user states replaces all that is documented, measured and safe. */
function overriddenLimits(base: RequestLimits, route: string, stated: LimitOverrides): RequestLimits {
  const all = <T extends number | null>(value: T) => ({ documented: value, measured: value, safe: value });
  const { images, imageBytes, requestBytes, sidePx, manyImages, patchesPerImage } = stated;
  return {
    ...base,
    route,
    aliases: base.route === route ? base.aliases : [],
    ...(images !== undefined && { images: all(images) }),
    ...(imageBytes !== undefined && { imageBytes: all(imageBytes) }),
    ...(requestBytes !== undefined && { requestBytes: all(requestBytes) }),
    ...(sidePx !== undefined && { sidePx: { documented: sidePx, safe: sidePx } }),
    ...(manyImages !== undefined && { manyImages }),
    ...(patchesPerImage !== undefined && { patchesPerImage }),
    source: `configuration; else ${base.source}`,
  };
}
