/**
 * Text that stands in a user turn although no user wrote it: agents wrap it in tags of their own, in front of what
 * the user typed, behind it, or alone.
 */
import type { Block, TextBlock } from '../history/history.js';
import type { Draft } from './draft.js';

/** Label of what a tag wraps. */
const labels: ReadonlyMap<string, string> = new Map([
  ['system-reminder', 'system-reminder'],
  ['environment_context', 'environment-context'],
  ['user_instructions', 'user-instructions'],
  ['ide_opened_file', 'ide-context'],
  ['ide_selection', 'ide-context'],
  ['new-diagnostics', 'diagnostics'],
  ['session-start-hook', 'hook'],
  ['user-prompt-submit-hook', 'hook'],
  ['task-notification', 'task-notification'],
  ['teammate-message', 'teammate-message'],
  ['command-name', 'local-command'],
  ['command-message', 'local-command'],
  ['command-args', 'local-command'],
  ['command-contents', 'local-command'],
  ['local-command-caveat', 'local-command'],
  ['local-command-stdout', 'command-output'],
  ['local-command-stderr', 'command-output'],
  ['bash-input', 'local-command'],
  ['bash-stdout', 'command-output'],
  ['bash-stderr', 'command-output'],
  ['turn_aborted', 'interruption'],
]);

const tagPattern = new RegExp(`<(/?)(${[...labels.keys()].join('|')})(?:\\s[^<>]{0,300})?>`, 'g');
const interruption = /^\s*\[Request interrupted by user[^\]]{0,40}\]\s*$/;
/** Claude Code ends a notification with a line of its own. */
const endOfNotification = /^(Read the output file|Full transcript available)[^\n]*$/;

interface Tag {
  readonly name: string;
  readonly closes: boolean;
  readonly from: number;
  readonly to: number;
}

/** A stretch of text; `label` is absent for what the user wrote. */
interface Stretch {
  from: number;
  to: number;
  readonly label?: string;
}

/**
 * The text of a user turn in order, cut at the borders of what was injected; neighbours under one label stay
 * together. Where opening and closing tags of a name do not match, as when a reminder quotes its own end, all the
 * rest counts as injected: nothing may pass for the user's that may not be. Only a tag that is named within a line
 * and closed nowhere is a word of the user. Linear in the text.
 */
export function splitInjected(text: string): TextBlock[] {
  if (text.length < 200 && interruption.test(text)) return [{ type: 'text', text, injected: 'interruption' }];
  const stretches = joined(text, stretchesOf(text));
  return stretches.map(({ from, to, label }) => ({
    type: 'text',
    text: text.slice(from, to),
    ...(label !== undefined && { injected: label }),
  }));
}

/** Label of a text that is all injected, or undefined. */
export function injectionOf(text: string): string | undefined {
  const [first] = splitInjected(text);
  return first?.text === text ? first.injected : undefined;
}

/** The blocks of a user turn with what was injected set apart. */
export function withLabels(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) =>
    block.type === 'text' && block.injected === undefined ? splitInjected(block.text) : [block],
  );
}

/** A message whose every block was injected by the same thing is injected as a whole; else `stated` says by what. */
export function liftLabel(draft: Draft, stated: string | undefined): Draft {
  if (draft.role === 'tool') return draft;
  const labelsSeen = new Set(
    draft.blocks.map((block) => (block.type === 'text' ? block.injected : undefined)),
  );
  const [only] = labelsSeen;
  const isWhole = labelsSeen.size === 1 && only !== undefined;
  if (!isWhole && stated === undefined) return draft;
  const blocks = draft.blocks.map(
    (block): Block => (isWhole && block.type === 'text' ? { type: 'text', text: block.text } : block),
  );
  return { ...draft, blocks, injected: isWhole ? only : (stated as string) };
}

function stretchesOf(text: string): Stretch[] {
  const tags = tagsOf(text);
  const left = new Map<string, { opened: number; closed: number }>();
  const count = ({ name, closes }: Tag, by: number): void => {
    const counts = left.get(name) ?? { opened: 0, closed: 0 };
    counts[closes ? 'closed' : 'opened'] += by;
    left.set(name, counts);
  };
  for (const tag of tags) count(tag, 1);
  const stretches: Stretch[] = [];
  let at = 0;
  for (let i = 0; i < tags.length; i++) {
    const tag = tags[i] as Tag;
    const { opened = 0, closed = 0 } = left.get(tag.name) ?? {};
    count(tag, -1);
    if (tag.closes) continue;
    const beginsLine = /(^|\n)[ \t]*$/.test(text.slice(Math.max(at, tag.from - 200), tag.from));
    if (closed === 0 && !beginsLine) continue;
    const end = opened === closed ? closingTag(tags, i) : undefined;
    const label = labels.get(tag.name) as string;
    stretches.push({ from: at, to: tag.from });
    at = end === undefined ? text.length : (tags[end] as Tag).to;
    stretches.push({ from: tag.from, to: at, label });
    if (end === undefined) break;
    for (; i < end; i++) count(tags[i + 1] as Tag, -1);
  }
  stretches.push({ from: at, to: text.length });
  return stretches;
}

function tagsOf(text: string): Tag[] {
  return [...text.matchAll(tagPattern)].map((match) => ({
    name: match[2] as string,
    closes: match[1] === '/',
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** Index of the tag that closes `tags[open]`, with blocks of the same name inside it passed by. */
function closingTag(tags: readonly Tag[], open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < tags.length; i++) {
    const tag = tags[i] as Tag;
    if (tag.name !== tags[open]?.name) continue;
    depth += tag.closes ? -1 : 1;
    if (depth === 0) return i;
  }
  return undefined;
}

/** Joins blanks to what they follow, and neighbours under one label. */
function joined(text: string, stretches: readonly Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  let blanksFrom: number | undefined;
  for (const stretch of stretches) {
    const last = out.at(-1);
    const own = text.slice(stretch.from, stretch.to);
    const isTail =
      last?.label === 'task-notification' &&
      stretch.label === undefined &&
      endOfNotification.test(own.trim());
    if (last !== undefined && (isTail || last.label === stretch.label || own.trim() === ''))
      last.to = stretch.to;
    else if (own.trim() === '') blanksFrom ??= stretch.from;
    else {
      out.push({ ...stretch, from: blanksFrom ?? stretch.from });
      blanksFrom = undefined;
    }
  }
  return out.length > 0 ? out : [{ from: 0, to: text.length }];
}
