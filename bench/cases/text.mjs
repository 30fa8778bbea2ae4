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
  run();
  const started = performance.now();
  const printed = run();
  const seconds = (performance.now() - started) / 1000;
  if (printed.text.length === 0) throw new Error('nothing printed');
  return serializeHistory(history).reduce((sum, segment) => sum + segmentChars(segment), 0) / 1e6 / seconds;
}

console.log(JSON.stringify({ asciiMBps: speed(ascii), corpusMBps: speed(corpus) }));
