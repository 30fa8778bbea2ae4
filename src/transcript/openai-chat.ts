/** Chat Completions messages: request bodies, responses, bare arrays, logs, and runs of SWE-agent and its kin. */
import { bodiesOf, type ChatBody, chatBodies } from './chat-bodies.js';
import { Conversation } from './conversation.js';
import type { Draft } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink, Tally } from './importer.js';
import { openaiDrafts } from './openai-message.js';

export const openaiChat: Importer = {
  name: 'openai-chat',
  title: 'OpenAI Chat Completions messages',
  reads: 'records',
  detect,
  open: (context) => new OpenaiSink(context),
};

/** Keys and roles that only this API has. Plain role and content turns fit several APIs alike. */
function detect(probe: Probe): Confidence {
  const bodies = probe.records.flatMap((record) => chatBodies(record));
  const messages = bodies.flatMap((body) => body.messages);
  const isAnyAnswer = probe.records.some((record) => listOf(fieldsOf(record)?.['choices']).length > 0);
  if (messages.some(isOwn) || (bodies.length > 0 && isAnyAnswer)) return 'certain';
  if (bodies.length === 0) return 'no';
  return messages.length === 0 && probe.records.every(Array.isArray) ? 'no' : 'probable';
}

function isOwn(message: Fields): boolean {
  const role = message['role'];
  return role === 'tool' || role === 'function' || 'tool_calls' in message || 'function_call' in message;
}

class OpenaiSink implements RecordSink {
  readonly #tally: Tally;
  readonly #conversation: Conversation;
  #model: string | undefined;

  constructor({ tally }: ImportContext) {
    this.#tally = tally;
    this.#conversation = new Conversation(tally);
  }

  record(value: unknown): void {
    const bodies = bodiesOf(value, this.#tally);
    for (const body of bodies) {
      this.#model = textOf(body.model) ?? this.#model;
      const drafts = body.messages.map((message) => openaiDrafts(message, this.#tally));
      if (body.isAnswer) this.#conversation.addAnswer(drafts);
      else this.#conversation.addRequest(this.#system(body), drafts);
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

  /** Some proxies keep the prompt beside the messages. */
  #system({ system }: ChatBody): Draft[] {
    if (system === undefined || system === null) return [];
    return openaiDrafts({ id: 'system', role: 'system', content: system }, this.#tally);
  }
}
