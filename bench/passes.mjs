// A session of 40 passes, each with new history: `npm run bench:passes`. What stays the same from pass to pass, and what
// each pass costs with a prompt cache: the prefix that is unchanged is read, what follows is written.

import { predictTokens } from '../dist/billing/predict-tokens.js';
import { priceTokens } from '../dist/billing/prices.js';
import { archiveHistory, contextBlocks, createRenderer, rearchive } from '../dist/index.js';
import { corpusName, longHistory } from './corpus.mjs';

const model = 'claude-opus-4-8';
const passes = process.argv.includes('--quick') ? 6 : 40;
const { messages } = await longHistory(passes * 350_000 + 1_000_000);
const per = Math.floor(messages.length / (passes + 2));
const renderer = createRenderer({});
const options = { model, renderer };

let archive = await archiveHistory({ messages: messages.slice(0, per * 2) }, options);
let before = contextBlocks(archive);
const sum = { sameBytes: 0, bytes: 0, usd: 0, coldUsd: 0, layouts: 0 };
console.log(`corpus: ${corpusName}; ${model}, ${passes} passes of ${per} messages, 80 frames at most`);
console.log('pass  frames (hq + lq)  same bytes  cached tokens   new tokens       $  $ without cache    ms');
for (let pass = 1; pass <= passes; pass++) {
  const addition = { messages: messages.slice(per * (pass + 1), per * (pass + 2)) };
  const started = performance.now();
  const next = await rearchive(archive, addition, options);
  const ms = performance.now() - started;
  const blocks = contextBlocks(next);
  const prefix = samePrefix(before, blocks);
  const cached = predictTokens(blocks.slice(0, prefix), next.reader).tokens;
  const fresh = predictTokens(blocks.slice(prefix), next.reader).tokens;
  const usd = priceTokens(model, { contextTokens: cached + fresh, cacheRead: cached, cacheWrite: fresh }).usd;
  const coldUsd = priceTokens(model, { contextTokens: cached + fresh, input: cached + fresh }).usd;
  const known = new Set(archive.frames.map(({ sha256 }) => sha256));
  const same = next.frames.reduce(
    (total, frame) => total + (known.has(frame.sha256) ? frame.data.length : 0),
    0,
  );
  const isNew = next.layout.generation !== archive.layout.generation;
  const lq = next.frames.filter(({ tier }) => tier === 'lq').length;
  sum.sameBytes += same;
  sum.bytes += next.counts.bytes;
  sum.usd += usd;
  sum.coldUsd += coldUsd;
  sum.layouts += isNew ? 1 : 0;
  console.log(
    `${String(pass).padStart(4)}  ${`${next.frames.length} (${next.frames.length - lq} + ${lq})`.padEnd(16)}  ${`${Math.round((same / next.counts.bytes) * 100)} %`.padStart(10)}  ${String(cached).padStart(13)}  ${String(fresh).padStart(11)}  ${usd.toFixed(3).padStart(6)}  ${coldUsd.toFixed(3).padStart(15)}  ${ms.toFixed(0).padStart(5)}${isNew ? '  new layout' : ''}`,
  );
  archive = next;
  before = blocks;
}
await renderer.close();
console.log(
  `all   ${Math.round((sum.sameBytes / sum.bytes) * 100)} % of frame bytes as they were, ${sum.layouts} new layouts; $${sum.usd.toFixed(2)} with cache, $${sum.coldUsd.toFixed(2)} without`,
);

/** Blocks at the start that are the same. */
function samePrefix(a, b) {
  const same = (x, y) =>
    x?.type === y.type && (y.type === 'text' ? x.text === y.text : x.sha256 === y.sha256);
  let count = 0;
  while (count < b.length && same(a[count], b[count])) count++;
  return count;
}
