// An archive of 80 frames for claude-opus-4-8, and a second pass with 5 % new text. Argument: threads.
import { archiveHistory, createRenderer, rearchive } from '../../dist/index.js';
import { longHistory } from '../corpus.mjs';

const FRAMES = 80;
const threads = Number(process.argv[2]);
const { messages } = await longHistory(6_000_000);
const renderer = createRenderer({ threads });
// The cap leaves room, so that the second pass keeps its layout; a pass that outgrows its cap paints anew.
const options = { model: 'claude-opus-4-8', maxFrames: 100, renderer };

const frameCount = async (count) =>
  (await archiveHistory({ messages: messages.slice(0, count) }, options)).frames.length;
let count = Math.floor(messages.length / 2);
for (let step = count; step > 8; step = Math.ceil(step / 2)) {
  const frames = await frameCount(count);
  if (frames === FRAMES) break;
  count += frames < FRAMES ? step / 2 : -step / 2;
  count = Math.round(count);
}
const time = async (work) => {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
};
const first = await time(() => archiveHistory({ messages: messages.slice(0, count) }, options));
const addition = { messages: messages.slice(count, Math.round(count * 1.05)) };
const second = await time(() => rearchive(first.value, addition, options));
await renderer.close();
console.log(
  JSON.stringify({
    firstMs: first.ms,
    secondMs: second.ms,
    firstFrames: first.value.frames.length,
    secondFrames: second.value.frames.length,
  }),
);
