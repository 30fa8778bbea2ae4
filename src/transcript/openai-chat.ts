/** Chat Completions messages: request bodies, responses, bare arrays, logs, and runs of SWE-agent and its kin. */
import { chatBodies } from './chat-bodies.js';
import { type ChatDialect, ChatSink } from './chat-sink.js';
import { type Fields, fieldsOf, listOf } from './fields.js';
import type { Confidence, Importer, Probe } from './importer.js';
import { openaiDrafts } from './openai-message.js';

export const openaiChat: Importer = {
  name: 'openai-chat',
  title: 'OpenAI Chat Completions messages',
  reads: 'records',
  detect,
  open: (context) => new ChatSink(context, dialect),
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

const dialect: ChatDialect = {
  drafts: openaiDrafts,
  // Some proxies keep the prompt beside the messages.
  system: (prompt, tally) => openaiDrafts({ id: 'system', role: 'system', content: prompt }, tally),
};
