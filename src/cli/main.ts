/** Arguments → exit code. The only place that turns errors into words on stderr. */
import { CommanderError } from 'commander';
import { type ErrorCode, exitCodes, SnapcompactError } from '../errors.js';
import { type Io, onOneLine, processIo } from './io.js';
import { buildProgram } from './program.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the command line. Never throws; the first Ctrl-C stops cleanly, the second at once. */
export async function main(args: readonly string[], given?: Io): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (interrupt.signal.aborted) {
      for (const name of signals) process.off(name, onSignal);
      process.kill(process.pid, signal);
    }
    interrupt.abort();
  };
  for (const name of signals) process.on(name, onSignal);
  const io = given ?? processIo(interrupt.signal);
  const state = { exitCode: 0 };
  try {
    await buildProgram(io, state).parseAsync([...args], { from: 'user' });
    // A failed write to a file or a closed pipe is told one turn of the event loop later.
    await new Promise(setImmediate);
    io.check();
    return state.exitCode;
  } catch (error) {
    return reportError(error, io, args.includes('--json'));
  } finally {
    for (const name of signals) process.off(name, onSignal);
  }
}

function reportError(error: unknown, io: Io, asJson: boolean): number {
  // Commander has written its own words already: help, version, or what was wrong with the arguments.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (asJson) printFailure(io, 'usage', error.message);
    return exitCodes.usage;
  }
  if (error instanceof SnapcompactError) {
    io.err(`snapcompact: ${error.code === 'interrupted' ? 'interrupted' : onOneLine(error.message)}\n`);
    if (asJson) printFailure(io, error.code, error.message);
    return error.exitCode;
  }
  io.err(
    `snapcompact: a fault of snapcompact's own: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  if (asJson) printFailure(io, 'internal', String(error));
  return exitCodes.internal;
}

function printFailure(io: Io, code: ErrorCode, message: string): void {
  io.out(`${JSON.stringify({ status: 'failed', error: { code, message } }, null, 2)}\n`);
}
