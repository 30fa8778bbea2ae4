/** Names that a mistyped one may have meant. */

/**
 * At most three of `names`, nearest first: each at most three edits away, or starting with what was typed. None for a
 * long `wanted`.
 */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  if (wanted.length > 64) return [];
  const key = wanted.toLowerCase();
  return names
    .map((name) => ({ name, edits: editDistance(key, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.min(3, name.length / 2) || isHalfRemembered(key, name))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ name }) => name);
}

function isHalfRemembered(key: string, name: string): boolean {
  return key.length >= 3 && name.toLowerCase().startsWith(key);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
