/** Requests and responses of the Anthropic Messages API: bodies, bare message arrays, and logs of them. */
import { anthropicBlocks, resultBlock } from './anthropic-content.js';
import { type ChatBody, chatBodies } from './chat-bodies.js';
import { type ChatDialect, ChatSink } from './chat-sink.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { Confidence, Importer, Probe, Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { roleOf } from './roles.js';

export const anthropicMessages: Importer = {
  name: 'anthropic-messages',
  title: 'Anthropic Messages requests or responses',
  reads: 'records',
  detect,
  open: (context) => new ChatSink(context, dialect),
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

const dialect: ChatDialect = {
  drafts,
  system: (prompt, tally) => [{ id: 'system', role: 'system', blocks: anthropicBlocks(prompt, tally) }],
};

function drafts(message: Fields, tally: Tally): Draft[] {
  const stated = roleOf(message['role']);
  if (stated === undefined) tally.unknown(`role/${wordOf(message['role'])}`);
  const blocks =
    stated === 'tool' ? [resultBlock(message, tally)] : anthropicBlocks(message['content'], tally);
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
