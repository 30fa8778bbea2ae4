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
  /** The current conversation, for comparison with the next request. */
  #current: Draft[] = [];
  /** Messages of the current conversation as the source counts them. */
  #count = 0;
  #conversations = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /**
   * Adds a request: `system` and then, per source message, the messages it became. One without an id is named by
   * its place in the request, `message:3`.
   */
  addRequest(system: readonly Draft[], messages: readonly (readonly Draft[])[]): void {
    const drafts = [...system, ...named(messages, 0)];
    const common = this.#common(drafts);
    if (common < this.#current.length) this.#begin();
    const known = this.#current.length === 0 ? 0 : common;
    this.#tally.skip('message repeated by a later request', known);
    for (const draft of drafts.slice(known)) this.#push(draft);
    this.#count = messages.length;
  }

  /** Adds messages that continue the conversation as it stands: an answer, or a log of single messages. */
  addAnswer(messages: readonly (readonly Draft[])[]): void {
    for (const draft of named(messages, this.#count)) this.#push(draft);
    this.#count += messages.length;
  }

  #begin(): void {
    this.#current = [];
    this.#conversations += 1;
    const id = `conversation:${this.#conversations + 1}`;
    this.messages.push(noteDraft(this.#nextId(id), 'Another conversation begins'));
  }

  #push(draft: Draft): void {
    this.#current.push(draft);
    if (hasContent(draft, this.#tally)) this.messages.push({ ...draft, id: this.#nextId(draft.id) });
  }

  /** How many messages `drafts` and the conversation have in common from the start. */
  #common(drafts: readonly Draft[]): number {
    const current = this.#current;
    let common = 0;
    while (common < current.length && isSame(drafts[common], current[common])) common += 1;
    return common;
  }
}

function named(messages: readonly (readonly Draft[])[], before: number): Draft[] {
  return messages.flatMap((drafts, i) =>
    drafts.map((draft) => (draft.id === '' ? { ...draft, id: `message:${before + i + 1}` } : draft)),
  );
}

function isSame(a: Draft | undefined, b: Draft | undefined): boolean {
  return a?.role === b?.role && JSON.stringify(a?.blocks) === JSON.stringify(b?.blocks);
}
