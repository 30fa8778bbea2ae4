/**
 * What a record of a Codex rollout gives to the history. The interface of Codex is told of everything that the
 * model sees, so most things are said twice: as an item, and as an event that mirrors it. Entries carry keys for
 * what they say, by which the mirrors are found out.
 */
import { createHash } from 'node:crypto';
import type { Block, CallBlock, ResultBlock } from '../history/history.js';
import type { CodexOutput } from './codex-parts.js';
import type { Draft } from './draft.js';
import { defined } from './fields.js';

export type Said = Pick<Draft, 'role' | 'blocks' | 'injected'>;

export interface CodexEntry {
  readonly said: Said;
  readonly keys: readonly string[];
  /** Set for an event: its kind. It is left out if an item, or an event of another kind, has one of its keys. */
  readonly mirror?: string;
  /** This many turns of the user were undone here. */
  readonly undoes?: number;
  /** Instructions from the settings of a turn; they are left out if a message holds them. */
  readonly isSetting?: boolean;
}

const maxKeyChars = 100;

/** Blanks at the ends do not count: events trim their text. */
export function keyOf(kind: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxKeyChars) return `${kind}:${trimmed}`;
  return `${kind}:${createHash('sha256').update(trimmed).digest('base64')}`;
}

/** One key for each text alone, and one for all of them together. */
export function keysOf(kind: string, texts: readonly string[]): string[] {
  const spoken = texts.filter((text) => /\S/.test(text));
  const all = spoken.length > 1 ? [...spoken, spoken.join('\n')] : spoken;
  return [...new Set(all.map((text) => keyOf(kind, text)))];
}

export function entryOf(said: Said, keys: readonly string[] = [], mirror?: string): CodexEntry {
  return defined<CodexEntry>({ said, keys, mirror, undoes: undefined, isSetting: undefined });
}

export function noteEntry(text: string, keys: readonly string[] = [], mirror?: string): CodexEntry {
  return entryOf({ role: 'system', blocks: [{ type: 'note', text }] }, keys, mirror);
}

export function callEntry(
  callId: string | undefined,
  name: string,
  input: unknown,
  mirror?: string,
): CodexEntry {
  const call = defined<CallBlock>({ type: 'call', callId, name, input: input ?? {}, intent: undefined });
  return entryOf(
    { role: 'assistant', blocks: [call] },
    callId === undefined ? [] : [`call:${callId}`],
    mirror,
  );
}

export function resultEntry(
  callId: string | undefined,
  { content, failed }: CodexOutput,
  mirror?: string,
): CodexEntry {
  const result = defined<ResultBlock>({
    type: 'result',
    callId,
    name: undefined,
    content,
    failed,
    useless: undefined,
  });
  return entryOf(
    { role: 'tool', blocks: [result] },
    callId === undefined ? [] : [`result:${callId}`],
    mirror,
  );
}

export function searchKeyOf({ keys }: CodexEntry): string | undefined {
  return keys.find((key) => key.startsWith('search:'));
}

/** The texts of blocks, as keys are made of them. */
export function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.type === 'text' || block.type === 'reasoning' ? [block.text] : []));
}

/**
 * Counts what was said. Every kind of event may mirror each saying once, whether before or after it; what it says
 * more often than that nobody else said.
 */
export class Sayings {
  readonly #said = new Map<string, number>();
  readonly #mirrored = new Map<string, number>();

  add(keys: readonly string[]): void {
    for (const key of keys) this.#said.set(key, (this.#said.get(key) ?? 0) + 1);
  }

  /** Whether an event says what was said elsewhere; if not, it has said it now. Ask once for each event. */
  isMirror(kind: string, keys: readonly string[]): boolean {
    let isKnown = false;
    for (const key of keys) {
      const own = `${kind} ${key}`;
      const times = (this.#mirrored.get(own) ?? 0) + 1;
      this.#mirrored.set(own, times);
      if (times <= (this.#said.get(key) ?? 0)) isKnown = true;
    }
    if (!isKnown) this.add(keys);
    return isKnown;
  }
}
