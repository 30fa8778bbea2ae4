/**
 * Marks in content: spelled out so that nothing said in a session can pass for structure.
 *
 * A mark's first character becomes `[U+XXXX]`; the rest stays legible. `[U+` is itself a mark, so the spelling is
 * reversible for any string. Marks are also found through folds, which vanish when the text is normalised; invisible
 * characters must be gone before (`visibleText`).
 */
import { readPackageJson } from '../package-files.js';
import { foldOf } from './characters.js';

/**
 * `page`: the marks of a bare page, which are the newline cell and the spelling of characters. `section`: those and
 * every mark that structures a printed history.
 */
export type MarkSet = 'page' | 'section';

interface MarkTable {
  /** Finds the characters that may start a mark. */
  readonly starts: RegExp;
  /** Marks by first character. */
  readonly byStart: ReadonlyMap<string, readonly string[]>;
}

const tables = new Map<MarkSet, MarkTable>();

/** `text` with the first character of every mark of `set` spelled out. Linear; the same string when none occurs. */
export function escapeMarks(text: string, set: MarkSet = 'section'): string {
  const { starts, byStart } = markTable(set);
  starts.lastIndex = 0;
  let out = '';
  let from = 0;
  for (let hit = starts.exec(text); hit !== null; hit = starts.exec(text)) {
    const marks = byStart.get(hit[0])!;
    if (!marks.some((mark) => holdsMark(text, hit.index, mark))) continue;
    out += text.slice(from, hit.index) + spellOut(hit[0].codePointAt(0)!);
    from = hit.index + hit[0].length;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** The text before `escapeMarks`; also turns every other `[U+XXXX]` back into its character. */
export function unescapeMarks(text: string): string {
  return text.replace(/\[U\+([0-9A-F]{4,6})\]/g, (spelling, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : spelling;
  });
}

/** The visible, reversible spelling of a character that is not printed as itself. */
export function spellOut(codePoint: number): string {
  return `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** Every mark of a set, as printed. */
export function marksOf(set: MarkSet): readonly string[] {
  return [...markTable(set).byStart.values()].flat();
}

/** Whether `mark` stands at `at` once folds are made. Looks at no more characters than the mark has. */
function holdsMark(text: string, at: number, mark: string): boolean {
  let matched = 1;
  let i = at + 1;
  while (matched < mark.length) {
    if (i >= text.length) return false;
    const codePoint = text.codePointAt(i)!;
    const printed = foldOf(codePoint) ?? String.fromCodePoint(codePoint);
    if (!printed.startsWith(mark.slice(matched, matched + printed.length))) return false;
    matched += printed.length;
    i += codePoint > 0xffff ? 2 : 1;
  }
  return true;
}

function markTable(set: MarkSet): MarkTable {
  const known = tables.get(set);
  if (known !== undefined) return known;
  const data = readPackageJson('src/text/marks.json') as Record<MarkSet, string[]>;
  const marks = set === 'page' ? data.page : [...data.page, ...data.section];
  const byStart = new Map<string, string[]>();
  for (const mark of marks) {
    const start = mark[0]!;
    byStart.set(start, [...(byStart.get(start) ?? []), mark]);
  }
  const table = { starts: new RegExp([...byStart].map(startPattern).join('|'), 'g'), byStart };
  tables.set(set, table);
  return table;
}

/** The start of a mark, where what follows may be its second character, as it is or before a fold. */
function startPattern([start, marks]: [string, readonly string[]]): string {
  const quote = (char: string) => char.replace(/[[\]/^-]/g, '\\$&');
  const seconds = new Set(marks.map((mark) => mark[1]));
  if (seconds.has(undefined)) return quote(start);
  return `${quote(start)}(?=[${[...seconds].map((char) => quote(char!)).join('')}]|[^ -~])`;
}
