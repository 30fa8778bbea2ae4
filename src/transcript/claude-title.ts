/** The name of a Claude Code session: what the user gave it, else what the agent did, else the first prompt. */
import type { Message } from '../history/history.js';
import { firstLine } from './draft.js';
import { type Fields, textOf } from './fields.js';

const maxTitleChars = 200;
const maxPromptChars = 80;

export class ClaudeTitle {
  #custom: string | undefined;
  #agentName: string | undefined;
  #generated: string | undefined;
  readonly #summaries: { readonly text: string; readonly leaf: string | undefined }[] = [];

  /** A later record of the same kind wins. */
  record(type: string, record: Fields): void {
    if (type === 'custom-title') this.#custom = textOf(record['customTitle']) ?? this.#custom;
    else if (type === 'agent-name') this.#agentName = textOf(record['agentName']) ?? this.#agentName;
    else if (type === 'ai-title') this.#generated = textOf(record['aiTitle']) ?? this.#generated;
    else {
      const text = textOf(record['summary']);
      if (text !== undefined) this.#summaries.push({ text, leaf: textOf(record['leafUuid']) });
    }
  }

  /** A summary counts only if its leaf is in this file: sessions carry summaries of other sessions. */
  best(messages: readonly Message[], isOwn: (uuid: string) => boolean): string | undefined {
    const summary = this.#summaries.findLast(({ leaf }) => leaf !== undefined && isOwn(leaf))?.text;
    const named = this.#custom ?? this.#agentName ?? this.#generated ?? summary;
    if (named !== undefined) return firstLine(named, maxTitleChars);
    for (const { role, injected, blocks } of messages) {
      if (role !== 'user' || injected !== undefined) continue;
      const own = blocks.find((block) => block.type === 'text' && !block.injected && /\S/.test(block.text));
      if (own?.type === 'text') return firstLine(own.text, maxPromptChars);
    }
    return undefined;
  }
}
