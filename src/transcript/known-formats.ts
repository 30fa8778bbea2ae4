/**
 * Formats that this version recognises and does not read. They are named in the error instead of being archived
 * as the plain text they also are.
 */
import { type Fields, fieldsOf, wordOf } from './fields.js';

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

const codexExecTypes = new Set([
  'thread.started',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'item.completed',
]);

/** Either kind names its source; an action has arguments, an observation its content. */
function isOpenHandsEvent(value: unknown): boolean {
  const event = fieldsOf(value);
  if (event === undefined || typeof event['source'] !== 'string') return false;
  return 'action' in event ? 'args' in event : 'observation' in event && 'content' in event;
}

/** In the order in which they are tried. */
export const knownFormats: readonly KnownFormat[] = [
  byObject(
    'qwen-code',
    'a Qwen Code session',
    (r) => 'sessionId' in r && ('systemPayload' in r || Array.isArray(fieldsOf(r['message'])?.['parts'])),
  ),
  byObject(
    'amp',
    'an Amp thread',
    (r) => /^T-/.test(wordOf(r['id'])) && 'v' in r && Array.isArray(r['messages']),
  ),
  byObject(
    'opencode-storage',
    'one file of the storage folder of OpenCode',
    (r) => /^(ses|msg|prt)_/.test(wordOf(r['id'])) && ('projectID' in r || 'sessionID' in r),
  ),
  byObject(
    'opencode-run',
    'the output of `opencode run --format json`',
    (r) =>
      typeof r['sessionID'] === 'string' && typeof r['type'] === 'string' && ('part' in r || 'error' in r),
  ),
  byObject('codex-exec', 'the output of `codex exec --json`', (r) => codexExecTypes.has(wordOf(r['type']))),
  byObject(
    'gemini-stream-json',
    'the stream-json output of Gemini CLI',
    (r) =>
      (r['type'] === 'init' && 'session_id' in r && 'model' in r) ||
      ((r['type'] === 'tool_use' || r['type'] === 'tool_result') && 'tool_id' in r),
  ),
  byObject(
    'kimi-wire',
    'the wire log of Kimi CLI',
    (r) =>
      (r['type'] === 'metadata' && 'protocol_version' in r) ||
      (typeof r['timestamp'] === 'number' && /^[A-Z]/.test(wordOf(fieldsOf(r['message'])?.['type']))),
  ),
  byObject(
    'vscode-chat',
    'a chat of VS Code',
    (r) => Array.isArray(r['requests']) && ('requesterUsername' in r || 'responderUsername' in r),
  ),
  {
    name: 'openhands',
    title: 'an OpenHands event log',
    marks: (record) => (Array.isArray(record) ? record : [record]).some(isOpenHandsEvent),
  },
  byObject(
    'langsmith',
    'a LangSmith trace',
    (r) => 'run_type' in r && 'inputs' in r && ('trace_id' in r || 'dotted_order' in r),
  ),
  {
    name: 'chatgpt-export',
    title: 'an export of ChatGPT',
    marks: (record) =>
      (Array.isArray(record) ? record : [record]).some(
        (item) => fieldsOf(fieldsOf(item)?.['mapping']) !== undefined && 'current_node' in (item as Fields),
      ),
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
