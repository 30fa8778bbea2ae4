// 80 full frames for claude-opus-4-8 from messages, with a pool that starts cold. Argument: threads.
import { archiveHistory } from '../../dist/index.js';
import { longHistory } from '../corpus.mjs';

const threads = Number(process.argv[2]);
const history = await longHistory(4_500_000);
const startedCpu = process.cpuUsage();
const started = performance.now();
let firstFrameMs = 0;
const archive = await archiveHistory(history, {
  model: 'claude-opus-4-8',
  threads,
  onFrame: () => {
    firstFrameMs ||= performance.now() - started;
  },
});
const wallMs = performance.now() - started;
const cpu = process.cpuUsage(startedCpu);
if (archive.counts.frames !== 80) throw new Error(`expected 80 frames, got ${archive.counts.frames}`);
console.log(
  JSON.stringify({
    wallMs,
    firstFrameMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    bytes: archive.counts.bytes,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
