// 80 full frames for claude-opus-4-8, dim tool output, with a pool that starts cold. Argument: threads.
// The whole pass from messages to an archive in memory, and the frames alone from laid-out pages.

import { renderPages } from '../../dist/frame/renderer.js';
import { archiveHistory, createRenderer, resolveReader, serializeHistory } from '../../dist/index.js';
import { pageFormat } from '../../dist/page/page-format.js';
import { paginate } from '../../dist/page/paginate.js';
import { getShape } from '../../dist/page/shapes.js';
import { printSegments } from '../../dist/text/print.js';
import { longHistory } from '../corpus.mjs';

const FRAMES = 80;
const [what, threads] = [process.argv[2], Number(process.argv[3])];
// The frames alone are all of the reader's shape; a whole pass prints its middle denser, so it takes more text.
const history = await longHistory(what === 'pass' ? 9_000_000 : 4_500_000);
const result = await (what === 'pass' ? wholePass() : framesAlone());
console.log(JSON.stringify({ ...result, peakBytes: process.resourceUsage().maxRSS * 1024 }));

async function wholePass() {
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
  const { user, system } = process.cpuUsage(startedCpu);
  const { frames, bytes, framedChars } = archive.counts;
  if (frames !== FRAMES) throw new Error(`expected ${FRAMES} frames, got ${frames}`);
  return { wallMs, firstFrameMs, cpuMs: (user + system) / 1000, frames, bytes, framedChars };
}

async function framesAlone() {
  const reader = resolveReader({ model: 'claude-opus-4-8' });
  const format = pageFormat(getShape(reader.shape), reader.frame);
  const laps = [performance.now()];
  const lap = () => laps.push(performance.now());
  const segments = serializeHistory(history);
  lap();
  const printed = printSegments(segments, format);
  lap();
  const pages = [...paginate(printed.text, printed.dim, format)]
    .slice(0, FRAMES)
    .map((page) => ({ page, format }));
  lap();
  const renderer = createRenderer({ threads });
  let bytes = 0;
  for await (const { frame } of renderPages(renderer, pages)) bytes += frame.png.length;
  lap();
  await renderer.close();
  const [serializeMs, printMs, paginateMs, framesMs] = laps.slice(1).map((time, i) => time - laps[i]);
  return { serializeMs, printMs, paginateMs, framesMs, bytes };
}
