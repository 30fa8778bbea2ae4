/** Chat Completions messages: request bodies, responses, bare arrays, logs, and runs of SWE-agent and its kin. */
import { type ChatBody, chatBodies, loneMessage } from './chat-bodies.js';
import { Conversation } from './conversation.js';
import type { Draft } from './draft.js';
import { defined, type Fields, listOf, textOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink, Tally } from './importer.js';
import { openaiDraft } from './openai-message.js';

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
  if (messages.some(isOwn) || probe.records.some(hasChoices)) return 'certain';
  if (bodies.length === 0) return 'no';
  return messages.length === 0 && probe.records.every(Array.isArray) ? 'no' : 'probable';
}

function isOwn(message: Fields): boolean {
  const role = message['role'];
  return role === 'tool' || role === 'function' || 'tool_calls' in message || 'function_call' in message;
}

function hasChoices(record: unknown): boolean {
  return chatBodies(record).length > 0 && listOf((record as Fields)['choices']).length > 0;
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
    const bodies: ChatBody[] = chatBodies(value);
    const lone = bodies.length === 0 ? loneMessage(value) : undefined;
    if (lone !== undefined) bodies.push(lone);
    if (bodies.length === 0) this.#tally.unknown('record without messages');
    bodies.forEach((body, i) => {
      this.#model = textOf(body.model) ?? this.#model;
      const drafts = body.messages.map((message) => [openaiDraft(message, this.#tally)]);
      // What follows the messages of the same record is the answer to them.
      const isAnswer = lone !== undefined || i > 0 || isResponse(value);
      if (isAnswer) this.#conversation.addAnswer(drafts);
      else this.#conversation.addRequest(this.#system(body), drafts);
    });
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
    const text = textOf(system);
    return text === undefined ? [] : [{ id: 'system', role: 'system', blocks: [{ type: 'text', text }] }];
  }
}

function isResponse(value: unknown): boolean {
  return listOf((value as Fields | null)?.['choices']).length > 0;
}
