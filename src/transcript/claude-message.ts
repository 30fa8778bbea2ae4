/**
 * User and assistant records of Claude Code, in its session files and in its stream-json output: the same
 * messages in wrappers whose keys are spelled differently.
 */
import type { Block } from '../history/history.js';
import { anthropicBlocks } from './anthropic-content.js';
import { type Draft, splitResults } from './draft.js';
import { type Fields, fieldsOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { fileMedia, isData, linkedMedia } from './media.js';
import type { ResultContent } from './result-content.js';

/** How deep texts lie in a structured copy. */
const maxNesting = 4;

/** What the wrapper says about its message. */
export interface ClaudeWrapper {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly message: Fields;
  /** Set if the wrapper says that the role did not write it. */
  readonly injected: string | undefined;
  /** The structured copy of a tool's result; read only where the block itself is empty. */
  readonly toolUseResult: unknown;
  readonly timeMs: number | undefined;
}

/** The messages of one record: a record that mixes results and text gives one of each. */
export function claudeDrafts(wrapper: ClaudeWrapper, tally: Tally): Draft[] {
  const content = anthropicBlocks(wrapper.message['content'], tally);
  // With several results nothing says whose copy it is.
  const results = content.filter((block) => block.type === 'result').length;
  const copy = results === 1 ? wrapper.toolUseResult : undefined;
  const blocks = copy === undefined ? content : content.map((block) => withFallback(block, copy));
  const draft: Draft = {
    id: wrapper.id,
    role: wrapper.role,
    blocks: wrapper.role === 'user' ? withLabels(blocks) : blocks,
    ...(wrapper.timeMs !== undefined && { timeMs: wrapper.timeMs }),
  };
  return splitResults(draft).map((run) => liftLabel(run, wrapper.injected));
}

/** Key that all lines of one API response share, or undefined for anything else. */
export function responseKey(message: Fields, requestId: unknown): string | undefined {
  const id = textOf(message['id']);
  return message['role'] === 'assistant' && id !== undefined
    ? `${id}\0${textOf(requestId) ?? ''}`
    : undefined;
}

/** Model that wrote an assistant message; `<synthetic>` is the agent itself reporting an error. */
export function answeringModel(message: Fields): string | undefined {
  const model = textOf(message['model']);
  return model === '<synthetic>' ? undefined : model;
}

function withFallback(block: Block, toolUseResult: unknown): Block {
  if (block.type !== 'result' || block.content.length > 0) return block;
  return { ...block, content: fallbackContent(toolUseResult, 0) };
}

/** Texts of the structured copy, as far as they are those that the model was given. */
function fallbackContent(value: unknown, depth: number): ResultContent {
  if (typeof value === 'string' && /\S/.test(value))
    return isData(value) ? [linkedMedia('file', value)] : [{ type: 'text', text: value }];
  if (depth > maxNesting) return [];
  if (Array.isArray(value)) return value.flatMap((item) => fallbackContent(item, depth + 1));
  const result = fieldsOf(value);
  if (result === undefined) return [];
  if (result['base64'] !== undefined) return [fileMedia(result)];
  const streams = [textOf(result['stdout']), textOf(result['stderr'])].filter((part) => part !== undefined);
  if (streams.length > 0) return [{ type: 'text', text: streams.join('\n') }];
  const inner = result['text'] ?? result['content'] ?? result['file'];
  return fallbackContent(inner, depth + 1);
}
