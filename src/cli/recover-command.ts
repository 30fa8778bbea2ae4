/** `snapcompact recover`: the exact text behind an archive on stdout, words about it on stderr. */
import { loadArchive } from '../archive/load-archive.js';
import { type RecoverQuery, recoverText } from '../archive/recover.js';
import { SnapcompactError } from '../errors.js';
import type { Elision } from '../text/elision.js';
import { spellOut } from '../text/escape.js';
import { type CommonOptions, type Io, number, onOneLine, print } from './io.js';

export interface RecoverCommandOptions extends CommonOptions {
  readonly entry?: string;
  readonly frame?: number;
  /** `3-5`, or `3` for one row. */
  readonly rows?: string;
  readonly asPrinted?: boolean;
  /** Break lines where the text does, instead of printing `█`. */
  readonly lines?: boolean;
}

export interface RecoverIo extends Io {
  /** Whether `out` is a terminal, which control characters of a transcript could redraw. Default false. */
  readonly isOutTerminal?: boolean;
}

/**
 * Into a pipe or a file go the text's own characters and nothing else. A terminal gets control and format characters
 * spelled out, and a line break at the end. Throws as `loadArchive` and `recoverText` do, and `usage`.
 */
export async function recoverCommand(
  folder: string,
  options: RecoverCommandOptions,
  io: RecoverIo,
): Promise<void> {
  const { asPrinted = false, lines = false } = options;
  const query = queryOf(options);
  const archive = await loadArchive(folder, { signal: io.signal });
  const recovered = await recoverText(archive, query, { asPrinted, lines });
  print(io, options, { archive: folder, ...query, asPrinted, ...recovered }, () =>
    io.isOutTerminal ? `${harmless(recovered.text).replace(/\n$/, '')}\n` : recovered.text,
  );
  if (!options.quiet) noteMissing(recovered.missing, io);
}

function queryOf({ entry, frame, rows }: RecoverCommandOptions): RecoverQuery {
  return {
    ...(entry !== undefined && { entry }),
    ...(frame !== undefined && { frame }),
    ...(rows !== undefined && { rows: rowsOf(rows) }),
  };
}

function rowsOf(given: string): { from: number; to: number } {
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(given) ?? [];
  if (from !== undefined) return { from: Number(from), to: Number(to) };
  throw new SnapcompactError('usage', { expected: 'rows as in 3-5, or one', of: '--rows', got: given });
}

/** Line breaks and tabs stay. */
function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => spellOut(char.codePointAt(0)!));
}

const SHOWN = 5;

function noteMissing(missing: readonly Elision[], io: Io): void {
  const lines = missing.slice(0, SHOWN).map(missingLine);
  if (missing.length > SHOWN)
    lines.push(`and ${number(missing.length - SHOWN)} more of these (--json lists all)`);
  for (const line of lines) io.err(`snapcompact: note: ${onOneLine(line)}\n`);
}

const reasons = {
  source: 'not kept in the archive',
  cap: 'cut where it is printed',
  budget: 'not printed for want of room',
} as const satisfies Record<Elision['reason'], string>;

function missingLine({ reason, what, chars, entryId, lastEntryId, transcriptSha256 }: Elision): string {
  const entries =
    lastEntryId === undefined || lastEntryId === entryId ? entryId : `${entryId} to ${lastEntryId}`;
  const where =
    transcriptSha256 === undefined ? '' : `; the transcript with sha256 ${transcriptSha256} has it`;
  return `${what} of ${entries}, ${number(chars)} characters: ${reasons[reason]}${where}`;
}
