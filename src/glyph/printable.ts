/**
 * Which characters are never printed as a glyph, whatever the fonts draw.
 *
 * Used when fonts/lookalikes.json is made, not at run time: the answer depends on the Unicode version of the Node
 * that asks, and the same text must give the same pixels on every machine.
 */
import type { Glyph } from './font.js';

/** Why a character is spelled out; the keys of `spelled` in fonts/lookalikes.json. */
export type UnprintableReason = 'control' | 'blank' | 'combining' | 'emoji' | 'unassigned';

const tests: readonly (readonly [UnprintableReason, RegExp])[] = [
  ['control', /^[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]$/u],
  ['blank', /^(?! )[\p{Zs}\s]$/u],
  ['combining', /^[\p{Mn}\p{Me}]$/u],
  ['unassigned', /^[\p{Cn}\p{Co}]$/u],
  ['emoji', /^\p{Emoji_Presentation}$/u],
];

/** The reason why a character is never printed, undefined when it may be. `glyph` is what the font draws. */
export function unprintableReason(codePoint: number, glyph: Glyph): UnprintableReason | undefined {
  const character = String.fromCodePoint(codePoint);
  const found = tests.find(([, test]) => test.test(character));
  if (found !== undefined) return found[0];
  // Beyond the Basic Multilingual Plane the emoji of text presentation are pictures too, such as U+1F5A5.
  if (codePoint > 0xffff && /^\p{Emoji}$/u.test(character)) return 'emoji';
  return isPlaceholder(glyph) ? 'unassigned' : undefined;
}

/** Unifont's picture of a code point it has no drawing for: the number in a box with a dashed edge. */
function isPlaceholder({ widthPx, rows }: Glyph): boolean {
  return widthPx === 16 && rows.length === 16 && rows[0] === 0xaaaa && rows[15] === 0x5555;
}
