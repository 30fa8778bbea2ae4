/** Requests and responses of the Anthropic Messages API: bodies, bare message arrays, and logs of them. */
import { anthropicBlocks } from './anthropic-content.js';
import { type ChatBody, chatBodies, loneMessage } from './chat-bodies.js';
import { liftLabel, withLabel } from './claude-message.js';
import { Conversation } from './conversation.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink, Tally } from './importer.js';

export const anthropicMessages: Importer = {
  name: 'anthropic-messages',
  title: 'Anthropic Messages requests or responses',
  reads: 'records',
  detect,
  open: (context) => new AnthropicSink(context),
};

/** Block types that only this API has. */
const ownBlocks = /^(thinking|redacted_thinking|(server_|mcp_)?tool_use|.*tool_result)$/;

function detect(probe: Probe): Confidence {
  const bodies = probe.records.flatMap((record) => chatBodies(record));
  if (bodies.some((body) => body.messages.some(isForeign))) return 'no';
  return bodies.some(isOwn) ? 'certain' : 'no';
}

function isForeign(message: Fields): boolean {
  return message['role'] === 'tool' || message['role'] === 'function' || 'tool_calls' in message;
}

function isOwn(body: ChatBody): boolean {
  if (body.system !== undefined && body.system !== null) return true;
  return body.messages.some(
    (message) =>
      (message['type'] === 'message' && Array.isArray(message['content'])) ||
      listOf(message['content']).some((value) => {
        const block = fieldsOf(value);
        return ownBlocks.test(String(block?.['type'])) || fieldsOf(block?.['source']) !== undefined;
      }),
  );
}

class AnthropicSink implements RecordSink {
  readonly #tally: Tally;
  readonly #conversation: Conversation;
  #model: string | undefined;

  constructor({ tally }: ImportContext) {
    this.#tally = tally;
    this.#conversation = new Conversation(tally);
  }

  record(value: unknown): void {
    const bodies = chatBodies(value);
    const lone = bodies.length === 0 ? loneMessage(value) : undefined;
    if (lone !== undefined) bodies.push(lone);
    if (bodies.length === 0) this.#tally.unknown('record without messages');
    for (const body of bodies) {
      this.#model = textOf(body.model) ?? this.#model;
      const isAnswer = lone !== undefined || body.messages[0]?.['type'] === 'message';
      const drafts = body.messages.map((message) => this.#drafts(message));
      if (isAnswer) this.#conversation.addAnswer(drafts);
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

  #system(body: ChatBody): Draft[] {
    if (body.system === undefined || body.system === null) return [];
    return [{ id: 'system', role: 'system', blocks: anthropicBlocks(body.system, this.#tally) }];
  }

  #drafts(message: Fields): Draft[] {
    const role = roleOf(message, this.#tally);
    const blocks = anthropicBlocks(message['content'], this.#tally);
    const draft = defined<Draft>({
      id: textOf(message['id']) ?? '',
      role,
      blocks: role === 'user' ? blocks.map(withLabel) : blocks,
      injected: undefined,
      timeMs: timeMsOf(message['timestamp']),
    });
    const runs = splitResults(draft);
    // A message that says nothing still has its place in the comparison with later requests.
    return runs.length === 0 ? [draft] : runs.map((run) => liftLabel(run, undefined));
  }
}

function roleOf(message: Fields, tally: Tally): 'user' | 'assistant' | 'system' {
  const role = message['role'];
  if (role === 'assistant' || role === 'system' || role === 'user') return role;
  tally.unknown(`role/${String(role)}`);
  return 'user';
}
