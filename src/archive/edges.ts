/**
 * Where a history is cut into head, middle and tail: text at both edges of time, frames between.
 *
 * An edge ends between two segments where it can, with calls and their outputs on one side; else within a text, at a
 * line break or a space. Sizes are those of the segments under their caps: an edge never holds much more than asked.
 */
import type { Caps } from '../text/caps.js';
import { isInsideNote } from '../text/note.js';
import { expectedChars } from '../text/print.js';
import type { Segment, TextSegment } from '../text/segment.js';

/** A place between two characters of the source: before unit `unit` of the text of segment `segment`. */
export interface Position {
  readonly segment: number;
  readonly unit: number;
}

/** Consecutive segments, the first and the last maybe in part; `firstIndex` is that of the first in the whole. */
export interface Region {
  readonly segments: readonly Segment[];
  readonly firstIndex: number;
}

export const START: Position = { segment: 0, unit: 0 };

/** Where the first `chars` characters end, about. */
export function headEnd(segments: readonly Segment[], chars: number, caps: Caps): Position {
  let left = chars;
  for (let i = 0; i < segments.length; i++) {
    const size = expectedChars(segments[i]!, caps);
    if (size <= left) {
      left -= size;
      continue;
    }
    return left < chars / 2 || !isText(segments[i]!)
      ? { segment: beforeItsCall(segments, i), unit: 0 }
      : splitBefore(segments[i] as TextSegment, i, left);
  }
  return { segment: segments.length, unit: 0 };
}

/** Where the last `chars` characters start, about. */
export function tailStart(segments: readonly Segment[], chars: number, caps: Caps): Position {
  let left = chars;
  for (let i = segments.length - 1; i >= 0; i--) {
    const size = expectedChars(segments[i]!, caps);
    if (size <= left) {
      left -= size;
      continue;
    }
    const segment = segments[i]!;
    return left < chars / 2 || !isText(segment)
      ? { segment: afterItsOutputs(segments, i + 1), unit: 0 }
      : splitBefore(segment, i, Math.max(0, segment.text.length - left) + SPLIT_REACH);
  }
  return START;
}

/** The place behind the last segment. */
export function endOf(segments: readonly Segment[]): Position {
  return { segment: segments.length, unit: 0 };
}

/** The segments from one place to another. */
export function regionOf(segments: readonly Segment[], from: Position, to: Position): Region {
  const whole = segments.slice(from.segment, to.segment + (to.unit > 0 ? 1 : 0));
  const cut = whole.map((segment, i) => {
    const index = from.segment + i;
    const start = index === from.segment ? from.unit : 0;
    const end = index === to.segment ? to.unit : undefined;
    return start === 0 && end === undefined ? segment : partOf(segment as TextSegment, start, end);
  });
  return { segments: cut, firstIndex: from.segment };
}

/** Whether a place that an earlier pass chose is one of these segments still. */
export function isPlaceOf(segments: readonly Segment[], { segment, unit }: Position): boolean {
  const at = segments[segment];
  if (unit === 0) return segment <= segments.length;
  return at !== undefined && isText(at) && unit <= at.text.length;
}

export function laterOf(a: Position, b: Position): Position {
  return isBefore(a, b) ? b : a;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.unit < b.unit);
}

function partOf(segment: TextSegment, from: number, to: number | undefined): TextSegment {
  return { ...segment, text: segment.text.slice(from, to) };
}

function isText(segment: Segment): segment is TextSegment {
  return segment.part === 'text';
}

/** How far a cut may move to find a line break or a space. */
const SPLIT_REACH = 200;

/** At the last line break, else the last space, shortly before `unit`; else between two characters there. */
function splitBefore({ text }: TextSegment, segment: number, unit: number): Position {
  const low = Math.max(0, unit - SPLIT_REACH);
  for (const blank of ['\n', ' ']) {
    const at = text.lastIndexOf(blank, unit);
    if (at > low && !isInsideNote(text, at)) return { segment, unit: at };
  }
  let at = Math.max(0, Math.min(unit, text.length - 1));
  while (at > 0 && (isInsideNote(text, at) || /[\udc00-\udfff]/.test(text[at]!))) at--;
  return { segment, unit: at };
}

function beforeItsCall(segments: readonly Segment[], index: number): number {
  let at = index;
  while (at > 0 && isMerged(segments[at])) at--;
  return at;
}

function afterItsOutputs(segments: readonly Segment[], index: number): number {
  let at = index;
  while (isMerged(segments[at])) at++;
  return at;
}

function isMerged(segment: Segment | undefined): boolean {
  return segment?.part === 'output' && !segment.orphan;
}
