/** One message of a Gemini CLI session, or one content of the Gemini API, as messages. */
import type { Block, ResultBlock, TextBlock } from '../history/history.js';
import { type Draft, splitResults } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import { partBlocks } from './gemini-parts.js';
import type { Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { foreignContent, type ResultContent } from './result-content.js';
import { roleOf } from './roles.js';

/** What Gemini CLI puts in front of a chat. */
const context = /^\s*(This is the Gemini CLI\. We are setting up the context|<session_context>)/;

/** `answered`: calls whose result stands in the message that made them. */
export function geminiDrafts(
  message: Fields,
  id: string,
  answered: ReadonlySet<string>,
  tally: Tally,
): Draft[] {
  const type = wordOf(message['type']);
  const draftOf = (role: Draft['role'], blocks: Block[], injected?: string): Draft =>
    defined<Draft>({ id, role, blocks, injected, timeMs: timeMsOf(message['timestamp']) });
  const content = partBlocks(message['content'] ?? message['parts'], tally);
  switch (type) {
    case 'user':
      return userDrafts(draftOf('user', userBlocks(message, content, tally)), answered, tally);
    case 'gemini':
    case 'model':
    case 'assistant': {
      const blocks = [...thoughts(message, tally), ...content, ...calls(message, tally)];
      return runsOf(draftOf('assistant', blocks));
    }
    case 'info':
    case 'warning':
    case 'error':
      return [draftOf('system', content, type)];
  }
  tally.unknown(`message/${type}`);
  return [];
}

/** A content of a checkpoint. */
export function contentDrafts(content: Fields, id: string, tally: Tally): Draft[] {
  const role = roleOf(content['role']);
  if (role === undefined) tally.unknown(`role/${wordOf(content['role'])}`);
  const blocks = partBlocks(content['parts'], tally);
  const isModel = role === 'assistant';
  return runsOf({ id, role: isModel ? 'assistant' : 'user', blocks: isModel ? blocks : labelled(blocks) });
}

/** Without a block there is still a message, to be counted as empty. */
function runsOf(draft: Draft): Draft[] {
  const runs = splitResults(draft);
  return runs.length === 0
    ? [draft]
    : runs.map((run) => (run.role === 'user' ? liftLabel(run, undefined) : run));
}

function labelled(blocks: readonly Block[]): Block[] {
  return withLabels(
    blocks.map((block) =>
      block.type === 'text' && context.test(block.text.slice(0, 200))
        ? { ...block, injected: 'session-context' }
        : block,
    ),
  );
}

/** What the user saw may be what the user typed, or what a tool answered; then the content is the program's. */
function userBlocks(message: Fields, content: readonly Block[], tally: Tally): Block[] {
  const shown = message['displayContent'];
  if (shown === undefined || shown === null) return labelled(content);
  const display = partBlocks(shown, tally);
  const isSame = textsOf(display).join('\n') === textsOf(content).join('\n');
  if (isSame && display.every((block) => block.type === 'text')) return labelled(content);
  const isFeedback = display.some((block) => block.type === 'result');
  const label = isFeedback ? 'tool-feedback' : 'expanded-prompt';
  return [
    ...labelled(display),
    ...content.map((block): Block => (block.type === 'text' ? { ...block, injected: label } : block)),
  ];
}

function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function userDrafts(draft: Draft, answered: ReadonlySet<string>, tally: Tally): Draft[] {
  const blocks = draft.blocks.filter((block) => {
    const isKnown = block.type === 'result' && block.callId !== undefined && answered.has(block.callId);
    if (isKnown) tally.skip('result that stands with its call');
    return !isKnown;
  });
  return runsOf({ ...draft, blocks });
}

/** Summaries of what the model thought. */
function thoughts(message: Fields, tally: Tally): Block[] {
  const texts = listOf(message['thoughts']).map((value) => {
    const thought = fieldsOf(value);
    const parts = [thought?.['subject'], thought?.['description'] ?? value].map(wordOf);
    return parts.filter((part) => /\S/.test(part)).join('\n');
  });
  const told = texts.filter((text) => text !== '');
  if (texts.length > told.length) tally.skip('empty thinking', texts.length - told.length);
  return told.length === 0 ? [] : [{ type: 'reasoning', text: told.join('\n\n') }];
}

/** Calls first, then their results: the model made them all at once. */
function calls(message: Fields, tally: Tally): Block[] {
  const blocks: Block[] = [];
  const results: ResultBlock[] = [];
  for (const value of listOf(message['toolCalls'])) {
    const call = fieldsOf(value);
    if (call === undefined) {
      tally.unknown('tool call that is no object');
      continue;
    }
    blocks.push(
      defined<Block & { type: 'call' }>({
        type: 'call',
        callId: textOf(call['id']),
        name: textOf(call['name']) ?? '',
        input: call['args'] ?? {},
        intent: undefined,
      }),
    );
    const result = resultOf(call, tally);
    if (result !== undefined) results.push(result);
  }
  return [...blocks, ...results];
}

/** What went back to the model; else what the user saw; nothing for a call that has not ended. */
function resultOf(call: Fields, tally: Tally): ResultBlock | undefined {
  const status = wordOf(call['status']);
  const hasFailed = status === 'error' || status === 'cancelled';
  const parts = partBlocks(call['result'], tally);
  const responses = parts.filter((block) => block.type === 'result');
  const content: ResultContent = parts.flatMap((block): ResultContent => {
    if (block.type === 'result') return [...block.content];
    return block.type === 'text' || block.type === 'media' ? [block] : [];
  });
  if (content.length === 0) content.push(...displayed(call['resultDisplay']));
  if (content.length === 0 && status === 'cancelled') content.push({ type: 'text', text: 'cancelled' });
  const hasEnded = hasFailed || status === 'success' || responses.length > 0;
  if (content.length === 0 && !hasEnded) return undefined;
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(call['id']),
    content,
    failed: hasFailed || responses.some((block) => block.failed === true) || undefined,
  });
}

function displayed(display: unknown): ResultContent {
  if (display === undefined || display === null || display === '') return [];
  const shown = fieldsOf(display)?.['fileDiff'] ?? display;
  return typeof shown === 'string'
    ? [{ type: 'text', text: shown } satisfies TextBlock]
    : foreignContent(shown);
}
