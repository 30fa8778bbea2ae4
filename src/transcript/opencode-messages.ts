/** One message of OpenCode: `info` says who spoke and when, `parts` what. */
import type { Block } from '../history/history.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { endOfAnswer, partBlocks } from './opencode-parts.js';
import { roleOf } from './roles.js';

export interface OpenCodeMessage {
  readonly info: Fields;
  readonly parts: readonly unknown[];
}

/** The message, or undefined for a value that is none. */
export function messageOf(value: unknown): OpenCodeMessage | undefined {
  const fields = fieldsOf(value);
  const info = fieldsOf(fields?.['info']);
  const parts = fields?.['parts'];
  return info !== undefined && Array.isArray(parts) ? { info, parts } : undefined;
}

export function timeOf(info: Fields): number | undefined {
  return timeMsOf(fieldsOf(info['time'])?.['created']);
}

/** The messages that one message gives; `id` is for one that has none of its own. */
export function openCodeDrafts({ info, parts }: OpenCodeMessage, id: string, tally: Tally): Draft[] {
  const role = roleOf(info['role']);
  if (role === undefined || role === 'tool') {
    tally.unknown(`role/${wordOf(info['role']) || 'none'}`);
    return [];
  }
  const draft = (blocks: Block[]): Draft =>
    defined<Draft>({ id, role, blocks, injected: undefined, timeMs: timeOf(info) });
  const blocks = partBlocks(parts, tally);
  if (role === 'assistant') {
    const whole = draft([...blocks, ...endOfAnswer(info)]);
    return info['summary'] === true ? [compactionSummary(whole, tally)] : nonEmpty(whole);
  }
  // What the user did not say, but did: a command, a compaction.
  const isNote = blocks.length > 0 && blocks.every((block) => block.type === 'note');
  if (isNote) return [{ ...draft(blocks), role: 'system' }];
  return nonEmpty(draft(role === 'user' ? withLabels(blocks) : blocks)).map((run) =>
    run.role === 'user' ? liftLabel(run, undefined) : run,
  );
}

function nonEmpty(draft: Draft): Draft[] {
  const runs = splitResults(draft);
  return runs.length > 0 ? runs : [draft];
}

/** The model was asked for it by the agent, and it stands for what came before: no answer to the user. */
function compactionSummary(draft: Draft, tally: Tally): Draft {
  const blocks = draft.blocks.filter((block) => block.type === 'text' || block.type === 'note');
  tally.skip('block of a compaction beside its summary', draft.blocks.length - blocks.length);
  return { ...draft, role: 'user', blocks, injected: 'compaction-summary' };
}

/** The prompt that versions before 1.0 repeat in every answer, and that a user turn may state. */
export function systemPromptOf(info: Fields): Block[] {
  const { system } = info;
  const texts = typeof system === 'string' ? [system] : listOf(system).map(wordOf);
  return texts.filter((text) => /\S/.test(text)).map((text) => ({ type: 'text', text }));
}

/** Ids of child sessions by the call that started each, as far as the parts say. */
export function childSessions({ parts }: OpenCodeMessage): [sessionId: string, callId: string][] {
  return parts.flatMap((value): [string, string][] => {
    const part = fieldsOf(value);
    const metadata = fieldsOf(fieldsOf(part?.['state'])?.['metadata']);
    const session = textOf(metadata?.['sessionId']) ?? textOf(metadata?.['sessionID']);
    const call = textOf(part?.['callID']);
    return part?.['type'] === 'tool' && session !== undefined && call !== undefined ? [[session, call]] : [];
  });
}
