/** The next pass: more history, or the same at another shape, model or budget. */
import { isDeepStrictEqual } from 'node:util';
import type { History } from '../history/history.js';
import { beyondBound, type Elision } from '../text/elision.js';
import type { Segment } from '../text/segment.js';
import type { Archive, ArchiveSettings } from './archive.js';
import {
  type ArchiveOptions,
  checkHistory,
  segmentsOf,
  settingsOf,
  sourceOf,
  visionReader,
} from './archive-history.js';
import { boundSource } from './bound-source.js';
import { budgetOf } from './budget.js';
import { type BuildInput, buildArchive } from './build-archive.js';
import { pinnedSegments } from './pins.js';
import { FREED_SHARE } from './plan.js';

export interface RearchiveOptions extends ArchiveOptions {
  /**
   * The history given is not an addition but the whole, with all that is archived already: it takes the place of the
   * source. Default false.
   */
  readonly isWhole?: boolean;
}

/**
 * Extends `previous` by `addition`, or makes it anew for other options; what options do not say stays as it was. Every
 * page is derived from the source again; frames whose page did not change are taken over. Returns `previous` itself when
 * nothing changes. Throws as `archiveHistory` does, and `previous` is never changed.
 */
export async function rearchive(
  previous: Archive,
  addition: History | undefined,
  options: RearchiveOptions = {},
): Promise<Archive> {
  const archive = await buildArchive(await nextInput(previous, addition, options), options);
  return isDeepStrictEqual(archive, previous) ? previous : archive;
}

async function nextInput(
  previous: Archive,
  addition: History | undefined,
  options: RearchiveOptions,
): Promise<BuildInput> {
  const settings = settingsOf(options, 'archive', previous.settings);
  const reader = visionReader(settings, {
    ...options,
    allowNoVision: options.allowNoVision ?? !previous.reader.vision,
  });
  const budget = budgetOf(reader, settings.limits, options.overrides);
  if (addition !== undefined) checkHistory(addition);
  const { isWhole = false } = options;
  const before = isWhole ? [] : previous.segments;
  const kept = before.filter((segment) => isKept(segment, settings));
  const added = addition === undefined ? [] : await segmentsOf(addition, settings, options);
  const source = options.source === undefined ? previous.source : sourceOf(options.source);
  const all = [...kept, ...added];
  const { segments, elisions } = boundSource(all, settings.sourceBytes, {
    transcriptSha256: source?.sha256,
    pinned: pinnedSegments(all, settings.pins),
    freedShare: FREED_SHARE,
    ...(isWhole && { before: previous.segments }),
  });
  return {
    segments,
    sourceElisions: isWhole ? elisions : [...earlierElisions(previous, settings), ...elisions],
    messages: (isWhole ? 0 : previous.counts.messages) + (addition?.messages.length ?? 0),
    reader,
    settings,
    budget,
    source,
    overrides: options.overrides,
    previous,
  };
}

function isKept({ scope }: Segment, { reasoning }: ArchiveSettings): boolean {
  return reasoning || scope !== 'think';
}

/** What the bound of the source left out before, but for segments that are no longer there. */
function earlierElisions({ elisions, segments }: Archive, settings: ArchiveSettings): Elision[] {
  const gone = segments.filter((segment) => !isKept(segment, settings) && beyondBound(segment) > 0);
  const bounded = elisions.filter(({ reason }) => reason === 'source');
  for (const segment of gone) {
    const at = bounded.findIndex(
      ({ entryId, chars, what }) =>
        entryId === segment.entryId && chars === beyondBound(segment) && what === 'segments',
    );
    if (at >= 0) bounded.splice(at, 1);
  }
  return bounded;
}
