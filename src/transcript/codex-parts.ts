/** What Codex items are made of: parts of content, text that a program put into a user turn, outputs of tools. */
import type { Block, ResultBlock, TextBlock } from '../history/history.js';
import { defined, type Fields, fieldsOf, fromJsonText, textOf } from './fields.js';
import type { Tally } from './importer.js';
import { splitInjected } from './injected-text.js';
import { encryptedMedia, inlineMedia, linkedMedia } from './media.js';
import { type ResultContent, resultContent } from './result-content.js';

export function codexText(text: unknown): TextBlock[] {
  return typeof text === 'string' && /\S/.test(text) ? [{ type: 'text', text }] : [];
}

/** A string, or parts. */
export function codexContent(content: unknown, tally: Tally): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return codexText(content);
  if (!Array.isArray(content)) {
    tally.unknown('content that is neither text nor parts');
    return [];
  }
  return content.flatMap((value): Block[] => {
    if (typeof value === 'string') return codexText(value);
    const part = fieldsOf(value);
    const blocks = part && codexPart(part);
    if (blocks === undefined) tally.unknown(`part/${textOf(part?.['type']) ?? 'untyped'}`);
    return blocks ?? [];
  });
}

/** Items, the events of several versions and the protocol of MCP each spell their parts in their own way. */
export function codexPart(part: Fields): ResultContent | undefined {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'inputText':
    case 'text':
    case 'Text':
      return typeof part['text'] === 'string' ? codexText(part['text']) : undefined;
    case 'refusal':
      return codexText(part['refusal']);
    case 'input_image':
    case 'inputImage':
    case 'image':
    case 'local_image':
    case 'localImage':
      return [imageOf(part)];
    case 'input_audio':
    case 'audio': {
      const audio = fieldsOf(part['input_audio']) ?? part;
      return [inlineMedia('audio', audio['data'] ?? audio['audio_url'], audio['mimeType'])];
    }
    case 'input_file':
      return 'file_data' in part
        ? [inlineMedia('file', part['file_data'], undefined, part['filename'])]
        : [linkedMedia('file', part['filename'] ?? part['file_url'] ?? part['file_id'])];
    case 'encrypted_content':
      return [encryptedMedia(part['encrypted_content'])];
  }
  return undefined;
}

function imageOf(part: Fields): ResultContent[number] {
  if (typeof part['data'] === 'string') return inlineMedia('image', part['data'], part['mimeType']);
  const url = part['image_url'] ?? part['imageUrl'] ?? part['url'] ?? part['path'] ?? part['file_id'];
  return linkedMedia('image', fieldsOf(url)?.['url'] ?? url);
}

/** What Codex and its editors write into user turns, by how it begins. What has tags of its own is found by these. */
const injectedHeads: readonly (readonly [head: RegExp, label: string])[] = [
  [/^\s*# AGENTS\.md\b/, 'user-instructions'],
  [/^\s*<INSTRUCTIONS>/, 'user-instructions'],
  [/^\s*<(?:permissions instructions|collaboration_mode|personality_spec|model_switch)>/, 'developer'],
  [/^\s*<skill>/, 'skill'],
  [/^\s*<user_shell_command>/, 'local-command'],
  [/^\s*<user_action>/, 'user-action'],
  [/^\s*<subagent_notification>/, 'task-notification'],
];

const ideContext = /^\s*# Context from my IDE setup:/;
const requestHeading = /^## My request for Codex:[ \t]*\r?$/m;

/** The text of a user turn, with what a program put there set apart. */
export function codexUserText(text: string): TextBlock[] {
  const head = injectedHeads.find(([pattern]) => pattern.test(text.slice(0, 200)));
  if (head !== undefined) return [{ type: 'text', text, injected: head[1] }];
  const request = ideContext.test(text.slice(0, 200)) ? requestHeading.exec(text) : null;
  if (request === null) return splitInjected(text);
  const at = request.index + request[0].length;
  const context: TextBlock = { type: 'text', text: text.slice(0, at), injected: 'ide-context' };
  return [context, ...splitInjected(text.slice(at).replace(/^\n/, '')).flatMap(nonBlank)];
}

function nonBlank(block: TextBlock): TextBlock[] {
  return /\S/.test(block.text) ? [block] : [];
}

export type CodexOutput = Pick<ResultBlock, 'content' | 'failed'>;

/** A string, parts, an object of the first versions, or any of these as JSON in a string. */
export function codexOutput(output: unknown): CodexOutput {
  if (typeof output === 'string') return textOutput(output);
  const fields = fieldsOf(output);
  if (fields !== undefined && !('type' in fields) && ('content' in fields || 'content_items' in fields)) {
    const content = resultContent(fields['content_items'] ?? fields['content'], codexPart);
    return defined<CodexOutput>({ content, failed: isFailure(fields) || undefined });
  }
  return { content: resultContent(output, codexPart) };
}

export function isFailure(fields: Fields): boolean {
  return fields['success'] === false || fields['isError'] === true || fields['is_error'] === true;
}

/** The lines in front of what a command printed. They stay: the model read them, too. */
const exitLine =
  /^(?:(?:Chunk ID|Wall time)[^\n]*\n){0,4}(?:Process exited with code|Exit code:) (-?\d{1,10})\r?$/m;

function textOutput(text: string): CodexOutput {
  const wrapped = wrappedOutput(text);
  if (wrapped !== undefined) return wrapped;
  const exit = exitLine.exec(text.slice(0, 400));
  const failed = exit?.index === 0 && Number(exit[1]) !== 0;
  return defined<CodexOutput>({ content: resultContent(text, codexPart), failed: failed || undefined });
}

/** Only these wrappings are opened; any other JSON is what the tool printed. */
function wrappedOutput(text: string): CodexOutput | undefined {
  if (!/^\s*(?:\{\s*"(?:output|metadata|content|_meta)"|\[\s*\{\s*"type")/.test(text.slice(0, 200)))
    return undefined;
  const value = fromJsonText(text);
  const fields = fieldsOf(value);
  if (fields === undefined)
    return Array.isArray(value) && value.every(isPart) ? codexOutput(value) : undefined;
  if (Array.isArray(fields['content']) && fields['content'].every(isPart)) return codexOutput(fields);
  const isShell = Object.keys(fields).every((key) => key === 'output' || key === 'metadata');
  if (!isShell || typeof fields['output'] !== 'string') return undefined;
  const exit = fieldsOf(fields['metadata'])?.['exit_code'];
  return exitOutput(fields['output'], exit);
}

/** The output of a command, and how it ended unless well. */
export function exitOutput(output: string, exit: unknown): CodexOutput {
  const content = resultContent(output, codexPart);
  if (typeof exit !== 'number' || exit === 0) return { content };
  return { content: [...content, { type: 'text', text: `Exit code ${exit}` }], failed: true };
}

function isPart(value: unknown): boolean {
  const part = fieldsOf(value);
  return part !== undefined && codexPart(part) !== undefined;
}
