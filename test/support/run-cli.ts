/** Runs the command line in this process and gathers what it writes. */
import { main } from '../../src/cli/main.js';

export interface CliRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export async function runCli(
  args: readonly string[],
  options: { isTerminal?: boolean; signal?: AbortSignal } = {},
): Promise<CliRun> {
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
    check: () => undefined,
  });
  return { exitCode, out, err };
}
