/**
 * The formulas by which providers turn the sides of an image into tokens, one small pure function a family.
 *
 * A function gets the sides as sent and the parameters of a record in `image-billing.json`, and says what the model
 * sees after the provider's resize and what that costs. Which provider uses which family, with which parameters,
 * is the record's business; sources stand there. All arithmetic is in pixels, patches and tokens.
 */

export interface ImageSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** What is left of an image after the provider's resize, and what it costs. */
export interface SeenImage extends ImageSize {
  readonly tokens: number;
}

export interface ImageFamily {
  /** The numeric fields a record of this family must have. */
  readonly parameters: readonly string[];
  see(size: ImageSize, parameters: Readonly<Record<string, number>>): SeenImage;
}

const cells = (sidePx: number, cellPx: number) => Math.ceil(sidePx / cellPx);

/** Rounds a tie to the even neighbour, as the providers' Python does. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The smallest factor, at most 1; an image is never enlarged. */
const shrink = (...factors: number[]) => Math.min(1, ...factors);

/**
 * Claude: the largest size of the same aspect whose sides, padded to whole patches, stay within the edge and whose
 * patches stay within the cap. The size is searched along the long edge; the short one follows, ties to even.
 */
const claudePatch: ImageFamily = {
  parameters: ['patchPx', 'maxEdgePx', 'maxPatches'],
  see({ widthPx, heightPx }, { patchPx, maxEdgePx, maxPatches }) {
    const patches = (a: number, b: number) => cells(a, patchPx!) * cells(b, patchPx!);
    const fits = (a: number, b: number) =>
      cells(Math.max(a, b), patchPx!) * patchPx! <= maxEdgePx! && patches(a, b) <= maxPatches!;
    if (fits(widthPx, heightPx)) return { widthPx, heightPx, tokens: patches(widthPx, heightPx) };
    const longPx = Math.max(widthPx, heightPx);
    const aspect = longPx / Math.min(widthPx, heightPx);
    const shortOf = (candidatePx: number) => Math.max(1, roundHalfEven(candidatePx / aspect));
    let fittingPx = 1;
    let tooLongPx = longPx;
    while (tooLongPx - fittingPx > 1) {
      const middlePx = Math.floor((fittingPx + tooLongPx) / 2);
      if (fits(middlePx, shortOf(middlePx))) fittingPx = middlePx;
      else tooLongPx = middlePx;
    }
    const seenLongPx = fittingPx;
    const seenShortPx = shortOf(fittingPx);
    const tokens = patches(seenLongPx, seenShortPx);
    return widthPx >= heightPx
      ? { widthPx: seenLongPx, heightPx: seenShortPx, tokens }
      : { widthPx: seenShortPx, heightPx: seenLongPx, tokens };
  },
};

/**
 * OpenAI by patches: fit the edge; above the budget scale by area, then once more so that one side is whole
 * patches; tokens are patches times a factor, rounded up (the guide allows an error of 1).
 */
const openaiPatch: ImageFamily = {
  parameters: ['patchPx', 'maxPatches', 'maxEdgePx', 'multiplier'],
  see(size, { patchPx, maxPatches, maxEdgePx, multiplier }) {
    const edge = shrink(maxEdgePx! / Math.max(size.widthPx, size.heightPx));
    let widthPx = size.widthPx * edge;
    let heightPx = size.heightPx * edge;
    const patches = () => cells(widthPx, patchPx!) * cells(heightPx, patchPx!);
    if (patches() > maxPatches!) {
      const area = Math.sqrt((patchPx! ** 2 * maxPatches!) / (widthPx * heightPx));
      const wholePart = (sidePx: number) =>
        Math.floor((sidePx * area) / patchPx!) / ((sidePx * area) / patchPx!);
      const factor = area * Math.min(wholePart(widthPx), wholePart(heightPx));
      widthPx = Math.max(1, Math.floor(widthPx * factor));
      heightPx = Math.max(1, Math.floor(heightPx * factor));
    }
    // The factor's binary form must not lift a whole product over the next integer: 2500 · 1.2 is 3000.
    return { ...whole(widthPx, heightPx), tokens: Math.ceil(Number((patches() * multiplier!).toFixed(6))) };
  },
};

/** OpenAI by tiles: fit a square, shrink the short side, pay for each tile begun. */
const openaiTile: ImageFamily = {
  parameters: ['fitPx', 'shortSidePx', 'tilePx', 'baseTokens', 'tileTokens'],
  see(size, { fitPx, shortSidePx, tilePx, baseTokens, tileTokens }) {
    const fit = shrink(fitPx! / Math.max(size.widthPx, size.heightPx));
    const short = shrink(shortSidePx! / (Math.min(size.widthPx, size.heightPx) * fit));
    const widthPx = size.widthPx * fit * short;
    const heightPx = size.heightPx * fit * short;
    const tiles = cells(Number(widthPx.toFixed(6)), tilePx!) * cells(Number(heightPx.toFixed(6)), tilePx!);
    return { ...whole(widthPx, heightPx), tokens: baseTokens! + tileTokens! * tiles };
  },
};

/**
 * Gemini 3 and Gemma 4: a grid of a fixed number of cells in the image's aspect, whatever its size in pixels.
 * What the resize does to the pixels is not published; the image counts as seen in full.
 */
const geminiAspect: ImageFamily = {
  parameters: ['budgetTokens'],
  see({ widthPx, heightPx }, { budgetTokens }) {
    const columns = Math.floor(Math.sqrt((budgetTokens! * widthPx) / heightPx));
    const rows = Math.floor(Math.sqrt((budgetTokens! * heightPx) / widthPx));
    const long = Math.min(Math.floor(Math.max(widthPx / heightPx, heightPx / widthPx)), budgetTokens!);
    return { widthPx, heightPx, tokens: columns === 0 || rows === 0 ? long : columns * rows };
  },
};

/** Grok: patches begun, and a few tokens around them. No resize is known. */
const grokPatch: ImageFamily = {
  parameters: ['patchPx', 'imageTokens'],
  see: ({ widthPx, heightPx }, { patchPx, imageTokens }) => ({
    widthPx,
    heightPx,
    tokens: cells(widthPx, patchPx!) * cells(heightPx, patchPx!) + imageTokens!,
  }),
};

/** Kimi: shrink until the whole patches are within the limit, pad, then merge squares of patches to tokens. */
const kimiPatch: ImageFamily = {
  parameters: ['patchPx', 'mergePatches', 'maxPatches', 'maxSidePatches'],
  see(size, { patchPx, mergePatches, maxPatches, maxSidePatches }) {
    const wholePatches = (sidePx: number) => Math.max(1, Math.floor(sidePx / patchPx!));
    const maxSidePx = maxSidePatches! * patchPx!;
    const factor = shrink(
      Math.sqrt(maxPatches! / (wholePatches(size.widthPx) * wholePatches(size.heightPx))),
      maxSidePx / size.widthPx,
      maxSidePx / size.heightPx,
    );
    const seen = whole(size.widthPx * factor, size.heightPx * factor);
    const cellPx = patchPx! * mergePatches!;
    return { ...seen, tokens: cells(seen.widthPx, cellPx) * cells(seen.heightPx, cellPx) };
  },
};

/** Qwen and GLM: round both sides to whole patches (ties to even), then scale into the range of pixels. */
const qwenPatch: ImageFamily = {
  parameters: ['patchPx', 'minPixels', 'maxPixels', 'imageTokens'],
  see(size, { patchPx, minPixels, maxPixels, imageTokens }) {
    const pixels = size.widthPx * size.heightPx;
    const scaled = (round: (value: number) => number, factor: number) => {
      const side = (sidePx: number) => Math.max(1, round((sidePx * factor) / patchPx!)) * patchPx!;
      return { widthPx: side(size.widthPx), heightPx: side(size.heightPx) };
    };
    let seen = scaled(roundHalfEven, 1);
    const seenPixels = seen.widthPx * seen.heightPx;
    if (seenPixels > maxPixels!) seen = scaled(Math.floor, Math.sqrt(maxPixels! / pixels));
    else if (seenPixels < minPixels!) seen = scaled(Math.ceil, Math.sqrt(minPixels! / pixels));
    return { ...seen, tokens: (seen.widthPx * seen.heightPx) / patchPx! ** 2 + imageTokens! };
  },
};

/** Mistral: fit the edge (ties to even), then one token a patch and one at the end of each row. */
const mistralGrid: ImageFamily = {
  parameters: ['patchPx', 'maxEdgePx'],
  see(size, { patchPx, maxEdgePx }) {
    const excess = Math.max(size.widthPx, size.heightPx) / maxEdgePx!;
    const side = (sidePx: number) => (excess > 1 ? Math.max(1, roundHalfEven(sidePx / excess)) : sidePx);
    const seen = { widthPx: side(size.widthPx), heightPx: side(size.heightPx) };
    return { ...seen, tokens: cells(seen.heightPx, patchPx!) * (cells(seen.widthPx, patchPx!) + 1) };
  },
};

/** DeepSeek V4.1, fitted to measurements: cells with a break after each row, a few tokens around, and a cap. */
const deepseekGrid: ImageFamily = {
  parameters: ['cellPx', 'maxPixels', 'imageTokens', 'maxTokens'],
  see(size, { cellPx, maxPixels, imageTokens, maxTokens }) {
    const factor = shrink(Math.sqrt(maxPixels! / (size.widthPx * size.heightPx)));
    const seen = whole(size.widthPx * factor, size.heightPx * factor);
    const tokens = cells(seen.heightPx, cellPx!) * (cells(seen.widthPx, cellPx!) + 1) + imageTokens!;
    return { ...seen, tokens: Math.min(tokens, maxTokens!) };
  },
};

/** One price whatever the size. */
const flat: ImageFamily = {
  parameters: ['tokens'],
  see: ({ widthPx, heightPx }, { tokens }) => ({ widthPx, heightPx, tokens: tokens! }),
};

function whole(widthPx: number, heightPx: number): ImageSize {
  const side = (sidePx: number) => Math.max(1, Math.floor(Number(sidePx.toFixed(6))));
  return { widthPx: side(widthPx), heightPx: side(heightPx) };
}

/** Every family by the name its records carry. */
export const imageFamilies: Readonly<Record<string, ImageFamily>> = {
  'claude-patch': claudePatch,
  'openai-patch': openaiPatch,
  'openai-tile': openaiTile,
  'gemini-aspect': geminiAspect,
  'grok-patch': grokPatch,
  'kimi-patch': kimiPatch,
  'qwen-patch': qwenPatch,
  'mistral-grid': mistralGrid,
  'deepseek-grid': deepseekGrid,
  flat,
};
