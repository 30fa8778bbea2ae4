import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { History } from '../../src/history/history.js';
import { pairCalls } from '../../src/history/pairing.js';
import type { ImportReport } from '../../src/transcript/importer.js';
import { type ReadTranscriptOptions, readTranscript } from '../../src/transcript/read-transcript.js';
import { fixtureRoot } from './support.js';

interface Expectation {
  readonly options?: ReadTranscriptOptions;
  readonly format: string;
  readonly confidence: string;
  readonly sessionId?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly report: ImportReport;
  readonly messages: History['messages'];
}

const suffix = '.history.json';

for (const format of readdirSync(fixtureRoot)) {
  const files = readdirSync(`${fixtureRoot}${format}`);
  describe(`${format} fixtures`, () => {
    for (const expectation of files.filter((file) => file.endsWith(suffix))) {
      const stem = expectation.slice(0, -suffix.length);
      it(`reads ${stem} as the history beside it`, async () => {
        const source = files.find((file) => file.startsWith(`${stem}.`) && !file.endsWith(suffix));
        const text = readFileSync(`${fixtureRoot}${format}/${expectation}`, 'utf8');
        const { options, messages, ...rest } = JSON.parse(text) as Expectation;
        const read = await readTranscript(`${fixtureRoot}${format}/${source}`, options);
        const { history, bytes, name, sha256, ...described } = read;
        expect(described).toEqual(rest);
        expect(history.messages).toEqual(messages);
        expect(name).toBe(source);
        expect(bytes).toBe(readFileSync(`${fixtureRoot}${format}/${source}`).length);
        expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      });
    }
  });
}

describe('the real Claude Code session', () => {
  const path = `${fixtureRoot}claude-code/session.jsonl`;

  it('imports whole, with its subagent behind the call that started it', async () => {
    const { history, report, ...session } = await readTranscript(path);
    expect(session).toMatchObject({ format: 'claude-code', confidence: 'certain', model: 'claude-opus-4-6' });
    expect(history.messages).toHaveLength(357);
    expect(report).toMatchObject({ records: 604, broken: [], unknown: {}, warnings: [] });
    expect(report.skipped).toEqual({
      'file-history-snapshot': 13,
      progress: 91,
      'blank text': 4,
      'empty message': 4,
      'queue-operation': 1,
      'system/stop_hook_summary': 2,
      'system/turn_duration': 1,
      'file of the compaction agent': 1,
      'prompt of a subagent that its call holds': 1,
      'answer of a subagent that its result holds': 1,
    });
    const firstOfAgent = history.messages.findIndex((message) => message.agent === 'a7be2f0');
    const before = history.messages[firstOfAgent - 1];
    expect(before).toMatchObject({ role: 'tool', blocks: [{ type: 'result' }] });
    expect(history.messages.filter((message) => message.agent !== undefined)).toHaveLength(33);
  });

  it('has a compaction summary that is not taken for the user', async () => {
    const { history } = await readTranscript(path);
    const real = history.messages.filter((m) => m.role === 'user' && m.agent === undefined && !m.injected);
    expect(real).toHaveLength(1);
    expect(history.messages.some((m) => m.injected === 'compaction-summary')).toBe(true);
    expect(history.messages.some((m) => m.injected === 'task-notification')).toBe(true);
  });

  it('leaves fifteen calls without a result, where records were cut, and no result without a call', async () => {
    const { orphanCalls, orphanResults } = pairCalls((await readTranscript(path)).history);
    expect(orphanCalls.size).toBe(15);
    expect(orphanResults.size).toBe(0);
  });

  it('leaves subagents out when asked, and counts their files', async () => {
    const { history, report } = await readTranscript(path, { subagents: false });
    expect(history.messages.every((message) => message.agent === undefined)).toBe(true);
    expect(report.skipped['file of a subagent']).toBe(1);
  });
});
