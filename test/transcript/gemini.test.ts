import { describe, expect, it } from 'vitest';
import { gemini } from '../../src/transcript/gemini.js';
import { importValues } from './support.js';

const header = { sessionId: 'g', projectHash: 'h' };
const user = (id: string) => ({ id, type: 'user', content: id });

async function idsOf(records: readonly unknown[], branches = false): Promise<(string | undefined)[][]> {
  const { history } = await importValues(gemini, records, { branches });
  return history.messages.map(({ id, branch }) => (branch === undefined ? [id] : [id, branch]));
}

describe('messages of a Gemini CLI session', () => {
  it('are said once, in the place of the first version', async () => {
    const later = { ...user('a'), content: 'changed' };
    const { history, report } = await importValues(gemini, [header, user('a'), user('b'), later]);
    expect(history.messages.map(({ blocks }) => blocks)).toEqual([
      [{ type: 'text', text: 'changed' }],
      [{ type: 'text', text: 'b' }],
    ]);
    expect(report.skipped['earlier version of a message']).toBe(1);
  });

  it('are dropped by a rewind, and come back as a branch if asked for', async () => {
    const records = [header, user('a'), user('b'), user('c'), { $rewindTo: 'b' }, user('b'), user('d')];
    expect(await idsOf(records)).toEqual([['a'], ['rewind:5'], ['b'], ['d']]);
    expect(await idsOf(records, true)).toEqual([
      ...[['a'], ['rewind:5'], ['b'], ['d']],
      ...[
        ['b#2', 'c'],
        ['c', 'c'],
      ],
    ]);
    const { report } = await importValues(gemini, records);
    expect(report.skipped['message that was rewound']).toBe(2);
  });

  it('are all dropped by a rewind to one that is not there', async () => {
    expect(await idsOf([header, user('a'), { $rewindTo: 'x' }, user('b')])).toEqual([['rewind:3'], ['b']]);
    const { report } = await importValues(gemini, [header, { $rewindTo: 'x' }]);
    expect(report.skipped['rewind of nothing']).toBe(1);
  });

  it('are kept apart where a second session begins', async () => {
    const records = [header, user('a'), header, { sessionId: 'g2', projectHash: 'h' }, user('b')];
    expect(await idsOf(records)).toEqual([['a'], ['session:4'], ['b']]);
  });
});
