/** Whether a history is a later state of what an archive holds. */
import type { History } from '../history/history.js';
import { beyondBound } from '../text/elision.js';
import type { Segment } from '../text/segment.js';
import type { Archive } from './archive.js';
import { type ArchiveOptions, segmentsOf } from './archive-history.js';
import { leftOutChars } from './bound-source.js';

export interface Continuation {
  /** Archived texts that the history has word for word. */
  readonly found: number;
  /** The first entry of which it says something else, or nothing. */
  readonly lacking?: { readonly entryId: string; readonly isThere: boolean };
}

/**
 * Looks for all that is archived in `history`, entry by entry; what it has more does not count. A text that the bound of
 * the source left out is taken to be the same where it is as long. Throws `interrupted`.
 */
export async function compareWithArchive(
  { segments, settings }: Archive,
  history: History,
  options: Pick<ArchiveOptions, 'redact' | 'signal'> = {},
): Promise<Continuation> {
  return findSegments(segments, await segmentsOf(history, settings, options));
}

/** Looks for `segments` among others, each in the entry it is from. */
export function findSegments(segments: readonly Segment[], others: readonly Segment[]): Continuation {
  const entries = new Map<string, Segment[]>();
  for (const segment of others) {
    const entry = entries.get(segment.entryId);
    if (entry === undefined) entries.set(segment.entryId, [segment]);
    else entry.push(segment);
  }
  let found = 0;
  let lacking: Continuation['lacking'];
  for (const segment of segments) {
    const { entryId } = segment;
    const entry = entries.get(entryId);
    if (entry?.some((other) => saysTheSame(segment, other)) !== true)
      lacking ??= { entryId, isThere: entry !== undefined };
    else if (beyondBound(segment) === 0) found++;
  }
  return { found, ...(lacking && { lacking }) };
}

/**
 * Whether both are one thing that somebody said, whatever answers, labels and branches have come since. A text may go on:
 * a plain file is one entry that grows.
 */
function saysTheSame(archived: Segment, other: Segment): boolean {
  if (archived.part !== other.part || archived.scope !== other.scope) return false;
  if (beyondBound(archived) > 0) return leftOutChars(other) === beyondBound(archived);
  if (archived.part !== 'call' || other.part !== 'call') return textOf(other).startsWith(textOf(archived));
  return (
    archived.name === other.name &&
    archived.args.length === other.args.length &&
    archived.args.every(({ key, text }, i) => key === other.args[i]!.key && text === other.args[i]!.text)
  );
}

function textOf(segment: Segment): string {
  return segment.part === 'call' ? '' : segment.text;
}
