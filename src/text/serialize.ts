/**
 * History → segments: pairs calls with results, labels what nobody said, swaps data for notes.
 *
 * Order is the history's, but a result moves up to its call. Text passes the redactor, then `standInForData`;
 * nothing is cut or escaped here.
 */
import type {
  Block,
  CallBlock,
  History,
  MediaBlock,
  Message,
  ReasoningBlock,
  ResultBlock,
  TextBlock,
} from '../history/history.js';
import { jsonText, wholeJsonText } from '../history/json-text.js';
import { type Pairing, pairCalls } from '../history/pairing.js';
import { inTurns } from '../turns.js';
import { interned } from './interned.js';
import { note, withoutNotes } from './note.js';
import type { Argument, CallSegment, OutputSegment, Scope, Segment, TextSegment } from './segment.js';
import { segmentChars } from './segment.js';
import { standInForData } from './stand-ins.js';

export interface SerializeOptions {
  /** Keep what the model thought. Default true. When false, no segment of scope `think` is made. */
  readonly reasoning?: boolean;
  /** Takes secrets out of a text before anything else sees it; stand-ins of its own come from `note`. Default: none. */
  readonly redact?: (text: string) => string;
}

/** Segments of a history, in printing order. Linear; throws nothing on content. */
export function serializeHistory(history: History, options: SerializeOptions = {}): Segment[] {
  const serializer = serializerOf(history, options);
  for (const message of history.messages) serializer.message(message);
  return serializer.segments;
}

/** As `serializeHistory`, letting the event loop run in between. */
export async function serializeInTurns(history: History, options: SerializeOptions = {}): Promise<Segment[]> {
  const serializer = serializerOf(history, options);
  await inTurns(history.messages, (message) => {
    const before = serializer.segments.length;
    serializer.message(message);
    return serializer.segments.slice(before).reduce((sum, segment) => sum + segmentChars(segment), 0);
  });
  return serializer.segments;
}

function serializerOf(history: History, { reasoning = true, redact = (text) => text }: SerializeOptions) {
  return new Serializer(pairCalls(history), reasoning, (text) => standInForData(redact(withoutNotes(text))));
}

class Serializer {
  readonly segments: Segment[] = [];
  readonly #pairing: Pairing;
  readonly #reasoning: boolean;
  readonly #clean: (text: string) => string;

  constructor(pairing: Pairing, reasoning: boolean, clean: (text: string) => string) {
    this.#pairing = pairing;
    this.#reasoning = reasoning;
    this.#clean = clean;
  }

  message(message: Message): void {
    for (const block of message.blocks) this.#block(message, block);
  }

  #block(message: Message, block: Block): void {
    switch (block.type) {
      case 'text':
        this.#content(message, block, scopeOf(message), block.injected ?? labelOf(message));
        break;
      case 'reasoning':
        if (this.#reasoning) this.#content(message, block, 'think');
        break;
      case 'media':
        this.#text(message, block, scopeOf(message), this.#media(block), labelOf(message));
        break;
      case 'note':
        this.#push(
          { entryId: message.id, scope: scopeOf(message), part: 'note', text: this.#clean(block.text) },
          message,
          block,
        );
        break;
      case 'call':
        this.#call(message, block);
        break;
      case 'result':
        if (this.#pairing.orphanResults.has(block)) this.#output(message, block, message.id, true);
    }
  }

  #content(message: Message, block: TextBlock | ReasoningBlock, scope: Scope, injected?: string): void {
    const { text } = block;
    if (text.trim() !== '') this.#text(message, block, scope, this.#clean(text), injected);
  }

  /** `text` is clean, or a note of ours. */
  #text(message: Message, block: Block, scope: Scope, text: string, injected?: string): void {
    const segment: Mutable<TextSegment> = { entryId: message.id, scope, part: 'text', text };
    if (injected !== undefined) segment.injected = this.#clean(injected);
    this.#push(segment, message, block);
  }

  #call(message: Message, call: CallBlock): void {
    const answer = this.#pairing.resultOf.get(call);
    if (answer?.result.useless) return;
    const segment: Mutable<CallSegment> = {
      entryId: message.id,
      scope: 'call',
      part: 'call',
      name: this.#clean(call.name),
      args: argumentsOf(call.input, this.#clean),
      answered: answer !== undefined,
    };
    if (call.intent !== undefined) segment.intent = this.#clean(call.intent);
    this.#push(segment, message, call);
    if (answer !== undefined) this.#output(message, answer.result, answer.messageId, false);
  }

  #output(message: Message, result: ResultBlock, entryId: string, orphan: boolean): void {
    if (result.useless) return;
    const parts = result.content.map((part) =>
      part.type === 'text' ? this.#clean(part.text) : this.#media(part),
    );
    const segment: Mutable<OutputSegment> = {
      entryId,
      scope: 'call',
      part: 'output',
      text: parts.length === 1 ? parts[0]! : parts.join('\n'),
      failed: result.failed ?? false,
      orphan,
    };
    if (orphan && result.name !== undefined) segment.name = this.#clean(result.name);
    this.#push(segment, message, result);
  }

  #media({ kind, mime = '', bytes, name = '' }: MediaBlock): string {
    const size = bytes === undefined ? '' : `${bytes} bytes`;
    return note(kind, [this.#clean(mime), size, this.#clean(withoutDataUrl(name))]);
  }

  /** `block` is what the segment is made from. */
  #push(segment: Mutable<Segment>, { agent, branch }: Message, block: Block): void {
    if (agent !== undefined) segment.agent = this.#clean(agent);
    if (branch !== undefined) segment.branch = this.#clean(branch);
    this.segments.push(interned(block, segment));
  }
}

/** A segment while it is being filled in: assignment is far cheaper than spreading optional fields. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a system prompt or a bare tool turn says reaches the model as a user turn would, but nobody typed it. */
function scopeOf(message: Message): Scope {
  return message.role === 'assistant' ? 'ai' : 'user';
}

function labelOf(message: Message): string | undefined {
  if (message.injected !== undefined) return message.injected;
  if (message.role === 'system') return 'system prompt';
  // A subagent's user is the agent that called it.
  if (message.role === 'user' && message.agent !== undefined) return 'subagent task';
  return message.role === 'tool' ? 'tool' : undefined;
}

function withoutDataUrl(name: string): string {
  return /^data:/i.test(name) ? '' : name;
}

/** A plain object prints key by key; anything else is one argument without a key. */
function argumentsOf(input: unknown, clean: (text: string) => string): Argument[] {
  if (input === undefined || input === null) return [];
  if (!isPlainObject(input)) return [argumentOf(input, clean)];
  return Object.entries(input).map(([key, value]) => {
    const arg: Mutable<Argument> = argumentOf(value, clean);
    arg.key = clean(key);
    return arg;
  });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A value whole, to any depth: what is too long is cut where it is printed, with a record. */
function wholeText(value: unknown): string {
  try {
    return wholeJsonText(value);
  } catch {
    // A getter that throws.
    return jsonText(value);
  }
}

function argumentOf(value: unknown, clean: (text: string) => string): Argument {
  if (typeof value === 'string') return { text: clean(value), quoted: true };
  return { text: clean(wholeText(value)), quoted: false };
}
