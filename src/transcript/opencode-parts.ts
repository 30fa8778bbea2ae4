/** The parts of an OpenCode message, as of OpenCode 1.18. One part is a text, a call with its result, or state. */
import type { Block, CallBlock, MediaBlock, ResultBlock } from '../history/history.js';
import { firstLine } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, printedOf, textOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { linkedMedia } from './media.js';
import { foreignContent, resultContent } from './result-content.js';

const maxNoteChars = 300;

/** Parts that keep state, or that repeat what another part says: an agent is named in the text beside it. */
const silentTypes: ReadonlySet<string> = new Set([
  ...['step-start', 'step-finish', 'patch', 'snapshot', 'retry', 'agent'],
]);

/** The blocks of the parts in order; the results of neighbouring calls follow the last of these calls. */
export function partBlocks(parts: readonly unknown[], tally: Tally): Block[] {
  const out: Block[] = [];
  const results: ResultBlock[] = [];
  for (const value of parts) {
    const part = fieldsOf(value);
    if (part?.['type'] === 'tool') {
      const state = fieldsOf(part['state']) ?? {};
      out.push(callBlock(part, state));
      results.push(...resultBlocks(part, state, tally));
      continue;
    }
    // Steps end with a part of their own, so results stay within the step that asked for them.
    out.push(...results.splice(0), ...otherBlocks(part, tally));
  }
  return [...out, ...results];
}

function otherBlocks(part: Fields | undefined, tally: Tally): Block[] {
  const type = textOf(part?.['type']);
  switch (type) {
    case 'text':
      return textBlocks(part as Fields, tally);
    case 'reasoning':
      return reasoningBlocks(part as Fields, tally);
    case 'file':
      return [fileMedia(part as Fields)];
    case 'subtask':
      return subtaskBlocks(part as Fields, tally);
    case 'compaction':
      return [
        { type: 'note', text: part?.['auto'] === true ? 'Compaction, by the agent itself' : 'Compaction' },
      ];
  }
  if (type !== undefined && silentTypes.has(type)) tally.skip(`part/${type}`);
  else tally.unknown(type === undefined ? 'part without a type' : `part/${type}`);
  return [];
}

/** `synthetic` text was put in by the agent, `ignored` text was only shown to the user. */
function textBlocks(part: Fields, tally: Tally): Block[] {
  const { text, synthetic, ignored } = part;
  if (!isSaid(text, 'text', tally)) return [];
  if (ignored === true) return [{ type: 'text', text, injected: 'ignored' }];
  return [{ type: 'text', text, ...(synthetic === true && { injected: 'synthetic' }) }];
}

function reasoningBlocks({ text }: Fields, tally: Tally): Block[] {
  return isSaid(text, 'reasoning', tally) ? [{ type: 'reasoning', text }] : [];
}

/** A task that a command of the user gives to a subagent. */
function subtaskBlocks(part: Fields, tally: Tally): Block[] {
  const { prompt } = part;
  const agent = textOf(part['agent']) ?? 'a subagent';
  const title = textOf(part['description']) ?? textOf(part['command']);
  const text = firstLine(`Task for ${agent}${title === undefined ? '' : `: ${title}`}`, maxNoteChars);
  const note: Block = { type: 'note', text };
  return isSaid(prompt, 'task', tally) ? [note, { type: 'text', text: prompt, injected: 'subtask' }] : [note];
}

function isSaid(text: unknown, kind: string, tally: Tally): text is string {
  if (typeof text === 'string' && /\S/.test(text)) return true;
  if (typeof text === 'string') tally.skip(`blank ${kind}`);
  else tally.unknown(`${kind} that is no string`);
  return false;
}

const kinds: readonly (readonly [RegExp, MediaBlock['kind']])[] = [
  [/^image\//i, 'image'],
  [/^audio\//i, 'audio'],
  [/^video\//i, 'video'],
  [/^application\/pdf$/i, 'document'],
];

function fileMedia(part: Fields): MediaBlock {
  const mime = wordOf(part['mime']);
  const kind = kinds.find(([pattern]) => pattern.test(mime))?.[1] ?? 'file';
  const name = textOf(part['filename']);
  const note = linkedMedia(kind, part['url'], textOf(mime));
  return name === undefined ? note : { ...note, name: name.slice(0, maxNoteChars) };
}

function callBlock(part: Fields, state: Fields): CallBlock {
  const { input, raw } = state;
  const isEmpty = input === undefined || Object.keys(fieldsOf(input) ?? { input }).length === 0;
  return defined<CallBlock>({
    type: 'call',
    callId: textOf(part['callID']),
    name: textOf(part['tool']) ?? '',
    // The arguments of a call that was still being written are there as text only.
    input: isEmpty ? (textOf(raw) ?? {}) : input,
  });
}

/**
 * None for a call that did not end. `metadata` is left out: it repeats the output, and adds diffs and diagnostics
 * that are many times as long and that the model never saw.
 */
function resultBlocks(part: Fields, state: Fields, tally: Tally): ResultBlock[] {
  const { status, output, error } = state;
  if (status === 'pending' || status === 'running') return [];
  if (status !== 'completed' && status !== 'error') tally.unknown(`tool state/${wordOf(status) || 'none'}`);
  const failed = status === 'error';
  const told = failed ? (error ?? output) : (output ?? error);
  const attachments = listOf(state['attachments']);
  if (told === undefined && attachments.length === 0 && !failed && status !== 'completed') return [];
  return [
    defined<ResultBlock>({
      type: 'result',
      callId: textOf(part['callID']),
      content: [...resultContent(told, () => undefined), ...attachments.flatMap(attachment)],
      failed: failed || undefined,
    }),
  ];
}

function attachment(value: unknown): ReturnType<typeof foreignContent> {
  const part = fieldsOf(value);
  return part !== undefined && 'url' in part ? [fileMedia(part)] : foreignContent(value);
}

/** A note on an answer that was cut: its text alone would look complete. */
export function endOfAnswer(info: Fields): Block[] {
  const error = fieldsOf(info['error']);
  if (error === undefined && info['finish'] !== 'length') return [];
  const reason = error === undefined ? 'length' : (textOf(error['name']) ?? 'error');
  const detail = fieldsOf(error?.['data'])?.['message'] ?? error?.['message'];
  const text = `The answer ended early: ${firstLine(reason, maxNoteChars)}`;
  const words = detail === undefined ? '' : firstLine(printedOf(detail), maxNoteChars);
  return [{ type: 'note', text: words === '' ? text : `${text} (${words})` }];
}
