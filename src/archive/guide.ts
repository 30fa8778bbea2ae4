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

/** Of frames and parts, which are asked for several times in a pass. */
const foundMarks = new WeakMap<{ readonly text: string }, readonly string[]>();

function marksOf(page: { readonly text: string }): readonly string[] {
  const found = foundMarks.get(page) ?? marksIn([page.text]);
  foundMarks.set(page, found);
  return found;
}

/**
 * Marks before the newest part: in head, frames, and pages between them. Sent or not: what fits differs from pass to
 * pass, and a mark explained in vain costs less than a guide that the cache does not know.
 */
function earlierMarks({ parts, frames }: Archive): Set<string> {
  const texts = parts.flatMap((part) => (part.type === 'text' && part.role !== 'tail' ? [part] : []));
  return new Set([...frames, ...texts].flatMap(marksOf));
}

/** What is sent of an archive, as far as the guide speaks of it. */
export interface GuideOptions {
  /** Frames that go as images, in reading order; without any the guide is one to text. */
  readonly images: readonly ArchivedFrame[];
  /** Whether pages go as text. */
  readonly hasTexts: boolean;
  readonly hasGaps: boolean;
}

/**
 * The guide to an archive: only scopes and marks that occur in it, and of images only what is true of those that are
 * sent. What only the newest part has, which comes and goes with each pass, is explained there (`guideBehind`): this
 * text is the start of a prompt cache.
 */
export function guideOf(archive: Archive, { images, hasTexts, hasGaps }: GuideOptions): string {
  const occurs = earlierMarks(archive);
  if (hasGaps) occurs.add('gap');
  const ofForm = images.length === 0 ? ['projection', 'projected'] : ['always', ...imageLines(images)];
  for (const name of ofForm) occurs.add(name);
  if (images.length > 0 && hasTexts) occurs.add('text');
  return guideLines()
    .flatMap(([name, line]) => (occurs.has(name) ? [line] : []))
    .join('\n')
    .replace('{widths} cells', `${gridWidths(archive, images).join(' cells or ')} cells`);
}

/** Names of the lines about ink and sizes. */
function imageLines(images: readonly ArchivedFrame[]): string[] {
  const isDense = ({ tier }: ArchivedFrame) => tier === 'lq';
  const endsDense = isDense(images[0]!) || isDense(images.at(-1)!);
  return [
    ...(images.some(({ bitDepth }) => bitDepth === 2) ? ['dim'] : []),
    ...(images.some(isDense) && !images.every(isDense) ? [endsDense ? 'mixed' : 'dense'] : []),
  ];
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
function gridWidths({ reader }: Archive, images: readonly ArchivedFrame[]): number[] {
  const widths = images.map(({ shape }) => shapeGeometry(getShape(shape), reader.frame).columnsCells);
  return [...new Set(widths)];
}
