/** What `archive` says about one transcript. */
import { basename, relative } from 'node:path';
import type { ImportReport } from '../transcript/importer.js';
import type { Archived } from './archive-result.js';
import { number, onOneLine, plural } from './io.js';
import { bindingLine, droppedLine, idlePin } from './plan-report.js';
import { firstFew } from './report.js';

/** One figure a line, names aligned. */
export function archiveReport(result: Archived): string {
  const { counts } = result;
  const rows: [string, string][] = [
    ['messages', messagesLine(result)],
    ['characters', `${number(counts.printedChars)} printed, ${number(counts.framedChars)} of them in frames`],
    ['frames', framesLine(result)],
    ['bytes', `${number(counts.bytes)} of ${result.mime === 'image/webp' ? 'WebP' : 'PNG'}`],
    ['image tokens', imageLine(result)],
    ['text tokens', savingLine(result)],
    ['in all', totalLine(result)],
    ...(result.advice === undefined ? [] : [['better', result.advice] as [string, string]]),
    ['price', priceLine(result)],
    ...countedRow(result),
    ['limit', bindingLine(result.binding, counts.frames)],
    ['elisions', elisionsLine(result)],
    ...droppedLine(result.elisions).map((line): [string, string] => ['', line]),
    ...reasoningRow(result),
    ...result.idlePins.map((rule): [string, string] => ['pins', idlePin(rule)]),
    ['archive', `${relative('.', result.folder) || result.folder}`],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(13)} ${onOneLine(value)}`);
  const format = result.format === undefined ? '' : ` (${result.format})`;
  return `${onOneLine(basename(result.input))}${format}\n${lines.join('\n')}\n${problems(result)}`;
}

function messagesLine(result: Archived): string {
  const { counts, import: report } = result;
  if (report === undefined) return number(counts.messages);
  // A pass on an archive read but a part of them.
  const joint = result.unchanged === undefined ? ' in ' : '; read now: ';
  return `${number(counts.messages)}${joint}${plural(report.records, 'record')}${importNotes(report)}`;
}

function imageLine({ cost, reader }: Archived): string {
  return `${number(cost.imageTokens)} predicted for ${reader.model}${reader.measured ? '' : ' (unmeasured reader)'}`;
}

/** Frames and the text that goes with them, against the source as text. */
function totalLine({ cost }: Archived): string {
  const { totalTokens, besideTokens, replacedTokens } = cost;
  return `${number(totalTokens)} tokens, ${number(besideTokens)} of them text beside the frames; ${number(replacedTokens)} for the whole source as text`;
}

function framesLine({ counts, reader, tiers, unchanged }: Archived): string {
  const { widthPx, maxHeightPx } = reader.frame;
  const dense = tiers.lq > 0 ? `, ${number(tiers.lq)} of them denser` : '';
  const kept = unchanged === undefined ? '' : `; ${number(unchanged)} as they were`;
  return `${number(counts.frames)} of ${reader.shape}${dense}, ${widthPx}×${maxHeightPx} pixels at most${kept}`;
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

function reasoningRow({ reasoningGone }: Archived): [string, string][] {
  if (reasoningGone === undefined) return [];
  const { texts, chars } = reasoningGone;
  const what = `${plural(texts, 'text')} of reasoning, ${plural(chars, 'character')}`;
  return [
    ['source', `${what}, left the archive for good; only --keep-old, or its transcript, has them still`],
  ];
}

function elisionsLine({ elisions }: Archived): string {
  if (elisions.length === 0) return 'none';
  const sum = (reason: string) =>
    elisions
      .filter((elision) => elision.reason === reason)
      .reduce((chars, elision) => chars + elision.chars, 0);
  const cut = elisions.filter(({ reason }) => reason === 'cap').length;
  const parts = [
    ...(cut > 0 ? [`${plural(cut, 'long text')} cut, ${plural(sum('cap'), 'character')} left out`] : []),
    ...(sum('budget') > 0 ? [`${plural(sum('budget'), 'character')} found no room`] : []),
    ...(sum('source') > 0 ? [`${plural(sum('source'), 'character')} beyond the source that is kept`] : []),
  ];
  return `${number(elisions.length)}: ${parts.join('; ')}`;
}

function importNotes({ skipped, unknown, broken }: ImportReport): string {
  const parts = [`${number(total(skipped))} skipped`];
  if (total(unknown) > 0) parts.push(`${number(total(unknown))} of unknown kind`);
  if (broken.length > 0) parts.push(`${number(broken.length)} broken`);
  return ` (${parts.join(', ')})`;
}

/** Broken lines by number, unknown kinds by name, warnings: the first few of each. */
function problems({ import: report }: Archived): string {
  if (report === undefined) return '';
  const { skipped, broken, unknown, warnings } = report;
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

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
