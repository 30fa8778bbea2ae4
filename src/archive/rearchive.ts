/** The next pass: more history, or the same at another shape, model or budget. */
import { isDeepStrictEqual } from 'node:util';
import type { History } from '../history/history.js';
import type { Archive } from './archive.js';
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
  const kept = before.filter(({ scope }) => settings.reasoning || scope !== 'think');
  const added = addition === undefined ? [] : await segmentsOf(addition, settings, options);
  const source = options.source === undefined ? previous.source : sourceOf(options.source);
  const { segments, elisions } = boundSource([...kept, ...added], settings.sourceBytes, source?.sha256);
  return {
    segments,
    sourceElisions: isWhole
      ? elisions
      : [...previous.elisions.filter(({ reason }) => reason === 'source'), ...elisions],
    messages: (isWhole ? 0 : previous.counts.messages) + (addition?.messages.length ?? 0),
    reader,
    settings,
    budget,
    source,
    overrides: options.overrides,
    previous,
  };
}
