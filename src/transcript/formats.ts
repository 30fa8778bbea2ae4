/** The formats this package reads, in the order in which they are tried. A further one is one file and its line here. */
import { anthropicMessages } from './anthropic-messages.js';
import { atif } from './atif.js';
import { claudeCode } from './claude-code.js';
import { claudeStreamJson } from './claude-stream-json.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import { hermes } from './hermes.js';
import type { Importer } from './importer.js';
import { openaiChat } from './openai-chat.js';
import { openCode } from './opencode.js';
import { pi } from './pi.js';
import { openaiResponses } from './responses.js';
import { sharegpt } from './sharegpt.js';
import { text } from './text.js';

export const transcriptFormats: readonly Importer[] = [
  pi,
  openCode,
  codex,
  gemini,
  hermes,
  sharegpt,
  atif,
  claudeStreamJson,
  claudeCode,
  openaiResponses,
  anthropicMessages,
  openaiChat,
  text,
];
