/**
 * Messages under construction, and the rules that hold for every importer: ids are unique within a history,
 * results stand in messages of their own, a message that carries nothing is not kept.
 */
import type { Block, Message } from '../history/history.js';
import type { Tally } from './importer.js';

/** A message whose blocks may still grow: one response of a model can be spread over several records. */
export type Draft = Omit<Message, 'blocks'> & { readonly blocks: Block[] };

/** Gives every id once: a repeated id gets `#2`, `#3`, … in the order of the records. */
export function uniqueIds(): (id: string) => string {
  const next = new Map<string, number>();
  return (id) => {
    let count = next.get(id);
    if (count === undefined) {
      next.set(id, 2);
      return id;
    }
    while (next.has(`${id}#${count}`)) count += 1;
    next.set(id, count + 1);
    next.set(`${id}#${count}`, 2);
    return `${id}#${count}`;
  };
}

/**
 * Cuts a message at the borders between results and everything else, in order. Runs of results become messages
 * of role `tool`; all runs keep the id, which `uniqueIds` then tells apart. Empty in, empty out.
 */
export function splitResults(draft: Draft): Draft[] {
  const runs: Draft[] = [];
  let inResults: boolean | undefined;
  for (const block of draft.blocks) {
    const isResult = block.type === 'result';
    if (isResult !== inResults) {
      runs.push({ ...draft, ...(isResult && { role: 'tool' as const }), blocks: [] });
      inResults = isResult;
    }
    runs.at(-1)?.blocks.push(block);
  }
  return runs;
}

/** Whether a message has something to archive; a message without is tallied as `empty message`. */
export function hasContent(draft: Draft, tally: Tally): boolean {
  if (draft.blocks.length > 0) return true;
  tally.skip('empty message');
  return false;
}

/** A message that holds one fact about the session. */
export function noteDraft(id: string, text: string, timeMs?: number): Draft {
  return { id, role: 'system', blocks: [{ type: 'note', text }], ...(timeMs !== undefined && { timeMs }) };
}

/** First line of `text`, at most `maxChars` UTF-16 units: for notes and titles, which stay short. */
export function firstLine(text: string, maxChars: number): string {
  const line = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
