/** Which shape or reader would do better, where frames cost more than their text. */
import type { Archive } from '../archive/archive.js';
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { shapeGeometry } from '../page/geometry.js';
import { type Reader, readerRules, resolveReader } from '../page/readers.js';
import { getShape, shapes } from '../page/shapes.js';
import { number } from './io.js';

/** One sentence, or nothing where frames are worth their price, or no other choice is. */
export function betterChoice(
  { cost, frames, reader }: Archive,
  overrides: BillingOverrides,
): string | undefined {
  if (cost.savedTokens >= 0 || frames.length === 0) return undefined;
  const text = frames.map((frame) => frame.text).join('');
  const found = [
    ...shapes().map(({ id }) => ({
      ...choice({ ...reader, shape: id }, text, overrides),
      name: `--shape ${id}`,
    })),
    ...otherReaders(overrides).map((other) => ({
      ...choice(other, text, overrides),
      name: `--model ${other.model}`,
    })),
  ];
  const [best] = found.filter(({ ratio }) => ratio < 1).sort((a, b) => a.ratio - b.ratio);
  if (best === undefined) return 'keep it as text: no shape or known reader makes frames of it cheaper';
  return `${best.name}: about ${number(best.imageTokens)} image tokens against ${number(best.textTokens)} as text`;
}

/** Frames of the text for a reader against the text itself. */
function choice(reader: Reader, text: string, overrides: BillingOverrides) {
  const geometry = shapeGeometry(getShape(reader.shape), reader.frame);
  const textTokens = estimateTextTokens(text, reader.tokenizer, overrides);
  let imageTokens = 0;
  for (let left = text.length; left > 0; left -= geometry.capacityCells) {
    const rows = Math.ceil(Math.min(left, geometry.capacityCells) / geometry.columnsCells);
    const size = { widthPx: geometry.frameWidthPx, heightPx: geometry.heightPx(rows) };
    imageTokens += estimateImageTokens(reader.billing, size).tokens;
  }
  return { imageTokens, textTokens, ratio: imageTokens / textTokens };
}

/** A reader for each model line that somebody measured. */
function otherReaders(overrides: BillingOverrides): Reader[] {
  return readerRules()
    .filter(({ vision, measured }) => vision && measured)
    .flatMap(({ lines = [], from }) =>
      lines
        .slice(0, 1)
        .map((line) => resolveReader({ model: from === undefined ? line : `${line}-${from}` }, overrides)),
    );
}
