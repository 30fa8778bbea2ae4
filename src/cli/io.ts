/** Where a command writes: data to `out`, words for people to `err`. Tests pass their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal that can be redrawn. */
  readonly isTerminal: boolean;
  readonly signal: AbortSignal;
}

/** The process's own streams. */
export function processIo(signal: AbortSignal): Io {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    signal,
  };
}

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Data as one JSON value, or else as the given text. */
export function print(io: Io, options: CommonOptions, data: unknown, text: () => string): void {
  if (options.json) io.out(`${JSON.stringify(data, null, 2)}\n`);
  else if (!options.quiet) io.out(text());
}
