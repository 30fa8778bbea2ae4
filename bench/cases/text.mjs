// Speed of history → normal text, in megabytes (UTF-8) of the segments' source text per second.
import { serializeHistory } from '../../dist/index.js';
import { pageFormat } from '../../dist/page/page-format.js';
import { getShape } from '../../dist/page/shapes.js';
import { printSegments } from '../../dist/text/print.js';
import { segmentChars } from '../../dist/text/segment.js';
import { longHistory } from '../corpus.mjs';

const { coverage } = pageFormat(getShape('11on16-bw'), { widthPx: 1932, maxHeightPx: 1932 });
const corpus = await longHistory(12_000_000);
const isAscii = (message) => !/[^\x00-\x7f]/.test(JSON.stringify(message));
const ascii = { messages: corpus.messages.filter(isAscii) };

function speed(history) {
  const run = () => printSegments(serializeHistory(history), { coverage });
  for (let i = 0; i < 3; i++) run();
  const started = performance.now();
  const printed = run();
  const seconds = (performance.now() - started) / 1000;
  if (printed.text.length === 0) throw new Error('nothing printed');
  return serializeHistory(history).reduce((sum, segment) => sum + segmentChars(segment), 0) / 1e6 / seconds;
}

/** What this machine takes to look at each character once: the floor under any figure above. */
function bareSpeed(history) {
  const texts = serializeHistory(history).map((segment) => segment.text ?? '');
  const look = () => {
    let sum = 0;
    for (const text of texts) for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i) > 0x20 ? 1 : 2;
    return sum;
  };
  look();
  const started = performance.now();
  const sum = look();
  const seconds = (performance.now() - started) / 1000;
  if (sum === 0) throw new Error('no text');
  return texts.reduce((total, text) => total + text.length, 0) / 1e6 / seconds;
}

console.log(
  JSON.stringify({ asciiMBps: speed(ascii), corpusMBps: speed(corpus), bareMBps: bareSpeed(ascii) }),
);
