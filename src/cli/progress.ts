/** One line on a terminal that says how far long work is; nothing elsewhere. */
import type { CommonOptions, Io } from './io.js';

const BAR_CELLS = 24;
/** Work shorter than this shows no bar. */
const PATIENCE_MS = 400;

export class ProgressLine {
  readonly #io: Io;
  readonly #started = Date.now();
  #isShown = false;

  readonly #isQuiet: boolean;

  constructor(io: Io, { quiet = false }: CommonOptions) {
    this.#io = io;
    this.#isQuiet = quiet;
  }

  show(what: string, done: number, total: number): void {
    if (this.#isQuiet || !this.#io.isTerminal || Date.now() - this.#started < PATIENCE_MS) return;
    const filled = Math.round((done / total) * BAR_CELLS);
    this.#io.err(`\r\x1b[K${'━'.repeat(filled)}${'┄'.repeat(BAR_CELLS - filled)} ${done}/${total} ${what}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#io.err('\r\x1b[K');
    this.#isShown = false;
  }
}
