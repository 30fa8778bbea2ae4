/**
 * Events of a Codex rollout: what the interface was told. They matter where no item says the same: in old files, in
 * what a tool did inside another, and for what happened to the session itself. Kinds as of Codex 0.149.
 */
import type { Block } from '../history/history.js';
import {
  type CodexEntry,
  callEntry,
  entryOf,
  keysOf,
  noteEntry,
  resultEntry,
  textsOf,
} from './codex-entries.js';
import { imageEntries, reasoningEntry, searchEntry, userSaid } from './codex-items.js';
import {
  type CodexOutput,
  codexContent,
  codexOutput,
  codexText,
  exitOutput,
  isFailure,
} from './codex-parts.js';
import { firstLine } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { linkedMedia } from './media.js';
import { foreignContent, resultContent } from './result-content.js';

const maxNoteChars = 300;

/** Progress, permissions and figures; and beginnings of what an end tells whole. */
const silentEvents: ReadonlySet<string> = new Set([
  'token_count',
  'task_started',
  'turn_started',
  'thread_settings_applied',
  'thread_goal_updated',
  'session_configured',
  'agent_reasoning_section_break',
  'background_event',
  'deprecation_notice',
  'stream_error',
  'warning',
  'plan_update',
  'turn_diff',
  'item_started',
  'terminal_interaction',
  'raw_response_item',
  'item_completed/SubAgentActivity',
  'item_completed/HookPrompt',
]);
const silentPattern =
  /^guardian_|_(?:begin|delta|request|started|updated|update|response_listed)$|^mcp_startup/;

/** Tools that manage other agents, by the event that tells of their end. */
const collabTools: ReadonlyMap<string, string> = new Map([
  ['collab_agent_spawn_end', 'spawn_agent'],
  ['collab_agent_interaction_end', 'send_input'],
  ['collab_waiting_end', 'wait'],
  ['collab_close_end', 'close_agent'],
  ['collab_resume_end', 'resume_agent'],
]);

/** What an event gives; an empty list is tallied. */
export function codexEvent(event: Fields, tally: Tally): CodexEntry[] {
  const type = textOf(event['type']) ?? 'untyped';
  const item = type === 'item_completed' ? fieldsOf(event['item']) : undefined;
  const kind = item === undefined ? type : `${type}/${textOf(item['type']) ?? 'untyped'}`;
  const entries =
    item === undefined
      ? (spoken(type, event) ?? toolEntries(type, event) ?? happened(type, event))
      : completedItem(item, tally);
  const isSilent = silentEvents.has(kind) || silentPattern.test(type);
  if (entries === undefined && !isSilent) tally.unknown(`event_msg/${kind}`);
  else if (entries === undefined || entries.length === 0) tally.skip(`event_msg/${kind}`);
  return entries ?? [];
}

function spoken(type: string, event: Fields): CodexEntry[] | undefined {
  switch (type) {
    case 'user_message': {
      const text = codexText(event['message']);
      const images = [...listOf(event['images']), ...listOf(event['local_images'])];
      const blocks = [...text, ...images.map((image) => linkedMedia('image', image))];
      return blocks.length === 0 ? [] : [entryOf(userSaid(blocks), keysOf('user', textsOf(blocks)), type)];
    }
    case 'agent_message':
      return answer(codexText(event['message']), type);
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      return listed(reasoningEntry([wordOf(event['text'])], type));
    case 'task_complete':
    case 'turn_complete': {
      const error = fieldsOf(event['error']);
      const said = answer(codexText(event['last_agent_message']), type);
      return error === undefined ? said : [...said, noteEntry(`The turn failed: ${errorText(error)}`)];
    }
    case 'exited_review_mode':
      return answer(codexText(reviewText(fieldsOf(event['review_output']))), type);
  }
  return undefined;
}

function answer(blocks: Block[], kind: string): CodexEntry[] {
  if (blocks.length === 0) return [];
  return [entryOf({ role: 'assistant', blocks }, keysOf('assistant', textsOf(blocks)), kind)];
}

function listed(entry: CodexEntry | undefined): CodexEntry[] {
  return entry === undefined ? [] : [entry];
}

/** Calls that ended, with what came of them. */
function toolEntries(type: string, event: Fields): CodexEntry[] | undefined {
  const id = textOf(event['call_id']) ?? textOf(event['callId']);
  switch (type) {
    case 'exec_command_end':
      return [
        callEntry(id, 'exec_command', commandOf(event), type),
        resultEntry(id, commandOutput(event), type),
      ];
    case 'patch_apply_end':
      return [
        callEntry(id, 'apply_patch', { changes: event['changes'] ?? {} }, type),
        resultEntry(id, patchOutput(event), type),
      ];
    case 'mcp_tool_call_end': {
      const { server, tool, arguments: input } = fieldsOf(event['invocation']) ?? {};
      return [
        callEntry(id, mcpName(server, tool), input, type),
        resultEntry(id, mcpOutput(event['result']), type),
      ];
    }
    case 'web_search_end':
      return [
        searchEntry(id, event['action'] ?? { query: event['query'] }, type),
        ...foundEntries(id, event['results'], type),
      ];
    case 'dynamic_tool_call_request':
      return [callEntry(id, mcpName(event['namespace'], event['tool']), event['arguments'], type)];
    case 'dynamic_tool_call_response':
      return [
        callEntry(id, mcpName(event['namespace'], event['tool']), event['arguments'], type),
        resultEntry(id, errorOutput(event['error']) ?? codexOutput(withContent(event)), type),
      ];
    case 'view_image_tool_call':
      return [
        callEntry(id, 'view_image', { path: event['path'] ?? '' }, type),
        resultEntry(id, { content: [linkedMedia('image', event['path'])] }, type),
      ];
    case 'image_generation_end':
      return imageEntries(id, event, type);
  }
  const tool = collabTools.get(type);
  return tool === undefined ? undefined : collabEntries(id, tool, event, type);
}

/** What happened to the session. */
function happened(type: string, event: Fields): CodexEntry[] | undefined {
  switch (type) {
    case 'error':
      return [noteEntry(`Error: ${errorText(event)}`)];
    case 'turn_aborted':
      return [noteEntry(`The turn ended early: ${shortText(event['reason'])}`, ['turn_aborted'], type)];
    case 'context_compacted':
      return [noteEntry('Conversation compacted', ['compaction'], type)];
    case 'thread_rolled_back':
      return [rollback(event['num_turns'])];
    case 'undo_completed':
      return [noteEntry(`Undo: ${shortText(event['message'])}`)];
    case 'entered_review_mode': {
      const hint = textOf(event['user_facing_hint']) ?? textOf(event['prompt']);
      return [noteEntry(`Review: ${shortText(hint)}`, ['review'], type)];
    }
    case 'sub_agent_activity':
      return [noteEntry(`Subagent ${shortText(event['agent_path'])}: ${shortText(event['kind'])}`, [], type)];
  }
  return undefined;
}

function rollback(turns: unknown): CodexEntry {
  const count = typeof turns === 'number' && turns > 0 ? turns : 1;
  const words = count === 1 ? 'turn of the user was' : `${count} turns of the user were`;
  return { ...noteEntry(`The last ${words} rolled back`), undoes: count };
}

/** Since 0.149 every item of the interface comes as one event when it is complete. */
function completedItem(item: Fields, tally: Tally): CodexEntry[] | undefined {
  const type = textOf(item['type']) ?? 'untyped';
  const kind = 'item_completed';
  const id = textOf(item['id']);
  switch (type) {
    case 'UserMessage': {
      const blocks = codexContent(item['content'], tally);
      return blocks.length === 0 ? [] : [entryOf(userSaid(blocks), keysOf('user', textsOf(blocks)), kind)];
    }
    case 'AgentMessage':
      return answer(codexContent(item['content'], tally), kind);
    case 'Plan':
      return answer(codexText(item['text']), kind);
    case 'Reasoning':
      return listed(
        reasoningEntry([...listOf(item['summary_text']), ...listOf(item['raw_content'])].map(wordOf), kind),
      );
    case 'CommandExecution':
      return [
        callEntry(id, 'exec_command', commandOf(item), kind),
        resultEntry(id, commandOutput(item), kind),
      ];
    case 'FileChange':
      return [
        callEntry(id, 'apply_patch', { changes: item['changes'] ?? {} }, kind),
        resultEntry(id, patchOutput(item), kind),
      ];
    case 'McpToolCall':
      return [
        callEntry(id, mcpName(item['server'], item['tool']), item['arguments'], kind),
        resultEntry(id, errorOutput(item['error']) ?? mcpOutput(item['result']), kind),
      ];
    case 'WebSearch':
    case 'Extension':
      return [
        searchEntry(id, item['action'] ?? { query: item['query'] }, kind),
        ...foundEntries(id, item['results'], kind),
      ];
    case 'ImageView':
      return [callEntry(id, 'view_image', { path: item['path'] ?? '' }, kind)];
    case 'ImageGeneration':
      return imageEntries(id, item, kind);
    case 'ContextCompaction':
      return [noteEntry('Conversation compacted', ['compaction'], kind)];
    case 'EnteredReviewMode':
      return [noteEntry(`Review: ${shortText(item['review'])}`, ['review'], kind)];
    case 'ExitedReviewMode':
      return answer(codexText(item['review']), kind);
  }
  return undefined;
}

/** A list of words, or one string; with the folder where that is stated. */
function commandOf(event: Fields): unknown {
  return defined<{ command: unknown; cwd: unknown }>({
    command: event['command'] ?? '',
    cwd: textOf(event['cwd']),
  });
}

function commandOutput(event: Fields): CodexOutput {
  const whole = textOf(event['aggregated_output']);
  const parts = [textOf(event['stdout']), textOf(event['stderr'])].filter((part) => part !== undefined);
  return exitOutput(whole ?? parts.join('\n'), event['exit_code']);
}

function patchOutput(event: Fields): CodexOutput {
  const texts = [...codexText(event['stdout']), ...codexText(event['stderr'])];
  const failed = event['success'] === false || event['status'] === 'failed';
  return failed ? { content: texts, failed } : { content: texts };
}

function mcpName(server: unknown, tool: unknown): string {
  return [textOf(server), textOf(tool)].filter((part) => part !== undefined).join('.');
}

/** `{ Ok: … }`, `{ Err: "…" }`, or what stands in `Ok` alone. */
function mcpOutput(result: unknown): CodexOutput {
  const fields = fieldsOf(result);
  if (fields === undefined) return codexOutput(result);
  if ('Err' in fields) return { content: resultContent(fields['Err'], () => undefined), failed: true };
  const value = fieldsOf(fields['Ok']) ?? fields;
  const output = codexOutput(value);
  if (output.content.length > 0 || value['structuredContent'] === undefined) return output;
  return { ...output, content: foreignContent(value['structuredContent']) };
}

function withContent(event: Fields): Fields {
  return { content: event['content_items'] ?? [], success: !isFailure(event) };
}

function errorOutput(error: unknown): CodexOutput | undefined {
  if (error === undefined || error === null) return undefined;
  return { content: resultContent(fieldsOf(error)?.['message'] ?? error, () => undefined), failed: true };
}

/** The model is not shown the list as it is here, but nothing else tells what a search found. */
function foundEntries(id: string | undefined, results: unknown, kind: string): CodexEntry[] {
  const lines = listOf(results).flatMap((value) => {
    const found = fieldsOf(value);
    const parts = ['title', 'url', 'snippet'].map((key) => textOf(found?.[key]));
    const line = parts.filter((part) => part !== undefined).join('\n');
    return line === '' ? [] : [line];
  });
  return lines.length === 0 ? [] : [resultEntry(id, { content: codexText(lines.join('\n\n')) }, kind)];
}

function collabEntries(id: string | undefined, tool: string, event: Fields, kind: string): CodexEntry[] {
  const { type: _type, call_id: _callId, sender_thread_id: _sender, prompt, ...rest } = event;
  const input = typeof prompt === 'string' ? { prompt } : {};
  return [callEntry(id, tool, input, kind), resultEntry(id, { content: foreignContent(rest) }, kind)];
}

function reviewText(review: Fields | undefined): string {
  const findings = listOf(review?.['findings']).map((value) => {
    const finding = fieldsOf(value);
    const place = fieldsOf(finding?.['code_location']);
    const line = fieldsOf(place?.['line_range'])?.['start'];
    const where = [textOf(place?.['absolute_file_path']), typeof line === 'number' ? `${line}` : undefined];
    const head = [wordOf(finding?.['title']), where.filter((part) => part !== undefined).join(':')];
    return [head.filter((part) => part !== '').join(' – '), wordOf(finding?.['body'])].join('\n');
  });
  const whole = [wordOf(review?.['overall_explanation']), wordOf(review?.['overall_correctness'])];
  return [...whole, ...findings].filter((part) => /\S/.test(part)).join('\n\n');
}

function errorText(error: Fields): string {
  return shortText(error['message']);
}

function shortText(value: unknown): string {
  return firstLine(textOf(value) ?? 'not recorded', maxNoteChars);
}
