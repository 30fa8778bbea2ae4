/**
 * The kinds of records in a Claude Code session file, and how such a file is recognised. The kinds drift monthly;
 * these were seen up to 2.1.28x. A kind that is missing here is counted as unknown.
 */
import { type Fields, fieldsOf } from './fields.js';
import type { Confidence, Probe } from './importer.js';

/** State of the program; nothing in it was said by anyone. */
export const stateTypes: ReadonlySet<string> = new Set([
  'progress',
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
  'mode',
  'permission-mode',
  'pr-link',
  'frame-link',
  'worktree-state',
  'relocated',
  'cost-state',
  'atis-latch',
  'fork-context-ref',
  'attribution-snapshot',
  'content-replacement',
  'marble-origami-commit',
  'marble-origami-snapshot',
  'speculation-accept',
  'agent-color',
  'agent-setting',
  'artifact-created',
  'artifact-updated',
  'tag',
  'last-prompt',
]);

/** Records that only name the session. */
export const titleTypes: ReadonlySet<string> = new Set(['summary', 'custom-title', 'agent-name', 'ai-title']);

/** Subtypes of `system` records that say nothing worth archiving. */
export const silentSystemTypes: ReadonlySet<string> = new Set([
  'microcompact_boundary',
  'informational',
  'model_refusal_fallback',
  'scheduled_task_fire',
  'agents_killed',
  'memory_saved',
  'file_snapshot',
  'turn_duration',
  'stop_hook_summary',
]);

/** Attachments that repeat what stands elsewhere, or list what the model could use. */
export const silentAttachments: ReadonlySet<string> = new Set([
  'skill_listing',
  'edited_text_file',
  'opened_file',
  'opened_file_in_ide',
  'selected_lines',
  'selected_lines_in_ide',
  'diagnostics',
  'invoked_skills',
  'compact_file_reference',
  'deferred_tools_delta',
  'agent_listing_delta',
  'mcp_instructions_delta',
  'todo_reminder',
  'task_reminder',
]);

const spokenTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** State types whose names another program would hardly choose. */
const ownTypes: ReadonlySet<string> = new Set([
  'queue-operation',
  'file-history-snapshot',
  'file-history-delta',
]);

export function detectClaudeCode(probe: Probe): Confidence {
  let kinds = 0;
  let owned = false;
  for (const value of probe.records) {
    const record = fieldsOf(value);
    const type = record?.['type'];
    if (record === undefined || typeof type !== 'string') continue;
    if (spokenTypes.has(type) && hasEnvelope(record)) return 'certain';
    const isState = stateTypes.has(type) || titleTypes.has(type) || type === 'continued-in';
    if (isState || hasMessage(record)) kinds += 1;
    if (ownTypes.has(type) || (isState && typeof record['sessionId'] === 'string')) owned = true;
  }
  if (kinds === 0 || kinds * 2 < probe.records.length) return 'no';
  return owned && kinds === probe.records.length ? 'certain' : 'probable';
}

/** `session_id` and `parent_tool_use_id` are how the stream of a headless run spells it; the others are Qwen Code's. */
function hasEnvelope(record: Fields): boolean {
  if ('parent_tool_use_id' in record || 'systemPayload' in record) return false;
  if (isTurn(record) && !hasMessage(record)) return false;
  return typeof record['sessionId'] === 'string' || 'parentUuid' in record || 'isSidechain' in record;
}

function isTurn(record: Fields): boolean {
  return record['type'] === 'user' || record['type'] === 'assistant';
}

function hasMessage(record: Fields): boolean {
  if (!isTurn(record)) return false;
  return !('parent_tool_use_id' in record) && 'content' in (fieldsOf(record['message']) ?? {});
}

const progressHead = Buffer.from(',"type":"progress","data":', 'latin1');

/**
 * `progress` for a line that surely is one progress record, else undefined. Sure means: the first bracket inside
 * the record opens its `data`, so the type stands at the top level; the line ends with a bracket; and nothing in
 * it looks like the border of two records. Old side chains are tied together by records without an agent's name,
 * so these are read.
 */
export function passOverProgress(line: Uint8Array): string | undefined {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const bracket = bytes.indexOf(0x7b, 1);
  const from = bracket - progressHead.length;
  if (from < 1 || bytes.compare(progressHead, 0, progressHead.length, from, bracket) !== 0) return undefined;
  if (bytes[bytes.length - 1] !== 0x7d || bytes[0] !== 0x7b) return undefined;
  const head = bytes.toString('latin1', 0, from);
  if (head.includes('"isSidechain":true') && !head.includes('"agentId":"')) return undefined;
  return /\}[\s\0]*\{/.test(bytes.toString('latin1', bracket)) ? undefined : 'progress';
}
