/**
 * Text that stands in a user turn although no user wrote it: agents wrap it in tags of their own.
 *
 * Two kinds of tag. `whole`: agents put such a block in front of real user text, so the text counts as injected
 * only if nothing else is in it. `start`: agents write such a message on their own, with a line of text after
 * the block at most, so the opening tag decides.
 */
interface TagRule {
  readonly label: string;
  readonly decides: 'whole' | 'start';
}

const tagRules: ReadonlyMap<string, TagRule> = new Map([
  ['system-reminder', { label: 'system-reminder', decides: 'whole' }],
  ['environment_context', { label: 'environment-context', decides: 'whole' }],
  ['user_instructions', { label: 'user-instructions', decides: 'whole' }],
  ['ide_opened_file', { label: 'ide-context', decides: 'whole' }],
  ['ide_selection', { label: 'ide-context', decides: 'whole' }],
  ['new-diagnostics', { label: 'diagnostics', decides: 'whole' }],
  ['session-start-hook', { label: 'hook', decides: 'whole' }],
  ['user-prompt-submit-hook', { label: 'hook', decides: 'whole' }],
  ['task-notification', { label: 'task-notification', decides: 'start' }],
  ['command-name', { label: 'local-command', decides: 'start' }],
  ['command-message', { label: 'local-command', decides: 'start' }],
  ['local-command-caveat', { label: 'local-command', decides: 'start' }],
  ['local-command-stdout', { label: 'command-output', decides: 'start' }],
  ['local-command-stderr', { label: 'command-output', decides: 'start' }],
  ['bash-input', { label: 'local-command', decides: 'start' }],
  ['bash-stdout', { label: 'command-output', decides: 'start' }],
  ['bash-stderr', { label: 'command-output', decides: 'start' }],
  ['turn_aborted', { label: 'interruption', decides: 'start' }],
] as const);

const openTag = /^\s*<([a-z][a-z0-9_-]{0,40})>/;
const interruption = /^\s*\[Request interrupted by user[^\]]{0,40}\]\s*$/;

/** Label of what injected `text`, or undefined if its role may have written it. Linear in the text. */
export function injectionOf(text: string): string | undefined {
  const name = openTag.exec(text.slice(0, 200))?.[1];
  if (name === undefined) return interruption.test(text.slice(0, 200)) ? 'interruption' : undefined;
  const rule = tagRules.get(name);
  if (rule === undefined) return undefined;
  if (rule.decides === 'start') return text.includes(`</${name}>`) ? rule.label : undefined;
  return isOnlyTaggedBlocks(text) ? rule.label : undefined;
}

function isOnlyTaggedBlocks(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const name = openTag.exec(text.slice(at, at + 200))?.[1];
    if (name === undefined || !tagRules.has(name)) return text.slice(at).trim() === '';
    const close = text.indexOf(`</${name}>`, at);
    if (close < 0) return false;
    at = close + name.length + 3;
  }
  return true;
}
