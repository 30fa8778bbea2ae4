/** The sink of a chat API's messages: bodies in, one conversation out. What differs between the APIs is a parameter. */
import { bodiesOf } from './chat-bodies.js';
import { Conversation } from './conversation.js';
import type { Draft } from './draft.js';
import { defined, type Fields, textOf } from './fields.js';
import type { ImportContext, Imported, RecordSink, Tally } from './importer.js';

/** How one API writes what was said. */
export interface ChatDialect {
  drafts(message: Fields, tally: Tally): Draft[];
  /** The prompt that a body states beside its messages; never null or undefined. */
  system(prompt: unknown, tally: Tally): Draft[];
}

export class ChatSink implements RecordSink {
  readonly #dialect: ChatDialect;
  readonly #tally: Tally;
  readonly #conversation: Conversation;
  #model: string | undefined;

  constructor({ tally }: ImportContext, dialect: ChatDialect) {
    this.#dialect = dialect;
    this.#tally = tally;
    this.#conversation = new Conversation(tally);
  }

  record(value: unknown): void {
    for (const body of bodiesOf(value, this.#tally)) {
      this.#model = textOf(body.model) ?? this.#model;
      const drafts = body.messages.map((message) => this.#dialect.drafts(message, this.#tally));
      if (body.isAnswer) this.#conversation.addAnswer(drafts);
      else this.#conversation.addRequest(this.#system(body.system), drafts);
    }
  }

  finish(): Imported {
    return defined<Imported>({
      history: { messages: this.#conversation.messages },
      model: this.#model,
      sessionId: undefined,
      title: undefined,
      cwd: undefined,
    });
  }

  #system(prompt: unknown): Draft[] {
    return prompt === undefined || prompt === null ? [] : this.#dialect.system(prompt, this.#tally);
  }
}
