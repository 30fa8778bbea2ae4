// For which readers frames of plain prose cost more than the prose: `npm run bench:prose`. No API: predicted tokens of
// one full frame of the reader's shape and of its dense companion, against the same text as text.

import { readFileSync } from 'node:fs';
import { estimateTextTokens } from '../dist/billing/text-tokens.js';
import {
  estimateImageTokens,
  getShape,
  readTranscript,
  resolveReader,
  serializeHistory,
  shapeGeometry,
} from '../dist/index.js';
import { printSegments } from '../dist/text/print.js';
import { transcriptPath } from './corpus.mjs';

const models = process.argv.slice(2);
const asked =
  models.length > 0
    ? models
    : [
        'claude-opus-4-8',
        'claude-sonnet-4-5',
        'gpt-5.5',
        'gpt-5.4',
        'gpt-4o',
        'gemini-3-pro',
        'gemini-2.5-pro',
        'kimi-k3',
        'glm-4.6v',
        'grok-4.5',
        'qwen3-vl',
        'deepseek-v4.1',
        'pixtral-large',
        'gpt-4.1-mini',
        'o4-mini',
        'gpt-4.1-nano',
        'gpt-4o-mini',
      ];

/** The assistant's and the user's own words, and everything else, of one real session. */
const segments = serializeHistory((await readTranscript(transcriptPath)).history);
const isProse = ({ part, scope }) => part === 'text' && scope !== 'think';
const texts = {
  prose: readFileSync(new URL('../LICENSE', import.meta.url), 'utf8'),
  'session text': printSegments(segments.filter(isProse), { coverage: () => 1 }).text,
  'tool output': printSegments(
    segments.filter(({ part }) => part === 'output'),
    { coverage: () => 1 },
  ).text,
};

console.log(
  'image tokens of a full frame, as a share of the same characters as text; under 100 % a frame pays',
);
console.log(
  `${'reader'.padEnd(20)}${'shape'.padEnd(12)}${Object.keys(texts)
    .map((name) => name.padStart(14))
    .join('')}`,
);
for (const model of asked) {
  const reader = resolveReader({ model });
  const { dense } = getShape(reader.shape);
  for (const shape of [reader.shape, ...(dense === null ? [] : [dense])]) {
    const { capacityCells, frameWidthPx, heightPx, rowsCells } = shapeGeometry(getShape(shape), reader.frame);
    const image = estimateImageTokens(reader.billing, {
      widthPx: frameWidthPx,
      heightPx: heightPx(rowsCells),
    }).tokens;
    const shares = Object.values(texts).map((text) => {
      const perChar = estimateTextTokens(text, reader.tokenizer) / text.length;
      return `${Math.round((image / (capacityCells * perChar)) * 100)} %`.padStart(14);
    });
    console.log(`${model.padEnd(20)}${shape.padEnd(12)}${shares.join('')}`);
  }
}
