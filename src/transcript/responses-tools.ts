/**
 * Calls and results among the items of the Responses API. Tools that the API runs itself record both in one item;
 * all the others give two items that share a `call_id`.
 */
import type { CallBlock, ResultBlock } from '../history/history.js';
import { defined, type Fields, fieldsOf, fromJsonText, listOf, printedOf, textOf, wordOf } from './fields.js';
import { inlineMedia, linkedMedia } from './media.js';
import { type ResultContent, resultContent } from './result-content.js';

type PartReader = (part: Fields) => ResultContent | undefined;

/** What the call asks for: the first of these fields that is there. */
const inputFields: Readonly<Record<string, readonly string[]>> = {
  function_call: ['arguments'],
  custom_tool_call: ['input'],
  tool_search_call: ['arguments'],
  local_shell_call: ['action'],
  shell_call: ['action'],
  apply_patch_call: ['operation'],
  computer_call: ['action', 'actions'],
  web_search_call: ['action'],
  file_search_call: ['queries'],
  code_interpreter_call: ['code'],
  image_generation_call: ['revised_prompt'],
  mcp_call: ['arguments'],
};

/** Types whose result stands in the call. */
const selfContained: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

/** The call of an item; undefined if it makes none. */
export function toolCall(item: Fields, type: string): CallBlock | undefined {
  const isApproval = type === 'mcp_approval_request';
  const fields = Object.hasOwn(inputFields, type) ? inputFields[type] : undefined;
  if (fields === undefined && !isApproval) return undefined;
  const stated = fields?.map((key) => item[key]).find((value) => value !== undefined && value !== null);
  return defined<CallBlock>({
    type: 'call',
    callId: callIdOf(item),
    name: isApproval ? type : nameOf(item, type),
    input: (isApproval ? approvalInput(item) : inputOf(stated, type)) ?? {},
    intent: undefined,
  });
}

function inputOf(stated: unknown, type: string): unknown {
  if (type === 'function_call' || type === 'mcp_call') return fromJsonText(stated);
  const action = type === 'web_search_call' ? fieldsOf(stated) : undefined;
  if (action === undefined) return stated;
  // What was found is the result.
  const { sources, ...asked } = action;
  return asked;
}

/** The call itself comes in an item of its own, once the user agrees. */
function approvalInput(item: Fields): unknown {
  return { tool: nameOf(item, 'mcp_call'), arguments: fromJsonText(item['arguments']) ?? {} };
}

/** The result of an item; undefined if it holds none. */
export function toolResult(item: Fields, type: string, partBlocks: PartReader): ResultBlock | undefined {
  const isApproval = type === 'mcp_approval_response';
  const isOutput = /_call_output$/.test(type);
  if (!isOutput && !isApproval && !selfContained.has(type)) return undefined;
  const wrapped = isOutput ? wrappedOutput(item['output']) : undefined;
  const content = isApproval
    ? approval(item)
    : isOutput
      ? resultContent(wrapped?.text ?? item['output'], (part) => partBlocks(part) ?? shellOutput(part))
      : ownResult(item, type, partBlocks);
  const failed = item['status'] === 'failed' || wrapped?.failed === true || hasError(item);
  return defined<ResultBlock>({
    type: 'result',
    callId: isApproval ? textOf(item['approval_request_id']) : callIdOf(item),
    name: isOutput ? textOf(item['name']) : undefined,
    content,
    failed: failed || undefined,
  });
}

function callIdOf(item: Fields): string | undefined {
  return textOf(item['call_id']) ?? textOf(item['id']);
}

function hasError(item: Fields): boolean {
  return item['error'] !== undefined && item['error'] !== null;
}

function nameOf(item: Fields, type: string): string {
  const name = textOf(item['name']) ?? type.replace(/_call$/, '');
  const server = textOf(item['server_label']);
  return server === undefined ? name : `mcp__${server}__${name}`;
}

/** Codex hands the output of its shell over as JSON text with the exit code beside it. */
function wrappedOutput(output: unknown): { text: string; failed: boolean } | undefined {
  if (typeof output !== 'string' || !output.startsWith('{"output":')) return undefined;
  const wrapper = fieldsOf(fromJsonText(output));
  const metadata = fieldsOf(wrapper?.['metadata']);
  const text = wrapper?.['output'];
  if (metadata === undefined || typeof text !== 'string') return undefined;
  const exit = metadata['exit_code'];
  return { text, failed: typeof exit === 'number' && exit !== 0 };
}

/** One command of the shell tool: what it printed and how it ended. */
function shellOutput(part: Fields): ResultContent | undefined {
  if (!('stdout' in part || 'stderr' in part)) return undefined;
  const outcome = fieldsOf(part['outcome']);
  const exit = outcome?.['exit_code'];
  const end =
    outcome?.['type'] === 'timeout'
      ? 'Timed out'
      : typeof exit === 'number' && exit !== 0
        ? `Exit code ${exit}`
        : '';
  return [part['stdout'], part['stderr'], end].flatMap(texts);
}

function ownResult(item: Fields, type: string, partBlocks: PartReader): ResultContent {
  switch (type) {
    case 'web_search_call':
      return listOf(fieldsOf(item['action'])?.['sources']).flatMap((source) =>
        texts(fieldsOf(source)?.['url'] ?? source),
      );
    case 'file_search_call':
      return listOf(item['results']).flatMap(foundFile);
    case 'code_interpreter_call':
      return listOf(item['outputs']).flatMap(interpreterOutput);
    case 'image_generation_call': {
      const format = textOf(item['output_format']);
      return typeof item['result'] === 'string'
        ? [inlineMedia('image', item['result'], format && `image/${format}`)]
        : [];
    }
  }
  const error = hasError(item) ? texts(fieldsOf(item['error'])?.['message'] ?? item['error']) : [];
  return [...resultContent(item['output'], partBlocks), ...error];
}

function foundFile(value: unknown): ResultContent {
  const found = fieldsOf(value);
  return found === undefined ? texts(value) : [...texts(found['filename']), ...texts(found['text'])];
}

function interpreterOutput(value: unknown): ResultContent {
  const output = fieldsOf(value);
  if (output?.['type'] === 'image') return [linkedMedia('image', output['url'])];
  return texts(output?.['logs'] ?? value);
}

function approval(item: Fields): ResultContent {
  const answer = item['approve'] === true ? 'approved' : 'denied';
  const reason = wordOf(item['reason']);
  return texts(reason === '' ? answer : `${answer}: ${reason}`);
}

function texts(value: unknown): ResultContent {
  if (value === undefined || value === null || value === '') return [];
  return [{ type: 'text', text: printedOf(value) }];
}
