/** Reports of one figure a line, and the counts in them. */
import { number, onOneLine } from './io.js';

export type Row = readonly [name: string, value: string];

/** A title and one figure a line, names aligned. */
export function report(title: string, rows: readonly Row[]): string {
  const lines = rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${name.padEnd(13)} ${onOneLine(value)}\n`);
  return `${onOneLine(title)}\n${lines.join('')}`;
}

export function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${number(count)} ${kind}`)
    .join(', ');
}

export function countBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

const SHOWN = 5;

/** The first few of a list, and how many more there are. */
export function firstFew(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN) return lines;
  return [...lines.slice(0, SHOWN), `and ${number(lines.length - SHOWN)} more of these (--json lists all)`];
}
