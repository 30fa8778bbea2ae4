// What frame, byte and window budgets keep of a session: `npm run bench:budgets`. Plans only, no API, nothing painted.
// One row per session, reader and budget; --json prints the rows as JSON. Kept: share of the source's characters.
import { inputOf } from '../dist/archive/archive-history.js';
import { ASSUMED_BYTES_PER_PIXEL, planBuild } from '../dist/archive/build-archive.js';
import { treatments } from '../dist/archive/degrade.js';
import { pixelsOf } from '../dist/archive/middle-page.js';
import { bindingOf } from '../dist/archive/plan.js';
import { segmentChars, segmentKind } from '../dist/text/segment.js';
import { corpusHistories, corpusName, longHistory } from './corpus.mjs';

const readers = ['claude-opus-4-8', 'gpt-5.5', 'gemini-3-pro'];
const budgets = [
  ...[5, 17, 40, 80].map((frames) => [`${frames} frames`, { maxFrames: frames }]),
  ...[0.6, 3, 18].map((mb) => [`${mb} MB`, { maxBytes: mb * 1e6 }]),
  ...[128_000, 200_000, 1_000_000].map((tokens) => [`${tokens / 1000}k window`, { windowTokens: tokens }]),
];
const kinds = ['user', 'answer', 'reasoning', 'call', 'output'];
const isQuick = process.argv.includes('--quick');
const asJson = process.argv.includes('--json');

const [first] = await corpusHistories();
const sessions = [
  ['one session', first],
  ['3 MB', await longHistory(3_000_000)],
  ...(isQuick ? [] : [['12 MB', await longHistory(12_000_000)]]),
];

/** Characters of the source that are printed, and all of them, summed by a key of the segment. */
function keptShares({ segments, settings }, plan, keyOf) {
  const treatment = treatments(segments, plan.layout.degradation, plan.middle.pinned);
  const sums = new Map();
  segments.forEach((segment, index) => {
    const chars = segmentChars(segment);
    const treated = treatment(index);
    const caps = { output: settings.caps.outputChars, call: settings.caps.callChars };
    const cap = Math.min(caps[segment.part] ?? Infinity, typeof treated === 'number' ? treated : Infinity);
    const sum = sums.get(keyOf(segment, index)) ?? { kept: 0, all: 0 };
    sum.kept += treated === 'drop' ? 0 : Math.min(chars, cap);
    sum.all += chars;
    sums.set(keyOf(segment, index), sum);
  });
  return Object.fromEntries([...sums].map(([key, { kept, all }]) => [key, all === 0 ? 1 : kept / all]));
}

async function measure(name, history, model, [budget, limits]) {
  const input = await inputOf(history, { model, ...limits }, 'archive');
  const started = performance.now();
  const plan = await planBuild(input).catch((error) => ({ refused: error.code }));
  const ms = performance.now() - started;
  if (plan.refused !== undefined) return { name, model, budget, ms, refused: plan.refused };
  const frames = plan.middle.pages.filter((page) => page.as === 'frame');
  const pixels = frames.reduce((sum, { page, format }) => sum + pixelsOf(page, format), 0);
  const count = input.segments.length;
  return {
    name,
    model,
    budget,
    hq: frames.filter(({ tier }) => tier === 'hq').length,
    lq: frames.filter(({ tier }) => tier === 'lq').length,
    byKind: keptShares(input, plan, segmentKind),
    byAge: keptShares(input, plan, (_, index) => Math.floor((index / count) * 3)),
    tokens: plan.tokens,
    bytes: Math.round(pixels * ASSUMED_BYTES_PER_PIXEL),
    binding: bindingOf(plan.middle),
    ms,
  };
}

const rows = [];
for (const [name, history] of sessions) {
  for (const model of readers) {
    for (const budget of budgets) rows.push(await measure(name, history, model, budget));
  }
}

if (asJson) console.log(JSON.stringify(rows, null, 2));
else {
  const percent = (share) => (share === undefined ? '–' : `${Math.round(share * 100)}`).padStart(4);
  console.log(
    `corpus: ${corpusName}. Kept in % of the source: by kind, then by age (oldest, middle, newest third).`,
  );
  console.log(
    `${'session'.padEnd(12)}${'reader'.padEnd(17)}${'budget'.padEnd(14)}  hq  lq ${kinds.map((kind) => kind.slice(0, 5).padStart(5)).join('')}   old  mid  new   tokens      bytes  binding           plan`,
  );
  for (const row of rows) {
    const start = `${row.name.padEnd(12)}${row.model.padEnd(17)}${row.budget.padEnd(14)}`;
    if (row.refused !== undefined) console.log(`${start}  refused: ${row.refused}`);
    else {
      const { limit, frames, needed } = row.binding;
      const bound = needed > frames ? `${limit} ${frames} of ${needed}` : `none (${limit})`;
      console.log(
        `${start}${String(row.hq).padStart(4)}${String(row.lq).padStart(4)} ${kinds.map((kind) => ` ${percent(row.byKind[kind])}`).join('')} ${[0, 1, 2].map((age) => ` ${percent(row.byAge[age])}`).join('')} ${String(row.tokens).padStart(8)} ${String(row.bytes).padStart(10)}  ${bound.padEnd(16)} ${row.ms.toFixed(0)} ms`,
      );
    }
  }
}
