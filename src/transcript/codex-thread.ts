/** The messages of a Codex session in order. What was rolled back stays where it is, marked as an abandoned branch. */
import type { Message } from '../history/history.js';

export class CodexThread {
  readonly messages: Message[] = [];
  /** Places of the user's turns that stand. */
  readonly #turns: number[] = [];

  push(message: Message): void {
    if (isTurn(message)) this.#turns.push(this.messages.length);
    this.messages.push(message);
  }

  /** Marks the last turns of the user, with all that followed them. More than there are means all there are. */
  undo(turns: number): void {
    const branch = this.messages.at(-1)?.id;
    const [from] = this.#turns.splice(Math.max(0, this.#turns.length - turns));
    if (from === undefined || branch === undefined) return;
    for (let i = from; i < this.messages.length; i++) {
      const message = this.messages[i] as Message;
      // What an earlier rollback undid belongs to that one.
      if (message.branch === undefined) this.messages[i] = { ...message, branch };
    }
  }
}

/** Whether a user said something in it, and not only programs. */
function isTurn({ role, injected, blocks }: Message): boolean {
  if (role !== 'user' || injected !== undefined) return false;
  return blocks.some((block) => block.type !== 'text' || block.injected === undefined);
}
