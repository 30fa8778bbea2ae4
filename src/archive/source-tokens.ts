/** What the source of an archive costs as text: what the archive takes the place of. */
import { estimateTextTokens } from '../billing/text-tokens.js';
import { withoutNoteSigns } from '../text/note.js';
import { isSaidStill, type Segment, saidBy } from '../text/segment.js';
import { inTurns } from '../turns.js';
import type { PlanInput } from './plan.js';

/** Counts of segments that a later pass has again. Of the vocabulary alone: what a user states is not kept. */
const counted = new WeakMap<Segment, { tokenizer: string; tokens: number; said: readonly string[] }>();

/** Lets the event loop run in between. */
export async function sourceTokens({
  segments,
  reader: { tokenizer },
  overrides,
}: PlanInput): Promise<number> {
  const isStated = overrides?.charsPerToken !== undefined;
  let total = 0;
  await inTurns(segments, (segment) => {
    const known = isStated ? undefined : counted.get(segment);
    if (known?.tokenizer === tokenizer && isSaidStill(known.said, segment)) {
      total += known.tokens;
      return 0;
    }
    const text = sourceText(segment);
    const tokens = estimateTextTokens(text, tokenizer, overrides);
    if (!isStated) counted.set(segment, { tokenizer, tokens, said: saidBy(segment) });
    total += tokens;
    return text.length;
  });
  return total;
}

/** A segment's own text, whole. */
export function sourceText(segment: Segment): string {
  if (segment.part !== 'call') return withoutNoteSigns(segment.text);
  const args = segment.args.map(({ key, text }) => (key === undefined ? text : `${key}=${text}`));
  return withoutNoteSigns([segment.name, ...args, segment.intent ?? ''].join(' '));
}
