/**
 * Which result answers which call.
 *
 * By id over the whole history, in both directions: results of parallel calls come in any order, and once in some
 * thousand results a result is recorded before its call. Without an id, by position: a result answers the latest
 * message with an open call, first call first, of the same agent.
 */
import type { CallBlock, History, Message, ResultBlock } from './history.js';

export interface PairedResult {
  readonly result: ResultBlock;
  /** Id of the message that holds the result. */
  readonly messageId: string;
}

export interface PairedCall {
  readonly call: CallBlock;
  /** Id of the message that holds the call. */
  readonly messageId: string;
}

/** Blocks are keys by identity. */
export interface Pairing {
  readonly resultOf: ReadonlyMap<CallBlock, PairedResult>;
  readonly callOf: ReadonlyMap<ResultBlock, PairedCall>;
  /** Calls without a result: the session ended first, or the result was lost. */
  readonly orphanCalls: ReadonlySet<CallBlock>;
  /** Results without a call, and every result after the first for one call. */
  readonly orphanResults: ReadonlySet<ResultBlock>;
}

/** Calls of one message that wait for results, first call first. */
interface OpenCalls {
  readonly message: Message;
  readonly calls: CallBlock[];
  next: number;
}

/** Linear in the blocks of `history`. */
export function pairCalls(history: History): Pairing {
  const pairs = new Pairs();
  for (const message of history.messages) {
    for (const block of message.blocks) {
      if (block.type === 'call') pairs.addCall(block, message);
      else if (block.type === 'result') pairs.addResult(block, message);
    }
  }
  return pairs.done();
}

class Pairs {
  readonly #resultOf = new Map<CallBlock, PairedResult>();
  readonly #callOf = new Map<ResultBlock, PairedCall>();
  readonly #orphanCalls = new Set<CallBlock>();
  readonly #orphanResults = new Set<ResultBlock>();
  /** Open calls by key, the latest message last. A key stays once it was called. */
  readonly #open = new Map<string, OpenCalls[]>();
  /** Results that came before any call of their id. */
  readonly #early = new Map<string, { readonly result: ResultBlock; readonly message: Message }>();

  addCall(call: CallBlock, message: Message): void {
    const early = call.callId === undefined ? undefined : this.#early.get(call.callId);
    const key = keyOf(call, message);
    const stack = this.#open.get(key) ?? [];
    this.#open.set(key, stack);
    if (early !== undefined && call.callId !== undefined) {
      this.#early.delete(call.callId);
      this.#pair({ call, messageId: message.id }, early.result, early.message);
      return;
    }
    const last = stack.at(-1);
    if (last?.message === message) last.calls.push(call);
    else stack.push({ message, calls: [call], next: 0 });
    this.#orphanCalls.add(call);
  }

  addResult(result: ResultBlock, message: Message): void {
    const stack = this.#open.get(keyOf(result, message));
    const open = stack?.at(-1);
    const call = open?.calls[open.next];
    if (stack === undefined || open === undefined || call === undefined) {
      this.#orphanResults.add(result);
      const mayComeLater =
        result.callId !== undefined && stack === undefined && !this.#early.has(result.callId);
      if (mayComeLater && result.callId !== undefined) this.#early.set(result.callId, { result, message });
      return;
    }
    open.next += 1;
    if (open.next === open.calls.length) stack.pop();
    this.#pair({ call, messageId: open.message.id }, result, message);
  }

  done(): Pairing {
    return {
      resultOf: this.#resultOf,
      callOf: this.#callOf,
      orphanCalls: this.#orphanCalls,
      orphanResults: this.#orphanResults,
    };
  }

  #pair(paired: PairedCall, result: ResultBlock, message: Message): void {
    this.#resultOf.set(paired.call, { result, messageId: message.id });
    this.#callOf.set(result, paired);
    this.#orphanCalls.delete(paired.call);
    this.#orphanResults.delete(result);
  }
}

/** Ids are unique over all agents; positions are not. */
function keyOf(block: CallBlock | ResultBlock, message: Message): string {
  return block.callId === undefined ? `position:${message.agent ?? ''}` : `id:${block.callId}`;
}
