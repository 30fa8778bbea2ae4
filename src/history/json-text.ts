/**
 * Foreign values as JSON text. A transcript may hold anything, to any depth, and a library caller may hand over
 * what JSON has no form for; none of it may stop an import or a print.
 */

/** Nobody reads further in, and a native stringifier or a recursion would run out of stack at some depth. */
const maxDepth = 200;
const cut = '"…"';

interface Frame {
  readonly value: object;
  /** Names of the fields; absent for an array. */
  readonly keys: readonly string[] | undefined;
  next: number;
  isEmpty: boolean;
}

/**
 * Compact JSON as `JSON.stringify` gives it, for any value; never throws. What lies deeper than 200 brackets, and
 * what contains itself, prints as `"…"`; a big integer as its digits; undefined and functions as null.
 */
export function jsonText(value: unknown): string {
  try {
    return isPlain(value, 0) ? JSON.stringify(value) : print(value, maxDepth);
  } catch {
    // A getter that throws, or more text than a string can hold.
    return cut;
  }
}

/** As `jsonText` to any depth: equal texts mean equal values. For values that came from JSON. */
export function wholeJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return print(value, Number.POSITIVE_INFINITY);
  }
}

/** Whether the native stringifier gives what `print` would. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object')
    return typeof value === 'string' || typeof value === 'number' || value === true || value === false;
  if (value === null) return true;
  if (depth >= maxDepth || 'toJSON' in value) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

function print(root: unknown, deepest: number): string {
  const out: string[] = [];
  const open: Frame[] = [];
  const ancestors = new Set<object>();
  const begin = (raw: unknown): void => {
    const value =
      (raw as { toJSON?: unknown } | null)?.toJSON instanceof Function ? (raw as Date).toJSON() : raw;
    if (typeof value !== 'object' || value === null) out.push(scalar(value));
    else if (open.length >= deepest || ancestors.has(value)) out.push(cut);
    else {
      const keys = Array.isArray(value) ? undefined : Object.keys(value);
      out.push(keys === undefined ? '[' : '{');
      open.push({ value, keys, next: 0, isEmpty: true });
      ancestors.add(value);
    }
  };
  begin(root);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const { keys } = frame;
    const count = keys === undefined ? (frame.value as unknown[]).length : keys.length;
    if (frame.next === count) {
      out.push(keys === undefined ? ']' : '}');
      ancestors.delete(frame.value);
      open.pop();
      continue;
    }
    const key = keys?.[frame.next] ?? frame.next;
    const value = (frame.value as Record<string | number, unknown>)[key];
    frame.next += 1;
    if (keys !== undefined && (value === undefined || typeof value === 'function')) continue;
    if (!frame.isEmpty) out.push(',');
    frame.isEmpty = false;
    if (keys !== undefined) out.push(JSON.stringify(key), ':');
    begin(value);
  }
  return out.join('');
}

function scalar(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value) ?? 'null';
}
