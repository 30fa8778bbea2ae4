/** What `inspect` says of an archive. */
import type { Archive, Part } from '../archive/archive.js';
import { loadArchive } from '../archive/load-archive.js';
import { MANIFEST_FILE, type Manifest, type ManifestFrame, manifestOf } from '../archive/manifest.js';
import { SnapcompactError } from '../errors.js';
import type { Elision } from '../text/elision.js';
import { type CommonOptions, type Io, number, onOneLine, plural, print } from './io.js';
import { bindingLine, droppedLine } from './plan-report.js';
import { countBy, listed, type Row, report } from './report.js';

export interface InspectedArchive extends Omit<Manifest, 'kind' | 'frames'> {
  readonly kind: 'archive';
  readonly path: string;
  readonly frames: readonly (ManifestFrame & { readonly chars: number })[];
  readonly parts: readonly InspectedPart[];
  readonly elided: readonly ElisionSum[];
  readonly pinnedChars: number;
  /** Of the newest request. */
  readonly liveChars: number;
  /** Exact values kept as text, and those that exist only as pixels, by kind. */
  readonly facts: Readonly<Record<string, number>>;
  readonly pixelsOnly: Archive['factsheet']['pixelsOnly'];
  /** Frames and parts that are not what was saved. */
  readonly damaged: readonly { readonly file: string; readonly reason: string }[];
}

type InspectedPart =
  | { readonly type: 'frame'; readonly frame: number }
  | { readonly type: 'text'; readonly role: 'head' | 'page' | 'tail'; readonly chars: number };

/** Elisions of one reason and kind. */
export interface ElisionSum extends Pick<Elision, 'reason' | 'what' | 'chars'> {
  readonly count: number;
}

export async function showArchive(path: string, options: CommonOptions, io: Io): Promise<void> {
  const damaged: { file: string; reason: string }[] = [];
  const onRepair = (file: string, reason: string) => damaged.push({ file, reason });
  const archive = await loadArchive(path, { onRepair, signal: io.signal }).catch((error: unknown) => {
    throw isNoArchive(error) ? unknownInput(path, 'a folder without an archive in it') : error;
  });
  const inspected = inspectedArchive(path, archive, damaged);
  print(io, options, inspected, () => archiveText(inspected));
  if (options.quiet) return;
  for (const { file, reason } of damaged)
    io.err(`snapcompact: note: damaged: ${onOneLine(`${file}: ${reason}`)}\n`);
}

function isNoArchive(error: unknown): boolean {
  const { code, complaint } = error as Partial<SnapcompactError>;
  return code === 'unreadable-input' && complaint?.where?.endsWith(MANIFEST_FILE) === true;
}

function unknownInput(where: string, got: string): SnapcompactError {
  const expected = 'an archive, a frame or a transcript';
  return new SnapcompactError('unrecognised-format', { expected, of: 'the input', got, where });
}

function inspectedArchive(
  path: string,
  archive: Archive,
  damaged: InspectedArchive['damaged'],
): InspectedArchive {
  const { frames, ...manifest } = manifestOf(archive);
  return {
    ...manifest,
    kind: 'archive',
    path,
    frames: frames.map((frame) => ({ ...frame, chars: archive.frames[frame.index]!.text.length })),
    parts: archive.parts.map(inspectedPart),
    elided: elisionSums(archive.elisions),
    pinnedChars: archive.pins.length,
    liveChars: archive.live.length,
    facts: countBy(archive.factsheet.facts, ({ kind }) => kind),
    pixelsOnly: archive.factsheet.pixelsOnly,
    damaged,
  };
}

function inspectedPart(part: Part): InspectedPart {
  return part.type === 'frame' ? part : { type: 'text', role: part.role, chars: part.text.length };
}

function elisionSums(elisions: readonly Elision[]): ElisionSum[] {
  const sums = new Map<string, ElisionSum>();
  for (const { reason, what, chars } of elisions) {
    const sum = sums.get(`${reason} ${what}`) ?? { reason, what, count: 0, chars: 0 };
    sums.set(`${reason} ${what}`, { ...sum, count: sum.count + 1, chars: sum.chars + chars });
  }
  return [...sums.values()];
}

function archiveText(archive: InspectedArchive): string {
  const { path, reader, counts, cost, scopes, binding, frames, budget } = archive;
  const rows: Row[] = [
    ...sourceRows(archive.source),
    ['reader', `${reader.model}, ${reader.shape} on ${reader.frame.widthPx}×${reader.frame.maxHeightPx}`],
    [
      'messages',
      `${number(counts.messages)} in ${plural(counts.segments, 'segment')} (${scopes.join(', ')})`,
    ],
    [
      'characters',
      `${number(counts.sourceChars)} in the source, ${number(counts.printedChars)} printed, ${number(counts.framedChars)} in frames`,
    ],
    ['spelled out', countOrNothing(counts.spelled, 'character')],
    ['dropped', countOrNothing(counts.dropped, 'control character')],
    ['shapes', listed(countBy(frames, ({ shape, tier }) => `${shape} (${tier})`))],
    ['bytes', `${number(counts.bytes)} of ${archive.settings.mime}`],
    [
      'tokens',
      `${number(cost.imageTokens)} predicted for frames, ${number(cost.totalTokens)} in all; ${number(cost.replacedTokens)} for the source as text`,
    ],
    ['limit', bindingLine(binding, counts.frames)],
    ...degradeRows(archive),
    ...elisionRows(archive),
    ['facts', factsLine(archive)],
    ['pins', pinsLine(archive)],
    ['live request', countOrNothing(archive.liveChars, 'character')],
    ['settings', settingsLine(archive)],
    ['budget', figures(budget)],
    ['parts', partsLine(archive.parts)],
  ];
  const title = `${path}: an archive of ${plural(counts.frames, 'frame')}, ${number(counts.openFrames)} of them open`;
  return report(title, rows) + frameTable(frames);
}

function sourceRows(source: Archive['source']): Row[] {
  if (source === undefined) return [];
  const { name, format, bytes, sha256, sessionId = '', title = '', cwd = '', model = '' } = source;
  return [
    ['source', `${name} (${format}), ${plural(bytes, 'byte')}, sha256 ${sha256}`],
    ['session', sessionId],
    ['title', title],
    ['folder', cwd],
    ['model', model],
  ];
}

function countOrNothing(count: number, noun: string): string {
  return count === 0 ? '' : plural(count, noun);
}

function degradeRows({ layout }: InspectedArchive): Row[] {
  return Object.entries(layout.degradation).map(([step, end]) => [
    'cut down',
    `step ${step}, up to segment ${number(end)}`,
  ]);
}

function elisionRows({ elisions, elided }: InspectedArchive): Row[] {
  if (elided.length === 0) return [['elisions', 'none']];
  const sums = elided.map(({ reason, what, count, chars }): Row => {
    return ['elisions', `${reason}: ${number(count)} × ${what}, ${plural(chars, 'character')}`];
  });
  return [...sums, ...droppedLine(elisions).map((line): Row => ['', line])];
}

function factsLine({ facts, pixelsOnly }: InspectedArchive): string {
  const rest = listed(pixelsOnly);
  return `${listed(facts) || 'none'}${rest === '' ? '' : `; only as pixels: ${rest}`}`;
}

function pinsLine({ settings, pinnedChars }: InspectedArchive): string {
  if (settings.pins.length === 0 && pinnedChars === 0) return '';
  return `${plural(pinnedChars, 'character')}, by ${settings.pins.join(' ') || 'no rule: user turns that fit no frame'}`;
}

function settingsLine({ settings }: InspectedArchive): string {
  const { reasoning, sourceBytes, caps, target, limits } = settings;
  return figures({ reasoning: reasoning ? 'on' : 'off', sourceBytes, ...caps, ...target, ...limits });
}

function figures(values: object): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}

/** In order, frames that follow each other together. */
function partsLine(parts: readonly InspectedPart[]): string {
  const names: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (part.type === 'text') names.push(`${part.role} text (${plural(part.chars, 'character')})`);
    else {
      let end = i;
      while (parts[end + 1]?.type === 'frame') end++;
      const count = end - i;
      names.push(
        count === 0 ? `frame ${part.frame + 1}` : `frames ${part.frame + 1}–${part.frame + 1 + count}`,
      );
      i = end;
    }
  }
  return names.join(', ') || 'none';
}

const columns = ['frame', 'tier', 'shape', 'size', 'bytes', 'characters', 'state', 'entries'] as const;

function frameTable(frames: InspectedArchive['frames']): string {
  if (frames.length === 0) return '';
  const rows = frames.map((frame) => [
    frame.file,
    frame.tier,
    frame.shape,
    `${frame.widthPx}×${frame.heightPx}`,
    number(frame.bytes),
    number(frame.chars),
    frame.sealed ? 'sealed' : 'open',
    onOneLine(`${frame.entries.first} – ${frame.entries.last}`),
  ]);
  const lines = [columns, ...rows];
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]!.length)));
  const isFigure = (i: number) => i === 4 || i === 5;
  return lines
    .map((cells) =>
      cells.map((cell, i) => (isFigure(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join('  '),
    )
    .map((line) => `  ${line.trimEnd()}\n`)
    .join('');
}
