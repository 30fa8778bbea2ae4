/** The side folder of a Claude Code session: one file per subagent, with a small file of links beside it. */
import type { ClaudeSession } from './claude-session.js';
import { fieldsOf, textOf } from './fields.js';
import type { SideFolder, Tally } from './importer.js';

const folder = 'subagents';
const agentFile = /^agent-(.+)\.jsonl$/;
const metaFile = /^agent-(.+)\.meta\.json$/;

/** Pushes every subagent's records into `session`, in the order of the file names. */
export async function readSubagentFiles(
  session: ClaudeSession,
  side: SideFolder,
  wanted: boolean,
  tally: Tally,
): Promise<void> {
  for (const name of await side.list(folder)) {
    const agent = agentFile.exec(name)?.[1];
    const linked = metaFile.exec(name)?.[1];
    if (linked !== undefined && wanted) {
      await side.read(`${folder}/${name}`, (value) => {
        const callId = textOf(fieldsOf(value)?.['toolUseId']);
        if (callId !== undefined) session.linkAgent(linked, callId);
      });
    }
    if (agent === undefined) continue;
    // The compactor reads the session and writes its summary; both stand in the session itself.
    if (agent.startsWith('acompact-')) tally.skip('file of the compaction agent');
    else if (!wanted) tally.skip('file of a subagent');
    else
      await side.read(`${folder}/${name}`, (value, line) =>
        session.record(value, `${agent}:line:${line}`, agent),
      );
  }
}
