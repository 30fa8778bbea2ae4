/** What `archive` says about one transcript. */
import { basename, relative } from 'node:path';
import type { Archived } from './archive-result.js';
import { onOneLine, plural } from './io.js';

/** One figure a line, names aligned. */
export function archiveReport(result: Archived): string {
  const { reader, counts, cost } = result;
  const rows: [string, string][] = [
    [
      'messages',
      `${number(counts.messages)} in ${plural(result.import.records, 'record')}${importNotes(result)}`,
    ],
    ['characters', `${number(counts.printedChars)} printed, ${number(counts.framedChars)} of them in frames`],
    ['frames', framesLine(result)],
    ['bytes', `${number(counts.bytes)} of PNG`],
    [
      'image tokens',
      `${number(cost.imageTokens)} predicted for ${reader.model}${reader.measured ? '' : ' (unmeasured reader)'}`,
    ],
    ['text tokens', savingLine(result)],
    ['price', priceLine(result)],
    ...countedRow(result),
    ['elisions', elisionsLine(result)],
    ['archive', `${relative('.', result.folder) || result.folder}`],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(13)} ${onOneLine(value)}`);
  return `${onOneLine(basename(result.input))} (${result.format})\n${lines.join('\n')}\n${problems(result)}`;
}

function framesLine({ counts, reader }: Archived): string {
  const { widthPx, maxHeightPx } = reader.frame;
  return `${number(counts.frames)} of ${reader.shape}, ${widthPx}×${maxHeightPx} pixels at most`;
}

function savingLine({ cost }: Archived): string {
  const { textTokens, imageTokens, savedTokens } = cost;
  const estimate = `${number(textTokens)} estimated for the same text`;
  if (textTokens === 0) return estimate;
  const share = Math.round((Math.abs(savedTokens) / textTokens) * 100);
  if (savedTokens >= 0) return `${estimate}: frames save ${number(savedTokens)} (${share} %)`;
  return `${estimate}: frames LOSE ${number(-savedTokens)} (${share} % more), ${number(imageTokens)} against ${number(textTokens)}`;
}

function priceLine({ price: { uncachedUsd, writeUsd, readUsd, cached } }: Archived): string {
  if (uncachedUsd === undefined || writeUsd === undefined || readUsd === undefined)
    return 'not known for this model';
  const sent = `${dollars(uncachedUsd)} to send the frames`;
  return cached ? `${sent}; cached ${dollars(writeUsd)} once, then ${dollars(readUsd)} a turn` : sent;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(4)}`;
}

function countedRow({ counted }: Archived): [string, string][] {
  if (counted === undefined) return [];
  const { countedTokens, predictedTokens, differenceTokens, differenceShare } = counted;
  const difference = `${differenceTokens > 0 ? '+' : ''}${number(differenceTokens)}`;
  const share = `${(differenceShare * 100).toFixed(1)} %`;
  return [
    [
      'counted',
      `${number(countedTokens)} by the vendor, ${number(predictedTokens)} predicted (${difference}, ${share})`,
    ],
  ];
}

function elisionsLine({ elisions }: Archived): string {
  if (elisions.length === 0) return 'none';
  const sum = (reason: string) =>
    elisions
      .filter((elision) => elision.reason === reason)
      .reduce((chars, elision) => chars + elision.chars, 0);
  const cut = elisions.filter(({ reason }) => reason === 'cap').length;
  const parts =
    cut > 0 ? [`${plural(cut, 'long text')} cut, ${plural(sum('cap'), 'character')} left out`] : [];
  if (sum('frames') > 0)
    parts.push(`the oldest ${number(sum('frames'))} characters found no frame (--max-frames)`);
  return `${number(elisions.length)}: ${parts.join('; ')}`;
}

function importNotes({ import: { skipped, unknown, broken } }: Archived): string {
  const parts = [`${number(total(skipped))} skipped`];
  if (total(unknown) > 0) parts.push(`${number(total(unknown))} of unknown kind`);
  if (broken.length > 0) parts.push(`${number(broken.length)} broken`);
  return ` (${parts.join(', ')})`;
}

/** Broken lines by number, unknown kinds by name, warnings: the first few of each. */
function problems({ import: { skipped, broken, unknown, warnings } }: Archived): string {
  const lines = [
    ...kindsLine('skipped', skipped),
    ...firstFew(
      broken.map(({ file, line, reason }) => `${file ? `${file} ` : ''}line ${line} is broken: ${reason}`),
    ),
    ...firstFew(
      Object.entries(unknown).map(([kind, count]) => `unknown kind "${kind}", ${plural(count, 'time')}`),
    ),
    ...firstFew(warnings),
  ];
  return lines.map((line) => `  note          ${onOneLine(line)}\n`).join('');
}

/** What was skipped, by kind, the most frequent first. */
function kindsLine(what: string, counts: Readonly<Record<string, number>>): string[] {
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (kinds.length === 0) return [];
  return [`${what}: ${kinds.map(([kind, count]) => `${number(count)} ${kind}`).join(', ')}`];
}

const SHOWN = 5;

function firstFew(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN) return lines;
  return [...lines.slice(0, SHOWN), `and ${number(lines.length - SHOWN)} more of these (--json lists all)`];
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
