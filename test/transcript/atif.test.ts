import { describe, expect, it } from 'vitest';
import { atif } from '../../src/transcript/atif.js';
import { importValues, jsonl, read } from './support.js';

const trajectory = (id: string, more: object = {}) => ({
  schema_version: 'ATIF-v1.7',
  session_id: id,
  steps: [{ step_id: 1, source: 'user', message: id }],
  ...more,
});

describe('trajectories of subagents', () => {
  const child = trajectory('b', { subagent_trajectories: [trajectory('c')] });
  const root = trajectory('a', { subagent_trajectories: [child] });

  it('follow, nested, even if no step refers to them', async () => {
    const { history } = await importValues(atif, [root]);
    expect(history.messages.map(({ id, agent }) => [id, agent])).toEqual([
      ['step:1', undefined],
      ['b/step:1', 'b'],
      ['c/step:1', 'c'],
    ]);
  });

  it('are left out when asked, and counted', async () => {
    const { history, report } = await importValues(atif, [root], { subagents: false });
    expect(history.messages).toHaveLength(1);
    expect(report.skipped).toEqual({ 'trajectory of a subagent': 1 });
  });
});

describe('a trajectory', () => {
  it('of a later version is read with a warning', async () => {
    const { report } = await importValues(atif, [trajectory('a', { schema_version: 'ATIF-v2.0' })]);
    expect(report.warnings).toEqual(['schema version ATIF-v2.0; read as ATIF-v1.7']);
  });

  it('is refused beside that of another session', async () => {
    await expect(read(jsonl(trajectory('a'), trajectory('b')))).rejects.toMatchObject({
      code: 'broken-input',
      complaint: { got: '2 sessions: a, b' },
    });
  });
});
