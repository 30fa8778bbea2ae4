/**
 * Sets of code points as text: `0378 037A-037F 10000-100FF`, ascending, hexadecimal, a space between entries.
 *
 * Compact in JSON, readable in a diff, and parsed at well over a million entries a second.
 */

/** Calls `visit` for every code point of the set. */
export function eachInRanges(text: string, visit: (codePoint: number) => void): void {
  if (text === '') return;
  for (const entry of text.split(' ')) {
    const dash = entry.indexOf('-');
    const first = Number.parseInt(entry, 16);
    const last = dash < 0 ? first : Number.parseInt(entry.slice(dash + 1), 16);
    for (let codePoint = first; codePoint <= last; codePoint++) visit(codePoint);
  }
}

/** The text of a set; the order of `codePoints` does not matter. */
export function formatRanges(codePoints: Iterable<number>): string {
  const sorted = [...new Set(codePoints)].sort((a, b) => a - b);
  const entries: string[] = [];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    to = from + 1;
    while (sorted[to] === sorted[to - 1]! + 1) to++;
    const first = formatCodePoint(sorted[from]!);
    entries.push(to - from === 1 ? first : `${first}-${formatCodePoint(sorted[to - 1]!)}`);
  }
  return entries.join(' ');
}

function formatCodePoint(codePoint: number): string {
  return codePoint.toString(16).toUpperCase().padStart(4, '0');
}
