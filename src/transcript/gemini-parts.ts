/** Parts of the Gemini API. They have no type; a part is what its one key says. */
import type { Block, CallBlock, MediaBlock, ResultBlock } from '../history/history.js';
import { defined, type Fields, fieldsOf, listOf, printedOf, textOf, wordOf } from './fields.js';
import type { Tally } from './importer.js';
import { inlineMedia, linkedMedia } from './media.js';
import { foreignContent, type ResultContent } from './result-content.js';

/** A string, a part, or a list of both. */
export function partBlocks(content: unknown, tally: Tally): Block[] {
  if (content === undefined || content === null) return [];
  const list = Array.isArray(content) ? content : [content];
  return list.flatMap((value) => partBlock(value, tally));
}

function partBlock(value: unknown, tally: Tally): Block[] {
  if (typeof value === 'string') return text(value);
  const part = fieldsOf(value);
  if (part === undefined) {
    tally.unknown('part that is no object');
    return [];
  }
  const blocks = blocksOf(part, tally);
  if (blocks !== undefined) return blocks;
  const keys = Object.keys(part).filter((key) => key !== 'thoughtSignature');
  if (keys.length === 0) tally.skip('part without content');
  else tally.unknown(`part/${keys[0]}`);
  return [];
}

function blocksOf(part: Fields, tally: Tally): Block[] | undefined {
  const [call, response, data, file, code, output] = [
    ...['functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode'],
    'codeExecutionResult',
  ].map((key) => fieldsOf(part[key]));
  if (typeof part['text'] === 'string') {
    if (part['thought'] !== true) return text(part['text']);
    if (/\S/.test(part['text'])) return [{ type: 'reasoning', text: part['text'] }];
    tally.skip('empty thinking');
    return [];
  }
  if (call !== undefined) return [callOf(call)];
  if (response !== undefined) return [functionResponse(response)];
  if (data !== undefined) return [mediaOf(data)];
  if (file !== undefined) return [mediaOf(file)];
  if (code !== undefined) return [{ type: 'call', name: 'code_execution', input: code['code'] ?? {} }];
  if (output === undefined) return undefined;
  const failed = wordOf(output['outcome']) !== 'OUTCOME_OK' || undefined;
  return [defined<ResultBlock>({ type: 'result', content: text(output['output']), failed })];
}

function callOf(call: Fields): CallBlock {
  return defined<CallBlock>({
    type: 'call',
    callId: textOf(call['id']),
    name: textOf(call['name']) ?? '',
    input: call['args'] ?? {},
    intent: undefined,
  });
}

function functionResponse(response: Fields): ResultBlock {
  const answer = fieldsOf(response['response']);
  const isError = answer !== undefined && 'error' in answer && !('output' in answer);
  const media = listOf(response['parts']).flatMap((value): MediaBlock[] => {
    const data = fieldsOf(fieldsOf(value)?.['inlineData'] ?? fieldsOf(value)?.['fileData']);
    return data === undefined ? [] : [mediaOf(data)];
  });
  return defined<ResultBlock>({
    type: 'result',
    callId: textOf(response['id']),
    name: textOf(response['name']),
    content: [...answered(response['response']), ...media],
    failed: isError || undefined,
  });
}

/** Tools answer with `output` or `error`; whatever else there is, is kept as JSON text. */
function answered(value: unknown): ResultContent {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return text(value);
  const answer = fieldsOf(value);
  const keys = answer === undefined ? [] : Object.keys(answer);
  const inner = keys.length === 1 ? (answer?.['output'] ?? answer?.['error']) : undefined;
  if (typeof inner === 'string') return text(inner);
  return foreignContent(inner ?? value);
}

/** `inlineData` holds base64, `fileData` a link. */
function mediaOf(data: Fields): MediaBlock {
  const mime = textOf(data['mimeType']);
  const kind = /^(image|audio|video)\//.exec(mime ?? '')?.[1] as MediaBlock['kind'] | undefined;
  const name = data['displayName'];
  return 'data' in data
    ? inlineMedia(kind ?? 'file', data['data'], mime, name)
    : linkedMedia(kind ?? 'file', data['fileUri'] ?? name, mime);
}

function text(value: unknown): (Block & { type: 'text' })[] {
  return value === undefined || value === null || value === ''
    ? []
    : [{ type: 'text', text: printedOf(value) }];
}

/** Ids of calls whose result is recorded with them. */
export function answeredCalls(messages: readonly Fields[]): Set<string> {
  const ids = messages
    .flatMap((message) => listOf(message['toolCalls']))
    .map(fieldsOf)
    .filter((call) => listOf(call?.['result']).length > 0)
    .map((call) => textOf(call?.['id']));
  return new Set(ids.filter((id) => id !== undefined));
}
