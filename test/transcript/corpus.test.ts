import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { corpusRoot, filesBelow, hasCorpus } from './support.js';

/** Messages, calls and results that a real transcript must give; counted once, and looked at. */
const expected: Readonly<
  Record<string, readonly [format: string, messages: number, calls: number, results: number]>
> = {
  'anthropic-messages/testem.json': ['anthropic-messages', 183, 91, 91],
  'atif/onedump.json': ['atif', 59, 35, 35],
  'claude-code-jsonl/spotter-8463c716.jsonl': ['claude-code', 374, 196, 196],
  'claude-code-jsonl/spotter-8463c716/subagents/agent-a7be2f0.jsonl': ['claude-code', 35, 19, 19],
  'claude-code-jsonl/spotter-8463c716/subagents/agent-acompact-f46190.jsonl': ['claude-code', 7, 0, 0],
  'claude-code-jsonl/vct-cjk.jsonl': ['claude-code', 75, 31, 31],
  'claude-stream-json/happy-dom-io.txt': ['claude-stream-json', 271, 129, 129],
  'claude-stream-json/koota-pair-error.txt': ['claude-stream-json', 1, 0, 0],
  'claude-stream-json/testem.txt': ['claude-stream-json', 188, 91, 91],
  'codex/as-schema-coverage.jsonl': ['codex', 68, 14, 14],
  'codex/vct-cjk.jsonl': ['codex', 53, 21, 21],
  'codex/vct-cjk.jsonl.zst': ['codex', 53, 21, 21],
  'gemini/as-legacy.json': ['gemini', 9, 2, 2],
  'gemini/vct-cjk.jsonl': ['gemini', 16, 12, 12],
  'hermes/as-session-log.json': ['hermes', 5, 1, 1],
  'markdown/specstory-claude-boxes.md': ['text', 5, 0, 0],
  'markdown/spotter-terminal.txt': ['text', 1, 0, 0],
  'openai-chat/swe-agent-history-crlf.json': ['openai-chat', 28, 13, 13],
  'openai-chat/tau-airline-task.json': ['openai-chat', 62, 20, 20],
  'opencode/export-diagnostics.json': ['opencode', 9, 3, 3],
  'opencode/messages-cjk.json': ['opencode', 10, 6, 6],
  'openai-responses/vct-items.json': ['openai-responses', 49, 19, 19],
  'opencode/opencode.db': ['opencode', 9, 3, 3],
  'pi/as-v3-small.jsonl': ['pi', 7, 0, 0],
  'pi/large-session-v1.jsonl': ['pi', 915, 391, 373],
  'pi/tree-v3-derived.jsonl': ['pi', 152, 83, 67],
};

const several = ['hermes/export-dev.jsonl', 'hermes/sharegpt-dev.jsonl'];

/** The files of a storage folder are read from the folder. */
const unread = /^opencode\/storage\//;

describe.skipIf(!hasCorpus)('real transcripts', () => {
  const files = hasCorpus ? filesBelow(corpusRoot).map((file) => file.slice(corpusRoot.length)) : [];

  for (const file of files.filter(
    (name) => !unread.test(name) && !several.includes(name) && basename(name) !== 'README.md',
  )) {
    it(`imports ${file} without anything unknown or broken`, async () => {
      const { format, confidence, history, report } = await readTranscript(corpusRoot + file);
      const blocks = history.messages.flatMap((message) => message.blocks);
      const calls = blocks.filter((block) => block.type === 'call').length;
      const results = blocks.filter((block) => block.type === 'result').length;
      expect(report).toMatchObject({ unknown: {}, broken: [], warnings: [] });
      expect(confidence).toBe('certain');
      expect([format, history.messages.length, calls, results]).toEqual(expected[file]);
    });
  }

  for (const file of several) {
    it(`refuses ${file}, which holds six sessions`, async () => {
      const refusal = readTranscript(corpusRoot + file);
      await expect(refusal).rejects.toMatchObject({ code: 'broken-input', exitCode: 3 });
      await expect(refusal).rejects.toThrow(/6 sessions: .*, and 1 more/);
    });
  }
});
