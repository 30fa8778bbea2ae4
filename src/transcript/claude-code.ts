/**
 * Claude Code session files: `<session>.jsonl` and its side folder, `<session>/subagents/` and `<session>/tool-results/`.
 *
 * File order is kept: walking `parentUuid` loses records. Copies are left out (`toolUseResult`, `progress`), and
 * so is the state of the program; both are tallied by kind.
 */

import { readOutputs } from './claude-outputs.js';
import { detectClaudeCode, passOverProgress } from './claude-records.js';
import { ClaudeSession } from './claude-session.js';
import { readSubagentFiles } from './claude-subagents.js';
import type { ImportContext, Imported, Importer, RecordSink } from './importer.js';

export const claudeCode: Importer = {
  name: 'claude-code',
  title: 'a Claude Code session',
  reads: 'records',
  detect: detectClaudeCode,
  open: (context) => new ClaudeCodeSink(context),
  passOver: passOverProgress,
};

class ClaudeCodeSink implements RecordSink {
  readonly #context: ImportContext;
  readonly #session: ClaudeSession;

  constructor(context: ImportContext) {
    this.#context = context;
    this.#session = new ClaudeSession(context.tally, context.options.subagents);
  }

  record(value: unknown, line: number): void {
    this.#session.record(value, `line:${line}`);
  }

  async finish(): Promise<Imported> {
    const { side, options, tally } = this.#context;
    if (side !== undefined) await readSubagentFiles(this.#session, side, options.subagents, tally);
    await readOutputs(this.#session.drafts(), side, tally);
    const missing = side !== undefined && options.subagents ? this.#session.missingAgents() : [];
    if (missing.length > 0)
      tally.warn(
        `no file of ${missing.length} subagents in the side folder: ${missing.slice(0, 5).join(', ')}`,
      );
    return this.#session.finish();
  }
}
