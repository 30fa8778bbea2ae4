/** The kinds of lines in a Codex rollout, and how such a file is recognised. */
import { type Fields, fieldsOf, textOf, wordOf } from './fields.js';
import type { Confidence, Probe } from './importer.js';

const envelopeTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
]);

/** State of the program; nothing in it was said by anyone. */
export const codexStateTypes: ReadonlySet<string> = new Set([
  'world_state',
  'inter_agent_communication_metadata',
  'realtime_item',
  'retained_context',
  'security_risk_score',
  'token_usage_record',
]);

/** The first line of a file without envelopes, as Codex wrote them until autumn 2025. */
export function isBareHeader(record: Fields): boolean {
  return !('type' in record) && 'id' in record && 'timestamp' in record && 'instructions' in record;
}

export function isBareState(record: Fields): boolean {
  return typeof record['record_type'] === 'string';
}

const bareItemTypes: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
]);

/** Certain unless most of the records are of another make: a session of another agent may quote a few lines. */
export function detectCodex(probe: Probe): Confidence {
  let own = 0;
  let akin = 0;
  for (const value of probe.records) {
    const record = fieldsOf(value);
    if (record === undefined) continue;
    if (isMarked(record)) own += 1;
    // The next version has records of new types, and items without an envelope are those of the API.
    else if (isWrapped(record) || bareItemTypes.has(wordOf(record['type']))) akin += 1;
  }
  if (own === 0) return 'no';
  return (own + akin) * 2 > probe.records.length ? 'certain' : 'probable';
}

function isMarked(record: Fields): boolean {
  if (envelopeTypes.has(wordOf(record['type'])) && isWrapped(record)) return true;
  return isBareState(record) || isBareHeader(record);
}

function isWrapped(record: Fields): boolean {
  return typeof record['type'] === 'string' && fieldsOf(record['payload']) !== undefined;
}

const head =
  /^\{"timestamp":"[^"\\]{0,40}",(?:"ordinal":\d{1,15},)?"type":"(?:(world_state)","payload":\{|event_msg","payload":\{"type":"(token_count|task_started|thread_settings_applied|guardian_assessment|turn_diff|exec_command_output_delta|agent_message_delta|agent_reasoning_delta)"[,}])/;

/**
 * The kind of a line that surely is one record of figures or state, else undefined. Sure means: its type stands in
 * front, as Codex writes it; it ends with a bracket; and nothing in it looks like the border of two records.
 */
export function passOverState(line: Uint8Array): string | undefined {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const found = head.exec(bytes.toString('latin1', 0, 250));
  if (found === null || bytes[bytes.length - 1] !== 0x7d) return undefined;
  if (/\}[\s\0]*\{/.test(bytes.toString('latin1'))) return undefined;
  return found[1] ?? `event_msg/${found[2]}`;
}

/** "Subagent of session 019d…, explorer" or where a fork came from: what the header says of other sessions. */
export function originNotes(meta: Fields): string[] {
  const spawned = fieldsOf(fieldsOf(fieldsOf(meta['source'])?.['subagent'])?.['thread_spawn']);
  const parent = textOf(meta['parent_thread_id']) ?? textOf(spawned?.['parent_thread_id']);
  const name = textOf(meta['agent_nickname']) ?? textOf(spawned?.['agent_nickname']);
  const role = textOf(meta['agent_role']) ?? textOf(spawned?.['agent_role']);
  const who = [name, role].filter((part) => part !== undefined).join(', ');
  const fork = textOf(meta['forked_from_id']);
  const notes: string[] = [];
  if (parent !== undefined) notes.push(`Subagent${who === '' ? '' : ` ${who}`} of session ${parent}`);
  if (fork !== undefined && fork !== parent) notes.push(`Forked from session ${fork}`);
  return notes;
}
