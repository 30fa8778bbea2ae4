import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SnapcompactError } from '../../src/errors.js';
import { pairCalls } from '../../src/history/pairing.js';
import { transcriptFormats } from '../../src/transcript/formats.js';
import type { Importer } from '../../src/transcript/importer.js';
import { knownFormats } from '../../src/transcript/known-formats.js';
import { importValues as importAll } from './support.js';

/** Words that mean something to one importer or another, so that random records get past the first check. */
const words = [
  ...[
    'type',
    'user',
    'assistant',
    'system',
    'tool',
    'message',
    'content',
    'role',
    'text',
    'thinking',
    'tool_use',
  ],
  ...[
    'tool_result',
    'tool_use_id',
    'id',
    'uuid',
    'parentId',
    'parentUuid',
    'isSidechain',
    'agentId',
    'name',
    'input',
  ],
  ...[
    'progress',
    'attachment',
    'queued_command',
    'prompt',
    'result',
    'subtype',
    'init',
    'compact_boundary',
    'success',
  ],
  ...[
    'parent_tool_use_id',
    'session_id',
    'sessionId',
    'session',
    'compaction',
    'summary',
    'toolCall',
    'toolResult',
  ],
  ...[
    'arguments',
    'messages',
    'history',
    'choices',
    'tool_calls',
    'function',
    'function_call',
    'image',
    'image_url',
  ],
  ...[
    'url',
    'source',
    'data',
    'base64',
    'media_type',
    'document',
    'search_result',
    'archive',
    'targetId',
    'files',
  ],
  ...[
    'preserveData',
    'snapcompact',
    'frames',
    'error',
    'origin',
    'kind',
    'toolUseResult',
    'timestamp',
    '__proto__',
  ],
  ...['conversations', 'from', 'value', 'steps', 'observation', 'results', 'parts', 'functionCall'],
  ...['output', 'call_id', 'function_call_output', 'reasoning', '$set', '$rewindTo', 'gemini', 'active'],
  ...['info', 'parts', 'state', 'status', 'output', 'sessionID', 'parentID', 'messageID', 'revert'],
];

const key = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.string() },
);
const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...words, 'a', 'b', '', ' ') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, 1, 1767607201000, '2026-02-01T10:00:00Z'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: fc.double() as fc.Arbitrary<unknown> },
);
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));
/** Through JSON and back, as a reader would give it: `__proto__` becomes an ordinary key. */
const records = fc
  .array(jsonValue, { maxLength: 8 })
  .map((values) => JSON.parse(JSON.stringify(values)) as unknown[]);

/** Several sessions in one file are refused at the end; nothing else is thrown. */
async function importValues(...args: Parameters<typeof importAll>): ReturnType<typeof importAll> {
  return importAll(...args).catch((error: unknown) => {
    if (!(error instanceof SnapcompactError) || error.complaint.expected !== 'one session') throw error;
    const report = { records: 0, skipped: {}, unknown: { [error.message]: 1 }, broken: [], warnings: [] };
    return { history: { messages: [] }, report };
  });
}

function contract(importer: Importer): void {
  describe(`the importer of ${importer.name}`, () => {
    it('never throws, whatever the records, and gives unique ids and plain JSON', async () => {
      await fc.assert(
        fc.asyncProperty(records, fc.boolean(), fc.boolean(), async (values, branches, subagents) => {
          const { history } = await importValues(importer, values, { branches, subagents });
          const ids = history.messages.map((message) => message.id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(JSON.parse(JSON.stringify(history))).toEqual(history);
          for (const message of history.messages) {
            expect(message.blocks.length).toBeGreaterThan(0);
            if (message.role === 'tool')
              expect(message.blocks.every((block) => block.type === 'result')).toBe(true);
          }
          pairCalls(history);
        }),
        { numRuns: 400 },
      );
    });

    it('never throws while it detects', () => {
      fc.assert(
        fc.property(records, fc.string(), fc.boolean(), (values, head, document) => {
          expect(['no', 'probable', 'certain']).toContain(
            importer.detect({ records: values, jsonShare: document ? 1 : 0.4, head, document }),
          );
        }),
        { numRuns: 200 },
      );
    });

    it('does the same twice', async () => {
      await fc.assert(
        fc.asyncProperty(records, async (values) => {
          expect(await importValues(importer, values)).toEqual(await importValues(importer, values));
        }),
        { numRuns: 50 },
      );
    });

    if (importer.reads === 'records') {
      it('accounts for every record it gives no message for', async () => {
        await fc.assert(
          fc.asyncProperty(jsonValue, async (value) => {
            const { history, report } = await importValues(importer, [JSON.parse(JSON.stringify(value))]);
            const counted = Object.keys(report.skipped).length + Object.keys(report.unknown).length;
            const isSilent = history.messages.length === 0 && counted === 0;
            const isHeader =
              (value as { type?: unknown } | null)?.type === 'session' && importer.name === 'pi';
            const isEmptyList = JSON.stringify(value).includes('[]');
            expect(isSilent && !isHeader && !isEmptyList).toBe(false);
          }),
          { numRuns: 300 },
        );
      });
    }
  });
}

for (const importer of transcriptFormats) contract(importer);

describe('the formats that are known and not read', () => {
  it('never throw, whatever the records', () => {
    fc.assert(
      fc.property(records, (values) => {
        for (const known of knownFormats) {
          for (const value of values) expect(typeof known.marks(value)).toBe('boolean');
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the list of formats', () => {
  it('has names that are unique and fit a command line', () => {
    const names = transcriptFormats.map((importer) => importer.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z-]*$/);
  });
});
