/**
 * Items of the OpenAI Responses API: requests, responses, logs of them, bare lists, and one item per line. Shapes:
 * API reference as of autumn 2026.
 */
import { wholeJsonText } from '../history/json-text.js';
import { Conversation } from './conversation.js';
import type { Draft } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink, Tally } from './importer.js';
import { type ResponsesBody, responsesBodies } from './responses-bodies.js';
import { itemDrafts, messageDrafts } from './responses-items.js';

export const openaiResponses: Importer = {
  name: 'openai-responses',
  title: 'OpenAI Responses items',
  reads: 'records',
  detect,
  open: (context) => new ResponsesSink(context),
};

/** Item types and part types that only this API has. */
const ownItem = /^(reasoning|(function|custom_tool|local_shell|shell|apply_patch|computer)_call(_output)?)$/;
const ownPart = /^(input|output)_text$/;

/** A message without parts fits several APIs; so does a lone item among records of other kinds. */
function detect(probe: Probe): Confidence {
  const bodies = probe.records.map((record) => responsesBodies(record));
  const all = bodies.flat();
  const items = all.flatMap((body) => body.items);
  if (items.some(isForeign)) return 'no';
  const own = bodies.filter((each) => each.some(isOwnBody)).length;
  if (own > 0) return own * 2 > probe.records.length ? 'certain' : 'no';
  return all.some((body) => body.isNamed && body.items.length > 0) ? 'probable' : 'no';
}

function isOwnBody(body: ResponsesBody): boolean {
  return body.isOwn || body.items.some(isOwnItem);
}

function isOwnItem(item: Fields): boolean {
  if (ownItem.test(wordOf(item['type']))) return true;
  return listOf(item['content']).some((part) => ownPart.test(wordOf(fieldsOf(part)?.['type'])));
}

/** Chat Completions messages, into which some clients put parts of this API. */
function isForeign(item: Fields): boolean {
  return item['role'] === 'tool' || item['role'] === 'function' || 'tool_calls' in item;
}

class ResponsesSink implements RecordSink {
  readonly #tally: Tally;
  readonly #conversation: Conversation;
  readonly #instructions = new Set<string>();
  #model: string | undefined;
  #sessionId: string | undefined;

  constructor({ tally }: ImportContext) {
    this.#tally = tally;
    this.#conversation = new Conversation(tally);
  }

  record(value: unknown): void {
    const bodies = responsesBodies(value);
    if (bodies.length === 0) this.#tally.unknown(`record/${textOf(fieldsOf(value)?.['type']) ?? 'untyped'}`);
    for (const body of bodies) this.#readBody(body);
  }

  finish(): Imported {
    return defined<Imported>({
      history: { messages: this.#conversation.messages },
      sessionId: this.#sessionId,
      model: this.#model,
      title: undefined,
      cwd: undefined,
    });
  }

  #readBody(body: ResponsesBody): void {
    this.#model = textOf(body.model) ?? this.#model;
    this.#sessionId = conversationId(body.conversation) ?? this.#sessionId;
    for (let i = 0; i < body.others; i++) this.#tally.unknown('item that is no object');
    if (body.ended !== undefined) this.#tally.warn(`a response ended early: ${body.ended}`);
    const timeMs = timeMsOf(body.createdAt);
    const drafts = body.items.map((item) =>
      itemDrafts(item, this.#tally).map((draft) =>
        timeMs === undefined || draft.timeMs !== undefined ? draft : { ...draft, timeMs },
      ),
    );
    const instructions = this.#newInstructions(body.instructions);
    if (!body.isAnswer) this.#conversation.addRequest(instructions, drafts);
    // The prompt counts as one of the messages only for the names of those that follow.
    else this.#conversation.addAnswer(instructions.length > 0 ? [instructions, ...drafts] : drafts);
  }

  /** A response states the instructions of its request again. */
  #newInstructions(value: unknown): Draft[] {
    if (value === undefined || value === null) return [];
    const stated = typeof value === 'string' ? [{ role: 'system', content: value }] : listOf(value);
    const drafts = stated
      .map(fieldsOf)
      .flatMap((item) =>
        item === undefined ? [] : messageDrafts({ ...item, id: 'instructions' }, this.#tally),
      );
    const key = wholeJsonText(drafts.map((draft) => draft.blocks));
    if (this.#instructions.has(key)) return [];
    this.#instructions.add(key);
    return drafts.filter((draft) => draft.blocks.length > 0);
  }
}

function conversationId(value: unknown): string | undefined {
  return textOf(value) ?? textOf(fieldsOf(value)?.['id']);
}
