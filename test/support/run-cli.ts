/** Runs the command line in this process and gathers what it writes. */
import { main } from '../../src/cli/main.js';

export interface CliRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export interface CliRunOptions {
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
}

export async function runCli(args: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
  let out = '';
  let err = '';
  const exitCode = await main(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: options.isTerminal ?? false,
    signal: options.signal ?? new AbortController().signal,
    env: options.env ?? {},
    home: options.home ?? '/nonexistent',
    check: () => undefined,
  });
  return { exitCode, out, err };
}
