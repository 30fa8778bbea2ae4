/** The messages inside pi and Oh-My-Pi session entries, by role. Roles as of pi 0.84 and Oh-My-Pi session v3. */
import type { Block, MediaBlock, ResultBlock, TextBlock } from '../history/history.js';
import { type Draft, firstLine } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { encryptedMedia, inlineMedia } from './media.js';
import { type ResultContent, resultContent } from './result-content.js';
import { roleOf } from './roles.js';

const maxNoteChars = 300;

/** Role, blocks and label of a message; `undefined` (tallied) for a role nobody has described. */
export type PiMessage = Pick<Draft, 'role' | 'blocks' | 'injected'>;

export function piMessage(message: Fields, tally: Tally): PiMessage | undefined {
  const stated = textOf(message['role']) ?? 'none';
  switch (stated) {
    case 'developer':
      return { role: 'system', blocks: piBlocks(message['content'], tally), injected: 'developer' };
    case 'bashExecution':
    case 'pythonExecution':
      return execution(message);
    case 'custom':
    case 'hookMessage':
      return { role: 'user', blocks: piBlocks(message['content'], tally), injected: customLabel(message) };
    case 'branchSummary':
      return { role: 'user', blocks: textBlocks(message['summary']), injected: 'branch-summary' };
    case 'compactionSummary':
      return { role: 'user', blocks: textBlocks(message['summary']), injected: 'compaction-summary' };
    case 'fileMention':
      return { role: 'user', blocks: mentionedFiles(message), injected: 'file-mention' };
  }
  const role = roleOf(stated);
  if (role === undefined) tally.unknown(`role/${stated}`);
  if (role === undefined) return undefined;
  if (role === 'tool') return { role, blocks: [resultBlock(message)] };
  const blocks = piBlocks(message['content'], tally);
  if (role === 'user') return liftLabel({ id: '', role, blocks: withLabels(blocks) }, undefined);
  return { role, blocks: role === 'assistant' ? [...blocks, ...endOfTurn(message)] : blocks };
}

/** `custom` entries and messages are named by the extension that wrote them. */
export function customLabel(entry: Fields): string {
  return firstLine(textOf(entry['customType']) ?? 'custom', 40);
}

/** A string, or blocks. */
export function piBlocks(content: unknown, tally: Tally): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return textBlocks(content);
  if (Array.isArray(content)) return content.flatMap((block) => piBlock(block, tally));
  tally.unknown('content that is neither text nor blocks');
  return [];
}

export function textBlocks(text: unknown): TextBlock[] {
  return typeof text === 'string' && /\S/.test(text) ? [{ type: 'text', text }] : [];
}

function piBlock(value: unknown, tally: Tally): Block[] {
  if (typeof value === 'string') return textBlocks(value);
  const block = fieldsOf(value);
  const plain = block && plainBlock(block);
  if (plain !== undefined) return plain;
  switch (block?.['type']) {
    case 'thinking': {
      const text = block['thinking'];
      if (block['redacted'] === true) return [encryptedMedia(block['thinkingSignature'])];
      if (typeof text === 'string' && /\S/.test(text)) return [{ type: 'reasoning', text }];
      tally.skip('empty thinking');
      return [];
    }
    case 'redactedThinking':
      return [encryptedMedia(block['data'])];
    case 'toolCall':
      return [
        defined<Block & { type: 'call' }>({
          type: 'call',
          callId: textOf(block['id']),
          name: textOf(block['name']) ?? '',
          input: block['arguments'] ?? {},
          intent: textOf(block['intent']),
        }),
      ];
    case 'fallback':
      tally.skip('block/fallback');
      return [];
    default:
      tally.unknown(`block/${textOf(block?.['type']) ?? 'untyped'}`);
      return [];
  }
}

/** Blocks that may stand in a message and in a result alike; undefined for every other. */
function plainBlock(block: Fields): ResultContent | undefined {
  if (block['type'] === 'image') return [inlineMedia('image', block['data'], block['mimeType'])];
  return block['type'] === 'text' && typeof block['text'] === 'string'
    ? textBlocks(block['text'])
    : undefined;
}

function resultBlock(message: Fields): ResultBlock {
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(message['toolCallId']),
    name: textOf(message['toolName']),
    content: resultContent(message['content'], plainBlock),
    failed: message['isError'] === true || undefined,
    // An error is never of no use.
    useless: (message['useless'] === true && message['isError'] !== true) || undefined,
  });
}

/** An answer that was cut says so; its text alone would look complete. */
function endOfTurn(message: Fields): Block[] {
  const reason = message['stopReason'];
  const error = textOf(message['errorMessage']);
  if (reason !== 'error' && reason !== 'aborted' && reason !== 'length') return [];
  const text = `The answer ended early: ${reason}`;
  return [{ type: 'note', text: error === undefined ? text : `${text} (${firstLine(error, maxNoteChars)})` }];
}

/** A command that the user ran: the command is the user's, the output is not. */
function execution(message: Fields): PiMessage {
  const isBash = message['role'] === 'bashExecution';
  const command = textOf(isBash ? message['command'] : message['code']) ?? '';
  const blocks: Block[] = [{ type: 'text', text: `${isBash ? '!' : '$'}${command}` }];
  for (const block of textBlocks(message['output'])) blocks.push({ ...block, injected: 'command-output' });
  const exit = message['exitCode'];
  if (message['cancelled'] === true) blocks.push({ type: 'note', text: 'The command was cancelled' });
  else if (typeof exit === 'number' && exit !== 0) blocks.push({ type: 'note', text: `Exit code ${exit}` });
  if (message['truncated'] === true) blocks.push({ type: 'note', text: 'The output was cut by the agent' });
  return { role: 'user', blocks };
}

function mentionedFiles(message: Fields): Block[] {
  return listOf(message['files']).flatMap((value): Block[] => {
    const file = fieldsOf(value);
    const name = textOf(file?.['path']);
    const image = fieldsOf(file?.['image']);
    const note: Block =
      image === undefined
        ? defined<MediaBlock>({ type: 'media', kind: 'file', name })
        : inlineMedia('image', image['data'], image['mimeType'], name);
    return [note, ...textBlocks(file?.['content'])];
  });
}
