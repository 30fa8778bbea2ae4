/**
 * Makes lookalikes.json: for every chain of fonts that a shape uses, the characters that are spelled out or marked.
 *
 *   npm run build && node fonts/build-lookalikes.mjs [--explain]
 *
 * Run it after a change to a font, an override, the marks or a shape's cell. --explain prints every class of equal
 * bitmaps: the winner, then the others with what becomes of each. The rules are in src/glyph/find-lookalikes.ts.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { findLookalikes } from '../dist/glyph/find-lookalikes.js';
import { loadFont } from '../dist/glyph/load-font.js';

const shapeFolder = new URL('../shapes/', import.meta.url);
const geometries = new Map();
for (const file of readdirSync(shapeFolder).sort()) {
  const shape = JSON.parse(readFileSync(new URL(file, shapeFolder), 'utf8'));
  if (!file.endsWith('.json') || !Array.isArray(shape.fonts)) continue;
  const geometry = { advancePx: shape.cell.advancePx, xPx: shape.offset.xPx, wideXPx: shape.offset.wideXPx };
  const chain = shape.fonts.join('+');
  geometries.set(chain, [...(geometries.get(chain) ?? []), geometry]);
}

const chains = {};
for (const [chain, cells] of geometries) {
  const { table, classes, printed } = findLookalikes(chain.split('+').map(loadFont), cells);
  chains[chain] = table;
  if (process.argv.includes('--explain')) explain(classes, table);
  const wide = [...printed.values()].filter((glyph) => glyph.cells === 2).length;
  console.error(`${chain}: ${printed.size} printed, ${wide} of them wide`);
}
const text = JSON.stringify({ unicode: process.versions.unicode, chains }, null, 1);
writeFileSync(new URL('lookalikes.json', import.meta.url), `${text}\n`);

function explain(classes, table) {
  const name = (code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')} ${String.fromCodePoint(code)}`;
  for (const { winner, losers } of classes) {
    const others = [...losers].map(([code, fate]) => `${name(code)} ${typeof fate === 'number' ? `mark ${fate}` : fate}`);
    console.log(`${name(winner)}: ${others.join(', ')}`);
  }
  for (const [reason, set] of Object.entries(table.spelled)) console.log(`${reason}: ${set}`);
}
