/** A file that holds an archive of Oh-My-Pi → an archive of ours, printed anew from its text. */
import { SnapcompactError } from '../errors.js';
import { readInput } from '../read-input.js';
import type { Elision } from '../text/elision.js';
import type { Archive } from './archive.js';
import { type ArchiveOptions, settingsOf, visionReader } from './archive-history.js';
import { budgetOf } from './budget.js';
import { buildArchive } from './build-archive.js';
import { readOmpArchive } from './omp-archive.js';
import { findOmpArchives } from './omp-session.js';

export interface OmpOptions extends ArchiveOptions {
  /** Told of each part that was damaged, and what became of it. */
  readonly onRepair?: (part: string, reason: string) => void;
}

/**
 * Reads a session with a compaction entry that holds an archive (the newest on the active path counts), or JSON that is
 * such an entry or its archive. Frames are painted from the text, for the reader of `options`; text that exists only in
 * the pixels of a foreign frame is named in a note where it stood. Throws `broken-input` where there is no archive.
 */
export async function importOmpArchive(path: string, options: OmpOptions = {}): Promise<Archive> {
  const content = (await readInput(path, 'an archive')).toString();
  const { segments, problems, truncatedChars } = readOmpArchive(storedIn(content, path), path, options);
  for (const problem of problems) options.onRepair?.(path, problem);
  const settings = settingsOf(options, 'archive');
  const reader = visionReader(settings, options);
  const lost: Elision = { reason: 'source', what: 'segments', chars: truncatedChars, entryId: 'omp:1' };
  return buildArchive(
    {
      segments,
      sourceElisions: truncatedChars > 0 ? [lost] : [],
      messages: new Set(segments.map(({ entryId }) => entryId)).size,
      reader,
      settings,
      budget: budgetOf(reader, settings.limits, options.overrides),
      overrides: options.overrides,
    },
    options,
  );
}

function storedIn(content: string, path: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // A session is one JSON value a line.
  }
  const [newest] = findOmpArchives(content);
  if (newest !== undefined) return newest.entry;
  throw new SnapcompactError('broken-input', {
    expected: 'an archive folder, or a file with an archive of Oh-My-Pi in it',
    of: 'an archive',
    got: 'a file without one',
    where: path,
  });
}
