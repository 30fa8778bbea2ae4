/** The text in front of an archive that tells the model how to read it, and the labels of its texts. */
import { readFileSync } from 'node:fs';
import { packageFile } from '../package-files.js';
import { shapeGeometry } from '../page/geometry.js';
import { getShape } from '../page/shapes.js';
import type { Archive, ArchivedFrame } from './archive.js';

let lines: readonly (readonly [string, string])[] | undefined;

/** `guide.txt`: what a line is for, and the line. */
function guideLines(): readonly (readonly [string, string])[] {
  lines ??= readFileSync(packageFile('src/archive/guide.txt'), 'utf8')
    .split('\n')
    .map((line) => /^([\w-]+): (.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [[match[1]!, match[2]!] as const]));
  return lines;
}

export type Label = 'head' | 'tail' | 'pins' | 'live';

/** What stands above a text of the archive. */
export function labelOf(label: Label): string {
  return guideLines().find(([name]) => name === `label-${label}`)![1];
}

/** Lines of the guide that explain a mark, and the mark that calls for them. */
const marks = [
  ['user', '¶user:'],
  ['think', '¶think:'],
  ['ai', '¶ai:'],
  ['call', '¶call:'],
  ['note', '[note:'],
  ['status', '[status:'],
  ['subagent', '[subagent:'],
  ['branch', '[branch:'],
  ['pinned', '[pinned:'],
  ['elided', '[…'],
  ['spelled', '[U+'],
] as const;

/** Names of the marks that occur in texts. */
function marksIn(texts: readonly string[]): string[] {
  return marks.flatMap(([name, mark]) => (texts.some((text) => text.includes(mark)) ? [name] : []));
}

/** Of frames, which are asked for several times in a pass. */
const frameMarks = new WeakMap<ArchivedFrame, readonly string[]>();

function marksOf(frame: ArchivedFrame): readonly string[] {
  const found = frameMarks.get(frame) ?? marksIn([frame.text]);
  frameMarks.set(frame, found);
  return found;
}

/** Marks before the newest part: in head, frames, and pages between them. */
function earlierMarks({ parts, frames }: Archive): Set<string> {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.role !== 'tail' ? [part.text] : []));
  return new Set([...frames.flatMap(marksOf), ...marksIn(texts)]);
}

export interface GuideOptions {
  /** For a model that takes no images. */
  readonly asText: boolean;
  readonly hasGaps: boolean;
}

/**
 * The guide to an archive: only scopes, marks and row widths that occur in it. What only the newest part has, which
 * comes and goes with each pass, is explained there (`guideBehind`): this text is the start of a prompt cache.
 */
export function guideOf(archive: Archive, { asText, hasGaps }: GuideOptions): string {
  const { frames, parts } = archive;
  const occurs = earlierMarks(archive);
  for (const name of asText ? ['projection', 'projected'] : ['always']) occurs.add(name);
  if (hasGaps) occurs.add('gap');
  if (!asText) {
    if (frames.some(({ bitDepth }) => bitDepth === 2)) occurs.add('dim');
    if (frames.some(({ tier }) => tier === 'lq') && frames.some(({ tier }) => tier === 'hq'))
      occurs.add('dense');
    if (parts.some((part) => part.type === 'text' && part.role === 'page')) occurs.add('text');
  }
  return guideLines()
    .flatMap(([name, line]) => (occurs.has(name) ? [line] : []))
    .join('\n')
    .replace('{widths} cells', `${gridWidths(archive).join(' cells or ')} cells`);
}

/** Lines for the marks of pins and tail that the guide has none for. */
export function guideBehind(archive: Archive): readonly string[] {
  const known = earlierMarks(archive);
  const tail = archive.parts.flatMap((part) =>
    part.type === 'text' && part.role === 'tail' ? [part.text] : [],
  );
  const names: readonly string[] = marksIn([archive.pins, ...tail]).filter((name) => !known.has(name));
  return guideLines().flatMap(([name, line]) => (names.includes(name) ? [line] : []));
}

/** Every row width that occurs, in cells, in reading order. */
function gridWidths({ frames, reader }: Archive): number[] {
  const widths = frames.map(({ shape }) => shapeGeometry(getShape(shape), reader.frame).columnsCells);
  return [...new Set(widths)];
}
