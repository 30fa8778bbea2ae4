// Planning alone, of 5 MB of source text for claude-opus-4-8, and a bare loop over the same characters.
import { planArchive, serializeHistory } from '../../dist/index.js';
import { segmentChars } from '../../dist/text/segment.js';
import { longHistory } from '../corpus.mjs';

const CHARS = 5_000_000;
const { messages } = await longHistory(14_000_000);
const charsOf = (list) =>
  serializeHistory({ messages: list }).reduce((sum, segment) => sum + segmentChars(segment), 0);
let count = Math.floor((messages.length * CHARS) / charsOf(messages));
while (charsOf(messages.slice(0, count)) < CHARS) count += 50;
const history = { messages: messages.slice(0, count) };
const plan = () => planArchive(history, { model: 'claude-opus-4-8', windowTokens: 1_000_000 });

const firstStarted = performance.now();
await plan();
const firstMs = performance.now() - firstStarted;
const times = [];
let frames = 0;
for (let run = 0; run < 9; run++) {
  const started = performance.now();
  ({ frames } = await plan());
  times.push(performance.now() - started);
}
const planMs = times.sort((a, b) => a - b)[4];

const texts = serializeHistory(history).map((segment) => segment.text ?? '');
const look = () => {
  let sum = 0;
  for (const text of texts) for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i) > 0x20 ? 1 : 2;
  return sum;
};
look();
const bareStarted = performance.now();
if (look() === 0) throw new Error('no text');
console.log(
  JSON.stringify({
    firstMs,
    planMs,
    bareMs: performance.now() - bareStarted,
    frames,
    chars: charsOf(history.messages),
  }),
);
