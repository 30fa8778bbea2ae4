/**
 * User and assistant records of Claude Code, in its session files and in its stream-json output: the same
 * messages in wrappers whose keys are spelled differently.
 */
import type { Block, TextBlock } from '../history/history.js';
import { anthropicBlocks } from './anthropic-content.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { injectionOf } from './injected-text.js';

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
  const blocks = anthropicBlocks(wrapper.message['content'], tally)
    .map((block) => withFallback(block, wrapper.toolUseResult))
    .map((block) => (wrapper.role === 'user' ? withLabel(block) : block));
  return splitResults(
    defined<Draft>({
      id: wrapper.id,
      role: wrapper.role,
      blocks,
      injected: undefined,
      timeMs: wrapper.timeMs,
    }),
  ).map((run) => liftLabel(run, wrapper.injected));
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

/** Names injected text blocks of a user turn one by one; real user text may stand beside them. */
export function withLabel(block: Block): Block {
  if (block.type !== 'text' || block.injected !== undefined) return block;
  const injected = injectionOf(block.text);
  return injected === undefined ? block : { ...block, injected };
}

/** A message whose every block was injected by the same thing is injected as a whole. */
export function liftLabel(draft: Draft, stated: string | undefined): Draft {
  if (draft.role === 'tool') return draft;
  const labels = new Set(draft.blocks.map((block) => (block.type === 'text' ? block.injected : undefined)));
  const [only] = labels;
  if (labels.size === 1 && only !== undefined) {
    const blocks = draft.blocks.map((block): Block => (block.type === 'text' ? plain(block) : block));
    return { ...draft, blocks, injected: only };
  }
  return stated === undefined ? draft : { ...draft, injected: stated };
}

function plain({ type, text }: TextBlock): TextBlock {
  return { type, text };
}

function withFallback(block: Block, toolUseResult: unknown): Block {
  if (block.type !== 'result' || block.content.length > 0) return block;
  const text = fallbackText(toolUseResult);
  return text === undefined ? block : { ...block, content: [{ type: 'text', text }] };
}

function fallbackText(value: unknown): string | undefined {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return textOf(value.map((item) => fallbackText(item) ?? '').join('\n'));
  const result = fieldsOf(value);
  if (result === undefined) return undefined;
  const streams = [textOf(result['stdout']), textOf(result['stderr'])].filter((part) => part !== undefined);
  if (streams.length > 0) return streams.join('\n');
  return (
    textOf(result['text']) ??
    textOf(result['content']) ??
    textOf(fieldsOf(result['file'])?.['content']) ??
    (listOf(result['content']).length > 0 ? fallbackText(result['content']) : undefined)
  );
}
