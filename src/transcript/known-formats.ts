/**
 * Formats that this version recognises and does not read. They are named in the error instead of being archived
 * as the plain text they also are. A format that gets an importer of the same name is no longer looked for here.
 */
import { type Fields, fieldsOf, listOf } from './fields.js';

export interface KnownFormat {
  readonly name: string;
  readonly title: string;
  /** Whether this one of the first records marks the format. */
  marks(record: unknown): boolean;
}

function byObject(name: string, title: string, test: (record: Fields) => boolean): KnownFormat {
  return {
    name,
    title,
    marks(record) {
      const fields = fieldsOf(record);
      return fields !== undefined && test(fields);
    },
  };
}

const codexTypes = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']);
const responseItemTypes = new Set(['function_call', 'function_call_output', 'reasoning', 'custom_tool_call']);
const codexExecTypes = new Set([
  'thread.started',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'item.completed',
]);

function hasParts(value: unknown): boolean {
  return listOf(value).some((item) => Array.isArray(fieldsOf(item)?.['parts']));
}

function hasInfoAndParts(value: unknown): boolean {
  return listOf(value).some((item) => fieldsOf(fieldsOf(item)?.['info']) !== undefined && hasParts([item]));
}

function isResponseItem(value: unknown): boolean {
  const item = fieldsOf(value);
  if (item === undefined) return false;
  if (responseItemTypes.has(String(item['type']))) return true;
  return listOf(item['content']).some((part) =>
    /^(input|output)_text$/.test(String(fieldsOf(part)?.['type'])),
  );
}

/** In the order in which they are tried. */
export const knownFormats: readonly KnownFormat[] = [
  byObject('atif', 'an ATIF trajectory', (r) => 'schema_version' in r && Array.isArray(r['steps'])),
  {
    name: 'opencode',
    title: 'an OpenCode export',
    marks: (record) => hasInfoAndParts(record) || hasInfoAndParts(fieldsOf(record)?.['messages']),
  },
  byObject(
    'gemini',
    'a Gemini CLI session',
    (r) => ('sessionId' in r && 'projectHash' in r) || '$rewindTo' in r || fieldsOf(r['$set']) !== undefined,
  ),
  {
    name: 'gemini-checkpoint',
    title: 'a Gemini CLI checkpoint',
    marks: (record) => hasParts(record) || hasParts(fieldsOf(record)?.['history']),
  },
  byObject(
    'codex',
    'a Codex rollout',
    (r) =>
      (codexTypes.has(String(r['type'])) && fieldsOf(r['payload']) !== undefined) ||
      typeof r['record_type'] === 'string' ||
      (!('type' in r) && 'id' in r && 'timestamp' in r && 'instructions' in r),
  ),
  byObject('codex-exec', 'the output of `codex exec --json`', (r) => codexExecTypes.has(String(r['type']))),
  {
    name: 'sharegpt',
    title: 'a ShareGPT trajectory',
    marks: (record) =>
      listOf(Array.isArray(record) ? record : [record]).some((item) =>
        listOf(fieldsOf(item)?.['conversations']).some((turn) => 'from' in (fieldsOf(turn) ?? {})),
      ),
  },
  byObject(
    'hermes',
    'a Hermes session',
    (r) =>
      Array.isArray(r['messages']) &&
      ('started_at' in r || 'session_start' in r || (typeof r['source'] === 'string' && 'id' in r)),
  ),
  {
    name: 'openai-responses',
    title: 'an OpenAI Responses request or response',
    marks(record) {
      const fields = fieldsOf(record);
      if (fields === undefined) return listOf(record).some(isResponseItem);
      if (fields['object'] === 'response' && Array.isArray(fields['output'])) return true;
      if (listOf(fields['input']).length > 0)
        return 'model' in fields || listOf(fields['input']).some(isResponseItem);
      return isResponseItem(fields);
    },
  },
  byObject('copilot', 'a Copilot CLI event log', (r) => r['type'] === 'session.start' && 'data' in r),
  byObject(
    'claude-history',
    'the prompt history of Claude Code, not a session',
    (r) => typeof r['display'] === 'string' && 'timestamp' in r && 'project' in r,
  ),
  byObject(
    'asciicast',
    'an asciicast terminal recording',
    (r) => (r['version'] === 2 || r['version'] === 3) && ('width' in r || 'term' in r),
  ),
  byObject('opentelemetry', 'an OpenTelemetry trace', (r) => Array.isArray(r['resourceSpans'])),
];
