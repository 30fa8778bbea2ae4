// The whole benchmark run of the main job: `npm run bench`. Prints time, memory and output of each case.
// Fresh process per sample, orders alternating, medians; --quick takes one sample of each and is a smoke test.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusName, transcriptPath } from './corpus.mjs';

const samples = process.argv.includes('--quick') ? 1 : 5;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Runs a case in a fresh process and returns the JSON it prints. */
function sample(name, ...args) {
  const run = spawnSync(process.execPath, [here(`cases/${name}.mjs`), ...args], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${name} failed:\n${run.stderr}`);
  return JSON.parse(run.stdout);
}

/** Wall milliseconds of one command in a fresh process. */
function wall(...args) {
  const started = process.hrtime.bigint();
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${args.join(' ')} failed:\n${run.stderr}`);
  return Number(process.hrtime.bigint() - started) / 1e6;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Medians, field by field, of several cases whose samples alternate. */
function alternate(runs) {
  const results = runs.map(() => []);
  for (let i = 0; i < samples; i++) for (const [index, run] of runs.entries()) results[index].push(run());
  return results.map((list) =>
    Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list.map((result) => result[key]))])),
  );
}

const row = (name, value) => console.log(`  ${name.padEnd(44)} ${value}`);
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

console.log(
  `snapcompact bench: node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}`,
);
console.log(`corpus: ${corpusName}; ${samples} samples per case, medians`);
console.log(
  'Machines differ, and one differs from hour to hour: read a figure against zlib or the bare loop beside it.',
);

console.log('\none frame of 1932×1932, 11on16-bw, one thread, CPU time');
const [frame] = alternate([() => sample('one-frame')]);
for (const bits of [1, 2]) {
  row(`${bits} bit: lay out`, ms(frame[`lay${bits}`]));
  row(`${bits} bit: paint`, ms(frame[`paint${bits}`]));
  row(`${bits} bit: encode`, ms(frame[`encode${bits}`]));
  row(`${bits} bit: zlib level 6 of the same pixels`, ms(frame[`zlib${bits}`]));
  row(
    `${bits} bit: PNG, share of zlib level 6`,
    `${Math.round(frame[`png${bits}`])} bytes, ${(frame[`png${bits}`] / frame[`zlibBytes${bits}`]).toFixed(4)}`,
  );
  row(`${bits} bit: decode`, ms(frame[`decode${bits}`]));
}

console.log('\nserialise, print and normalise');
const [text] = alternate([() => sample('text')]);
row('a bare loop over the same characters', `${text.bareMBps.toFixed(0)} MB/s`);
row('ASCII-heavy transcripts', `${text.asciiMBps.toFixed(0)} MB/s`);
row('the whole corpus', `${text.corpusMBps.toFixed(0)} MB/s`);

console.log(
  '\n80 full frames, cold pool (frames: all 11on16-bw; whole pass: 6 of these around 74 of 8on16-bw)',
);
const [idle, ...eighty] = alternate([
  () => sample('idle'),
  ...['0', '1', '2'].map((threads) => () => sample('eighty-frames', 'frames', threads)),
  ...['0', '1', '2'].map((threads) => () => sample('eighty-frames', 'pass', threads)),
]);
const [none, one, two, noneWhole, oneWhole, twoWhole] = eighty;
row('serialise, print, paginate', `${ms(none.serializeMs)}, ${ms(none.printMs)}, ${ms(none.paginateMs)}`);
row(
  'frames: in-process, 1 thread, 2 threads',
  `${ms(none.framesMs)}, ${ms(one.framesMs)}, ${ms(two.framesMs)}`,
);
row('frames: two threads against one', `${(one.framesMs / two.framesMs).toFixed(2)} times as fast`);
row(
  'whole pass: in-process, 1 thread, 2 threads',
  `${ms(noneWhole.wallMs)}, ${ms(oneWhole.wallMs)}, ${ms(twoWhole.wallMs)}`,
);
row('whole pass, 2 threads: CPU, first frame', `${ms(twoWhole.cpuMs)}, ${ms(twoWhole.firstFrameMs)}`);
row('characters, PNG bytes', `${twoWhole.framedChars}, ${mb(twoWhole.bytes)}`);
row(
  'peak memory above an idle node',
  `${mb(twoWhole.peakBytes - idle.peakBytes)} (${mb(twoWhole.peakBytes)} against ${mb(idle.peakBytes)})`,
);

console.log('\nplans and passes');
const [plan, again] = alternate([() => sample('planning'), () => sample('rearchive', '2')]);
row(
  'plan 5 MB of source: first, later ones; a bare loop over it',
  `${ms(plan.firstMs)}, ${ms(plan.planMs)}; ${ms(plan.bareMs)}`,
);
row(
  `first pass of ${again.firstFrames} frames, second with 5 % more text`,
  `${ms(again.firstMs)}, ${ms(again.secondMs)}: ${Math.round((again.secondMs / again.firstMs) * 100)} %`,
);

console.log('\nfrom the shell');
const folder = mkdtempSync(join(tmpdir(), 'snapcompact-bench-'));
const cli = here('../dist/cli.js');
const archive = ['archive', transcriptPath, '--model', 'claude-opus-4-8', '-o', join(folder, 'archive')];
const [bare, version, shell] = alternate([
  () => ({ ms: wall('-e', '0') }),
  () => ({ ms: wall(cli, '--version') }),
  () => ({ ms: wall(cli, ...archive) }),
]);
rmSync(folder, { recursive: true, force: true });
row('node -e 0, --version', `${ms(bare.ms)}, ${ms(version.ms)}`);
row(`archive ${transcriptPath.split('/').at(-1)}`, ms(shell.ms));
