/**
 * Joins the bodies of a request log into one history. Every request repeats what came before it in its
 * conversation, and a log may hold many conversations at once, so a message is known if it was archived behind
 * the same messages; what is known is left out, whichever request was last. Linear in the log.
 */
import { createHash } from 'node:crypto';
import type { Block, Message, Role } from '../history/history.js';
import { wholeJsonText } from '../history/json-text.js';
import { type Draft, hasContent, noteDraft, uniqueIds } from './draft.js';
import type { Tally } from './importer.js';

/** A message behind all the messages before it in its conversation; a digest of them. */
type Place = string;

const start: Place = '';

export class Conversation {
  readonly messages: Message[] = [];
  readonly #tally: Tally;
  readonly #nextId = uniqueIds();
  /** Every place that was archived, and the id of the message there. Grows with the history, not with the log. */
  readonly #archived = new Map<Place, string>();
  readonly #systems = new Set<Place>();
  /** Where the conversation stands that the last record belongs to. */
  #at = start;
  /** The place that was archived last; what follows another place is set off by a note. */
  #last = start;
  /** Messages of the current request as the source counts them. */
  #count = 0;
  #beginnings = 1;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /**
   * Adds a request: `system` and then, per source message, the messages it became. One without an id is named by
   * its place in the request, `message:3`.
   */
  addRequest(system: readonly Draft[], messages: readonly (readonly Draft[])[]): void {
    const drafts = named(messages, 0);
    const said = drafts.findIndex((draft) => draft.role !== 'system');
    const prompts = [...system, ...drafts.splice(0, said < 0 ? drafts.length : said)];
    this.#at = start;
    const first = drafts.find((draft) => comparable(draft).length > 0);
    const isKnown = first !== undefined && this.#archived.has(placeOf(start, first.role, comparable(first)));
    for (const prompt of prompts) this.#addSystem(prompt, isKnown);
    for (const draft of drafts) this.#add(draft);
    this.#count = messages.length;
  }

  /** Adds messages that continue the conversation as it stands: an answer, or a log of single messages. */
  addAnswer(messages: readonly (readonly Draft[])[]): void {
    for (const draft of named(messages, this.#count)) this.#add(draft);
    this.#count += messages.length;
  }

  /** A prompt is not part of what is compared: agents put the time of day into it. */
  #addSystem(draft: Draft, isKnown: boolean): void {
    const key = placeOf(start, 'system', draft.blocks);
    if (this.#systems.has(key)) this.#tally.skip('message repeated by a later request');
    else if (isKnown) this.#tally.skip('system prompt changed by a later request');
    else this.#push(draft);
    this.#systems.add(key);
  }

  #add(draft: Draft): void {
    const said = comparable(draft);
    const place = placeOf(this.#at, draft.role, said.length > 0 ? said : draft.blocks);
    const isKnown = this.#archived.has(place);
    if (isKnown) this.#tally.skip('message repeated by a later request');
    else this.#archived.set(place, this.#push(draft));
    // A message that the next request may leave out is no step of the conversation.
    if (said.length === 0) return;
    this.#at = place;
    if (!isKnown) this.#last = place;
  }

  #push(draft: Draft): string {
    if (!hasContent(draft, this.#tally)) return '';
    if (this.#at !== this.#last) this.#note();
    const id = this.#nextId(draft.id);
    this.messages.push({ ...draft, id });
    return id;
  }

  #note(): void {
    this.#last = this.#at;
    this.#beginnings += 1;
    const text =
      this.#at === start
        ? 'Another conversation begins'
        : `The conversation goes on after ${this.#archived.get(this.#at)}`;
    this.messages.push(noteDraft(this.#nextId(`conversation:${this.#beginnings}`), text));
  }
}

function named(messages: readonly (readonly Draft[])[], before: number): Draft[] {
  return messages.flatMap((drafts, i) =>
    drafts.map((draft) => (draft.id === '' ? { ...draft, id: `message:${before + i + 1}` } : draft)),
  );
}

/** What a later request repeats for certain: clients drop reasoning, and trim what they send back. */
function comparable(draft: Draft): Block[] {
  return draft.blocks.flatMap((block): Block[] => {
    if (block.type === 'reasoning' || (block.type === 'media' && block.kind === 'encrypted')) return [];
    if (block.type !== 'text') return [block];
    const text = block.text.trimEnd();
    return text === '' ? [] : [{ ...block, text }];
  });
}

function placeOf(before: Place, role: Role, blocks: readonly Block[]): Place {
  return createHash('sha256')
    .update(wholeJsonText([before, role, blocks]))
    .digest('base64');
}
