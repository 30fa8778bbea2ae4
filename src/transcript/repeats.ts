/**
 * Records that come again under their id: resuming a session with an old version of Claude Code copied them, with a
 * new time and session; replayed input prints them twice. Only what says the same again is left out.
 */
import { wholeJsonText } from '../history/json-text.js';
import type { Draft } from './draft.js';
import type { Tally } from './importer.js';

interface Known {
  readonly drafts: readonly Draft[];
  /** What they say, made when the id comes again. */
  text?: string;
}

export class Repeats {
  readonly #known = new Map<string, Known>();
  readonly #tally: Tally;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** Whether the record `id` was here before with the same messages; then it is tallied. */
  isRepeat(id: string | undefined, drafts: readonly Draft[]): boolean {
    if (id === undefined) return false;
    const known = this.#known.get(id);
    if (known === undefined) {
      // The lanes may let a draft grow when the next line of its response comes.
      const copies = drafts.map((draft) => ({ ...draft, blocks: [...draft.blocks] }));
      this.#known.set(id, { drafts: copies });
      return false;
    }
    known.text ??= content(known.drafts);
    if (known.text !== content(drafts)) return false;
    this.#tally.skip('repeated record');
    return true;
  }
}

function content(drafts: readonly Draft[]): string {
  return wholeJsonText(drafts.map(({ role, blocks, injected }) => [role, blocks, injected]));
}
