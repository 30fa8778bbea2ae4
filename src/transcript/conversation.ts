/**
 * Joins the bodies of a request log into one history. Every request of a conversation repeats what came before,
 * so a body that begins with all of the conversation so far adds only its end; any other body begins a new one.
 */
import type { Message } from '../history/history.js';
import { type Draft, hasContent, noteDraft, uniqueIds } from './draft.js';
import type { Tally } from './importer.js';

export class Conversation {
  readonly messages: Message[] = [];
  readonly #tally: Tally;
  readonly #nextId = uniqueIds();
  /** The current conversation, for comparison with the next body. */
  #current: Draft[] = [];
  #count = 0;
  #conversations = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Adds the messages of one body; their ids are given here unless they have one. `answer`: continues as it is. */
  add(drafts: readonly Draft[], isAnswer: boolean): void {
    const repeats = this.#repeated(drafts);
    if (!isAnswer && repeats < this.#current.length) {
      this.#current = [];
      this.#conversations += 1;
      const id = `conversation:${this.#conversations + 1}`;
      this.messages.push({ ...noteDraft(id, 'Another conversation begins'), id: this.#nextId(id) });
    }
    const known = repeats === this.#current.length || isAnswer ? repeats : 0;
    for (let i = 0; i < known; i++) this.#tally.skip('message repeated by a later request');
    for (const draft of drafts.slice(known)) this.#push(draft);
  }

  #push(draft: Draft): void {
    this.#current.push(draft);
    this.#count += 1;
    if (!hasContent(draft, this.#tally)) return;
    const id = draft.id === '' ? `message:${this.#count}` : draft.id;
    this.messages.push({ ...draft, id: this.#nextId(id) });
  }

  /** How many messages `drafts` and the conversation have in common from the start. */
  #repeated(drafts: readonly Draft[]): number {
    let common = 0;
    while (common < drafts.length && common < this.#current.length) {
      if (!isSame(drafts[common] as Draft, this.#current[common] as Draft)) break;
      common += 1;
    }
    return common;
  }
}

function isSame(a: Draft, b: Draft): boolean {
  return a.role === b.role && JSON.stringify(a.blocks) === JSON.stringify(b.blocks);
}
