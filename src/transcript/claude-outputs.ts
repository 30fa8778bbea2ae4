/**
 * Outputs that Claude Code found too long for the session file: the result holds a preview, the whole lies in the
 * session's own `tool-results/` folder.
 */
import type { Block, ResultBlock, TextBlock } from '../history/history.js';
import type { Draft } from './draft.js';
import type { SideFolder, Tally } from './importer.js';
import type { ResultContent } from './result-content.js';

const folder = 'tool-results';
const maxBytes = 16 * 2 ** 20;
const preview = /^\s*<persisted-output>/;
const savedTo = /[/\\]tool-results[/\\]([A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\.(?:txt|json))\b/;

/** Puts the whole outputs in the place of their previews; a preview whose file is not there is kept and tallied. */
export async function readOutputs(
  drafts: readonly Draft[],
  side: SideFolder | undefined,
  tally: Tally,
): Promise<void> {
  for (const { role, blocks } of drafts) {
    if (role !== 'tool') continue;
    for (const [i, block] of blocks.entries()) {
      if (block.type === 'result' && block.content.some(isPreview))
        blocks[i] = await withOutput(block, side, tally);
    }
  }
}

async function withOutput(block: ResultBlock, side: SideFolder | undefined, tally: Tally): Promise<Block> {
  const content: ResultContent = [];
  for (const part of block.content) {
    const name = isPreview(part) ? savedTo.exec(part.text.slice(0, 4000))?.[1] : undefined;
    const whole = name && (await side?.readText(`${folder}/${name}`, maxBytes));
    if (isPreview(part) && !whole) tally.skip('output of which a preview is left');
    content.push(whole ? { type: 'text', text: whole } : part);
  }
  return { ...block, content };
}

function isPreview(part: Block): part is TextBlock {
  return part.type === 'text' && preview.test(part.text.slice(0, 200));
}
