/** What blocks of text and images will be billed as, by the formulas and the table of this folder. */
import { SnapcompactError } from '../errors.js';
import type { ImageSize } from './image-families.js';
import { estimateImageTokens, type ImageBillingRecord } from './image-tokens.js';
import type { BillingOverrides } from './overrides.js';
import { estimateTextTokens } from './text-tokens.js';

/** A block of a message, as `contextBlocks` makes them. */
export type CountedBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly mime: string;
      readonly data: Uint8Array;
      /** Needed where the image is no PNG. */
      readonly size?: ImageSize;
    };

export interface Prediction {
  readonly tokens: number;
  readonly imageTokens: number;
  readonly textTokens: number;
}

/** `reader` as `resolveReader` gives it; `budgetTokens` are counted for each image. Throws `usage` for no image. */
export function predictTokens(
  blocks: readonly CountedBlock[],
  reader: { readonly billing: ImageBillingRecord; readonly tokenizer: string },
  overrides?: BillingOverrides,
): Prediction {
  let imageTokens = 0;
  let textTokens = 0;
  for (const block of blocks) {
    if (block.type === 'text') textTokens += estimateTextTokens(block.text, reader.tokenizer, overrides);
    else imageTokens += estimateImageTokens(reader.billing, block.size ?? pngSize(block.data)).budgetTokens;
  }
  return { tokens: imageTokens + textTokens, imageTokens, textTokens };
}

/** Sides from the header of a PNG (PNG specification, 11.2.1: eight bytes of signature, then IHDR). */
function pngSize(data: Uint8Array): ImageSize {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.byteLength < 24 || view.getUint32(0) !== 0x89504e47 || view.getUint32(12) !== 0x49484452) {
    throw new SnapcompactError('usage', {
      expected: 'a PNG, or its size beside it',
      of: 'an image block',
      got: `${data.byteLength} bytes of something else`,
    });
  }
  return { widthPx: view.getUint32(16), heightPx: view.getUint32(20) };
}
