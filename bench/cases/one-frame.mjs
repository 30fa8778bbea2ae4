// CPU milliseconds of each stage for one full 1932×1932 frame at 1 and at 2 bits, and its bytes; means over frames.
import { deflateSync } from 'node:zlib';
import { cellsOfPage } from '../../dist/frame/cells.js';
import { paintCells } from '../../dist/frame/paint.js';
import { encodePng } from '../../dist/frame/png.js';
import { decodeFrame, serializeHistory } from '../../dist/index.js';
import { pageFormat } from '../../dist/page/page-format.js';
import { paginate } from '../../dist/page/paginate.js';
import { getShape } from '../../dist/page/shapes.js';
import { printSegments } from '../../dist/text/print.js';
import { longHistory } from '../corpus.mjs';

const FRAMES = 12;
const WARM = 6;
const format = pageFormat(getShape('11on16-bw'), { widthPx: 1932, maxHeightPx: 1932 });
const printed = printSegments(serializeHistory(await longHistory(1_200_000)), format);
const result = {};

/** Mean CPU milliseconds of `work` over the frames after a warm-up, and what it returned. */
function time(name, items, work) {
  for (const item of items.slice(0, WARM)) work(item);
  const before = process.cpuUsage();
  const done = items.map(work);
  const { user, system } = process.cpuUsage(before);
  result[name] = (user + system) / 1000 / items.length;
  return done;
}

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

for (const [bits, dim] of [
  [1, []],
  [2, printed.dim],
]) {
  const pages = [...paginate(printed.text, dim, format)].slice(0, FRAMES);
  const cells = time(`lay${bits}`, pages, (page) => cellsOfPage(page, format));
  const paintings = time(`paint${bits}`, cells, (page) =>
    paintCells(page, format.geometry.columnsCells, format.geometry.frameWidthPx, format.atlas.image),
  );
  if (paintings.some(({ bitDepth }) => bitDepth !== bits))
    throw new Error(`expected ${bits} bits on every frame`);
  const pngs = time(`encode${bits}`, paintings, (painting) => encodePng(painting, format.shape.id));
  const plain = time(`zlib${bits}`, paintings, ({ rows }) => deflateSync(rows, { level: 6 }));
  time(`decode${bits}`, pngs, (png) => decodeFrame(png, { shape: '11on16-bw' }));
  result[`png${bits}`] = mean(pngs.map((png) => png.length));
  result[`zlibBytes${bits}`] = mean(plain.map((data) => data.length));
}
console.log(JSON.stringify(result));
