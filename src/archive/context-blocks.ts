/**
 * Archive → what a model is given in place of the discarded messages: a guide, the frames in reading order, and the
 * values that must be exact as text.
 *
 * The guide names only what occurs in this archive and holds nothing that changes from pass to pass.
 */
import { readFileSync } from 'node:fs';
import { packageFile } from '../package-files.js';
import { shapeGeometry } from '../page/geometry.js';
import { getShape } from '../page/shapes.js';
import type { Archive, FrameMime } from './archive.js';
import { factsheetText } from './factsheet.js';

export type ContextBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly mime: FrameMime;
      readonly data: Uint8Array<ArrayBuffer>;
      readonly sha256: string;
    };

/** Blocks in wire order; none for an archive without frames. */
export function contextBlocks(archive: Archive): ContextBlock[] {
  if (archive.frames.length === 0) return [];
  const facts = factsheetText(archive.factsheet);
  return [
    { type: 'text', text: guideOf(archive) },
    ...archive.frames.map(({ mime, data, sha256 }) => ({ type: 'image', mime, data, sha256 }) as const),
    ...(facts === '' ? [] : [{ type: 'text', text: facts } as const]),
  ];
}

/** Every row width that occurs, in cells, in reading order. */
function gridWidths({ frames, reader }: Archive): number[] {
  const widths = frames.map(({ shape }) => shapeGeometry(getShape(shape), reader.frame).columnsCells);
  return [...new Set(widths)];
}

/** Lines of the guide that explain a mark, and the mark that calls for them. */
const guideMarks = [
  ['note', '[note:'],
  ['status', '[status:'],
  ['subagent', '[subagent:'],
  ['branch', '[branch:'],
  ['spelled', '[U+'],
] as const;

/** A line of `guide.txt` is kept when what it starts with occurs in the archive. */
function guideOf(archive: Archive): string {
  const { scopes } = archive.printing;
  const occurs = new Set<string>(['always', ...scopes]);
  if (archive.elisions.some(({ reason }) => reason === 'cap')) occurs.add('capped');
  if (archive.elisions.some(({ reason }) => reason === 'frames')) occurs.add('dropped');
  if (archive.frames.some(({ bitDepth }) => bitDepth === 2)) occurs.add('dim');
  if (archive.frames.some(({ tier }) => tier === 'lq')) occurs.add('dense');
  for (const [name, mark] of guideMarks) {
    if (archive.frames.some(({ text }) => text.includes(mark))) occurs.add(name);
  }
  return readFileSync(packageFile('src/archive/guide.txt'), 'utf8')
    .split('\n')
    .map((line) => /^(\w+): (.*)$/.exec(line))
    .flatMap((match) => (match !== null && occurs.has(match[1]!) ? [match[2]!] : []))
    .join('\n')
    .replace('{widths} cells', `${gridWidths(archive).join(' cells or ')} cells`);
}
