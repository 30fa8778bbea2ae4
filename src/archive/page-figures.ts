/** What is counted and looked for in the text of each frame. */
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { inTurns } from '../turns.js';
import type { ArchivedFrame } from './archive.js';
import { type Fact, factsIn } from './factsheet.js';
import type { MiddlePage } from './middle-page.js';
import { pageDigest } from './page-digest.js';

export interface PageFigures {
  readonly facts: readonly Fact[];
  /** Of the page as text. */
  readonly textTokens: number;
}

interface Remembered extends PageFigures {
  readonly tokenizer: string;
}

/** Of frames that a later pass may have again. */
const remembered = new WeakMap<ArchivedFrame, Remembered>();

export interface FigureOptions {
  readonly tokenizer: string;
  readonly overrides?: BillingOverrides | undefined;
}

/** Figures of each page, those of `stored` frames with the same page taken over. Lets the event loop run in between. */
export async function figuresOf(
  pages: readonly MiddlePage[],
  stored: readonly ArchivedFrame[],
  { tokenizer, overrides }: FigureOptions,
): Promise<PageFigures[]> {
  const before = new Map(stored.map((frame) => [frame.pageSha256, remembered.get(frame)]));
  const figures: PageFigures[] = [];
  await inTurns(pages, ({ page, format }) => {
    const known = before.get(pageDigest(page, format));
    const isCounted = known?.tokenizer === tokenizer && overrides?.charsPerToken === undefined;
    figures.push({
      facts: known?.facts ?? factsIn(page.text),
      textTokens: isCounted ? known.textTokens : estimateTextTokens(page.text, tokenizer, overrides),
    });
    return known === undefined ? page.text.length : 0;
  });
  return figures;
}

/** For the next pass. What a user states of a vocabulary is not kept. */
export function rememberFigures(
  frame: ArchivedFrame,
  figures: PageFigures,
  { tokenizer, overrides }: FigureOptions,
): void {
  if (overrides?.charsPerToken === undefined) remembered.set(frame, { ...figures, tokenizer });
}
