/**
 * The messages of one speaker (the main agent or one subagent), in the order of the records. Joins the lines of
 * one API response that follow each other; with anything in between, file order wins over joining.
 */
import { type Draft, hasContent } from './draft.js';
import type { Tally } from './importer.js';

export class Lane {
  readonly messages: Draft[] = [];
  #responseKey: string | undefined;
  readonly #nextId: (id: string) => string;
  readonly #tally: Tally;

  /** `nextId` makes ids unique over all lanes of a history. */
  constructor(nextId: (id: string) => string, tally: Tally) {
    this.#nextId = nextId;
    this.#tally = tally;
  }

  /** Adds the messages of one record; `responseKey` is what the lines of one response share. */
  add(drafts: readonly Draft[], responseKey?: string): void {
    const [first] = drafts;
    if (first === undefined) {
      this.#tally.skip('empty message');
      return;
    }
    const last = this.messages.at(-1);
    const joins = responseKey !== undefined && responseKey === this.#responseKey && last?.role === first.role;
    if (joins && drafts.length === 1) {
      last?.blocks.push(...first.blocks);
      return;
    }
    for (const draft of drafts) {
      if (hasContent(draft, this.#tally)) this.messages.push({ ...draft, id: this.#nextId(draft.id) });
    }
    this.#responseKey = responseKey;
  }
}
