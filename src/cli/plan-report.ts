/** What `plan` and `archive --dry-run` say: a table of the parts, the limit that binds, and what had to go. */
import type { ArchivePlan, PlanRow } from '../archive/plan-archive.js';
import type { Elision } from '../text/elision.js';
import type { SegmentKind } from '../text/segment.js';
import { number, onOneLine, plural } from './io.js';

const columns = ['part', 'count', 'characters', 'tokens', 'bytes', 'price'] as const;

export function planReport(input: string, plan: ArchivePlan): string {
  const rows = plan.rows.map(cellsOf);
  const widths = columns.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')}\n`;
  const { reader } = plan;
  return [
    `${onOneLine(input)} for ${onOneLine(reader.model)}, ${reader.shape} on ${reader.frame.widthPx}×${reader.frame.maxHeightPx}\n`,
    line(columns),
    ...rows.map(line),
    ...notes(plan).map((note) => `  ${note}\n`),
  ].join('');
}

function cellsOf({ part, count, chars, tokens, bytes, usd }: PlanRow): string[] {
  const price = usd === undefined ? '–' : `$${usd.toFixed(4)}`;
  return part === 'left out'
    ? [part, number(count), number(chars), '', '', '']
    : [part, number(count), chars === 0 ? '' : number(chars), number(tokens), number(bytes), price];
}

function notes({
  status,
  tokens,
  replacedTokens,
  binding,
  degradation,
  elisions,
  frames,
  idlePins,
}: ArchivePlan): string[] {
  const totals = `${number(tokens)} tokens in all, ${number(replacedTokens)} as text before`;
  return [
    status === 'archive' ? totals : `nothing to gain: ${totals}`,
    bindingLine(binding, frames),
    ...Object.keys(degradation).map((step) => `cut down: ${stepNames[step as keyof typeof stepNames]}`),
    ...droppedLine(elisions),
    ...idlePins.map(idlePin),
  ];
}

/** Most often a mistyped one. */
export function idlePin(rule: string): string {
  return `nothing is pinned by ${rule}`;
}

const stepNames = {
  'output-500': 'old tool results to 500 characters',
  'output-100': 'old tool results to 100 characters',
  'output-name': 'old tool results to the names of their calls',
  reasoning: 'old reasoning left out',
  call: 'old tool calls left out',
  answer: 'old answers left out',
  pin: 'old user turns moved from the frames to text',
} as const;

/** The tightest limit, and whether it had any effect. */
export function bindingLine(
  { limit, frames: allowed, needed }: ArchivePlan['binding'],
  frames: number,
): string {
  const room = `room for ${plural(allowed, 'full frame')}`;
  return needed > allowed
    ? `binding limit: ${limit}, ${room}, ${number(needed)} wanted, ${number(frames)} made`
    : `tightest limit: ${limit}, ${room}, ${number(frames)} needed`;
}

/** Segments left out, by kind. */
export function droppedLine(elisions: readonly Elision[]): string[] {
  const counts = new Map<SegmentKind, number>();
  for (const { dropped = {} } of elisions) {
    for (const [kind, count] of Object.entries(dropped) as [SegmentKind, number][]) {
      counts.set(kind, (counts.get(kind) ?? 0) + count);
    }
  }
  if (counts.size === 0) return [];
  const shown = [...counts].map(([kind, count]) => plural(count, kindNames[kind]));
  return [`left out whole: ${shown.join(', ')}`];
}

const kindNames: Readonly<Record<SegmentKind, string>> = {
  user: 'user turn',
  injected: 'injected text',
  reasoning: 'thought',
  answer: 'answer',
  call: 'call',
  output: 'output',
  note: 'note',
};
