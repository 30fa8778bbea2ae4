/** Text cut at tags that stand at the beginning of a line: within a line they are words about tags. */

export interface TaggedPart {
  /** Absent for the text between the tags. */
  readonly tag?: string;
  readonly text: string;
}

/** The parts in order. A tag that is not closed is text. Linear in the text. */
export function tagged(text: string, names: readonly string[]): TaggedPart[] {
  const parts: TaggedPart[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const match of text.matchAll(new RegExp(`(?<=^|[\\n>])[ \\t]{0,8}<(${names.join('|')})>`, 'g'))) {
    const tag = match[1] as string;
    if (match.index < from || unclosed.has(tag)) continue;
    const begin = match.index + match[0].length;
    const end = text.indexOf(`</${tag}>`, begin);
    if (end < 0) {
      unclosed.add(tag);
      continue;
    }
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ tag, text: text.slice(begin, end) });
    from = end + tag.length + 3;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}
