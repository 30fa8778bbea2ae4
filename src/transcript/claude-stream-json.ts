/**
 * Output of a headless Claude Code run (`claude -p --output-format stream-json --verbose`), often a log into which
 * other output was mixed. `--output-format json` gives one array of the same records, or the result alone.
 *
 * Subagents speak inline, marked by the call that started them; they are grouped and put behind that call.
 */
import type { Message } from '../history/history.js';
import { compactionText } from './claude-asides.js';
import { answeringModel, claudeDrafts, responseKey } from './claude-message.js';
import { type Draft, firstLine, noteDraft, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, printedOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink, Tally } from './importer.js';
import { Lane } from './lane.js';
import { Repeats } from './repeats.js';
import { withoutCopies } from './subagent-copies.js';
import { orderSubagents } from './subagent-order.js';

export const claudeStreamJson: Importer = {
  name: 'claude-stream-json',
  title: 'the stream-json output of Claude Code',
  reads: 'records',
  mixed: true,
  detect,
  open: (context) => new StreamSink(context),
};

const maxNoteChars = 300;

/** Records about the transport or about the run itself. */
const transportTypes: ReadonlySet<string> = new Set([
  'rate_limit_event',
  'tool_progress',
  'tool_use_summary',
  'auth_status',
  'prompt_suggestion',
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'stream_event',
]);

const silentSystemTypes: ReadonlySet<string> = new Set([
  'init',
  'task_started',
  'task_progress',
  'task_updated',
  'thinking_tokens',
  'api_retry',
  'status',
  'hook_started',
  'hook_progress',
  'hook_response',
  'background_tasks_changed',
  'files_persisted',
]);

/**
 * A log may hold more noise than records, so the share of JSON does not decide; but then most of the JSON has to be
 * of the stream, in more than one record, and not fenced in as a quotation.
 */
function detect({ records: values, jsonShare, head }: Probe): Confidence {
  const records = values.flat();
  const marks = records.filter(isMark).length;
  if (jsonShare > 0.5 || marks === 0) return marks > 0 ? 'certain' : 'no';
  const kin = records.filter(isKin);
  const isRun = marks > 1 || (jsonShare >= 0.2 && isMark(records[0]) && kin.some(isSpoken));
  return isRun && kin.length * 2 > records.length && !fencedJson.test(head) ? 'certain' : 'no';
}

const fencedJson = /^[ \t]*(```|~~~)[^\n]*\n\s*[{[]/m;

function isMark(value: unknown): boolean {
  const record = fieldsOf(value);
  if (record === undefined || typeof record['session_id'] !== 'string' || 'sessionId' in record) return false;
  if ('parent_tool_use_id' in record) return true;
  if (record['type'] === 'system') return record['subtype'] === 'init';
  return record['type'] === 'result' && 'is_error' in record && 'subtype' in record;
}

/** Whether a record may stand in a stream that other records mark. */
function isKin(value: unknown): boolean {
  const record = fieldsOf(value);
  if (record === undefined || 'sessionId' in record) return false;
  return typeof record['session_id'] === 'string' || isSpoken(record);
}

function isSpoken(value: unknown): boolean {
  return /^(user|assistant|result)$/.test(wordOf(fieldsOf(value)?.['type']));
}

class StreamSink implements RecordSink {
  readonly #tally: Tally;
  readonly #withSubagents: boolean;
  readonly #nextId = uniqueIds();
  readonly #main: Lane;
  readonly #agents = new Map<string, { readonly lane: Lane; readonly after: number }>();
  readonly #repeats: Repeats;
  #sessionId: string | undefined;
  #cwd: string | undefined;
  #model: string | undefined;

  constructor({ tally, options }: ImportContext) {
    this.#tally = tally;
    this.#withSubagents = options.subagents;
    this.#main = new Lane(this.#nextId, tally);
    this.#repeats = new Repeats(tally);
  }

  record(value: unknown, line: number): void {
    const items = Array.isArray(value) ? value : undefined;
    if (items === undefined) this.#one(value, `line:${line}`);
    for (const [i, item] of (items ?? []).entries()) this.#one(item, `line:${line}:${i + 1}`);
  }

  finish(): Imported {
    const lanes = [...this.#agents].map(([agent, { lane, after }]) => ({
      agent,
      messages: lane.messages.map((message): Message => ({ ...message, agent })),
      callId: agent,
      after,
    }));
    if (!this.#withSubagents) {
      for (const lane of lanes) this.#tally.skip('message of a subagent', lane.messages.length);
    }
    const told = this.#withSubagents ? withoutCopies(this.#main.messages, lanes, this.#tally) : [];
    const messages = orderSubagents(this.#main.messages, told);
    return defined<Imported>({
      history: { messages },
      sessionId: this.#sessionId,
      cwd: this.#cwd,
      model: this.#model,
      title: undefined,
    });
  }

  #one(value: unknown, place: string): void {
    const record = fieldsOf(value);
    const type = textOf(record?.['type']);
    if (record === undefined || type === undefined) {
      this.#tally.unknown('record without a type');
      return;
    }
    this.#sessionId ??= textOf(record['session_id']);
    const id = textOf(record['uuid']) ?? place;
    if (type === 'user' || type === 'assistant') this.#spoken(record, type, id);
    else if (type === 'system') this.#system(record, id);
    else if (type === 'result') this.#result(record, id);
    else if (transportTypes.has(type)) this.#tally.skip(type);
    else this.#tally.unknown(type);
  }

  #spoken(record: Fields, type: 'user' | 'assistant', id: string): void {
    const message = fieldsOf(record['message']);
    if (message === undefined) {
      this.#tally.unknown(`${type} without a message`);
      return;
    }
    const drafts = claudeDrafts(
      {
        id,
        role: type,
        message,
        injected: injection(record, message),
        toolUseResult: record['tool_use_result'],
        timeMs: timeMsOf(record['timestamp']),
      },
      this.#tally,
    );
    if (this.#repeats.isRepeat(textOf(record['uuid']), drafts)) return;
    const lane = this.#laneOf(textOf(record['parent_tool_use_id']));
    lane.add(drafts, responseKey(message, record['request_id']));
    if (lane === this.#main) this.#model = answeringModel(message) ?? this.#model;
  }

  #laneOf(callId: string | undefined): Lane {
    if (callId === undefined) return this.#main;
    let found = this.#agents.get(callId);
    if (found === undefined) {
      found = { lane: new Lane(this.#nextId, this.#tally), after: this.#main.messages.length };
      this.#agents.set(callId, found);
    }
    return found.lane;
  }

  #system(record: Fields, id: string): void {
    const subtype = textOf(record['subtype']) ?? 'untyped';
    const timeMs = timeMsOf(record['timestamp']);
    if (subtype === 'init') {
      this.#cwd ??= textOf(record['cwd']);
      this.#model ??= textOf(record['model']);
    }
    if (subtype === 'compact_boundary') {
      const text = compactionText(fieldsOf(record['compact_metadata']), textOf(record['content']));
      this.#main.add([noteDraft(id, text, timeMs)]);
    } else if (subtype === 'task_notification') {
      // The summary of a subagent's task is its last message, which stands in the stream already.
      const summary = firstLine(textOf(record['summary']) ?? '', maxNoteChars);
      const status = textOf(record['status']) ?? 'changed';
      this.#main.add([noteDraft(id, `Background task ${firstLine(status, 40)}: ${summary}`, timeMs)]);
    } else if (silentSystemTypes.has(subtype)) this.#tally.skip(`system/${subtype}`);
    else this.#tally.unknown(`system/${subtype}`);
  }

  #result(record: Fields, id: string): void {
    const subtype = textOf(record['subtype']) ?? 'untyped';
    const text = textOf(record['result']);
    // The model gave it as the input of a call, which stands in the stream.
    if (record['structured_output'] != null) this.#tally.skip('structured_output');
    if (subtype !== 'success') {
      const errors = Array.isArray(record['errors']) ? record['errors'].map(printedOf).join('; ') : '';
      const note = `The run ended: ${firstLine(subtype, 60)}${errors === '' ? '' : ` (${firstLine(errors, maxNoteChars)})`}`;
      this.#main.add([noteDraft(id, note)]);
    }
    if (text === undefined || this.#saysAlready(text)) this.#tally.skip(`result/${subtype}`);
    else {
      const injected = record['is_error'] === true ? 'api-error' : undefined;
      this.#main.add([
        defined<Draft>({
          id,
          role: 'assistant',
          blocks: [{ type: 'text', text }],
          injected,
          timeMs: undefined,
        }),
      ]);
    }
  }

  /** Whether the main agent said `text` since the user last spoke, in one block or in all blocks of a message. */
  #saysAlready(text: string): boolean {
    const wanted = text.trim();
    const { messages } = this.#main;
    for (let i = messages.length - 1; i >= 0; i--) {
      const { role, injected, blocks } = messages[i] as Draft;
      if (role === 'user' && injected === undefined) return false;
      if (role !== 'assistant') continue;
      const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      if ([...texts, texts.join(''), texts.join('\n')].some((each) => each.trim() === wanted)) return true;
    }
    return false;
  }
}

function injection(record: Fields, message: Fields): string | undefined {
  if (record['isSynthetic'] === true) return 'synthetic';
  if (message['model'] !== '<synthetic>') return undefined;
  return record['error'] === undefined ? 'synthetic' : 'api-error';
}
