/** Requests and responses of the Anthropic Messages API: bodies, bare message arrays, and logs of them. */
import { anthropicBlocks, resultBlock } from './anthropic-content.js';
import { bodiesOf, type ChatBody, chatBodies } from './chat-bodies.js';
import { Conversation } from './conversation.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink, Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { roleOf } from './roles.js';

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
        return ownBlocks.test(wordOf(block?.['type'])) || fieldsOf(block?.['source']) !== undefined;
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
    for (const body of bodiesOf(value, this.#tally)) {
      this.#model = textOf(body.model) ?? this.#model;
      const drafts = body.messages.map((message) => this.#drafts(message));
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

  #system(body: ChatBody): Draft[] {
    if (body.system === undefined || body.system === null) return [];
    return [{ id: 'system', role: 'system', blocks: anthropicBlocks(body.system, this.#tally) }];
  }

  #drafts(message: Fields): Draft[] {
    const stated = roleOf(message['role']);
    if (stated === undefined) this.#tally.unknown(`role/${wordOf(message['role'])}`);
    const blocks =
      stated === 'tool'
        ? [resultBlock(message, this.#tally)]
        : anthropicBlocks(message['content'], this.#tally);
    const role = stated ?? 'user';
    const draft = defined<Draft>({
      id: textOf(message['id']) ?? '',
      role,
      blocks: role === 'user' ? withLabels(blocks) : blocks,
      injected: undefined,
      timeMs: timeMsOf(message['timestamp']),
    });
    const runs = splitResults(draft);
    return runs.length === 0 ? [draft] : runs.map((run) => liftLabel(run, undefined));
  }
}
