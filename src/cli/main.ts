/** Arguments → exit code. The only place that turns errors into words on stderr. */
import { CommanderError } from 'commander';
import { exitCodes, SnapcompactError } from '../errors.js';
import { type Io, processIo } from './io.js';
import { buildProgram } from './program.js';

/** Runs the command line. Never throws; the first Ctrl-C stops cleanly, the second at once. */
export async function main(args: readonly string[], given?: Io): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const io = given ?? processIo(interrupt.signal);
  const state = { exitCode: 0 };
  try {
    await buildProgram(io, state).parseAsync([...args], { from: 'user' });
    return state.exitCode;
  } catch (error) {
    return reportError(error, io);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

function reportError(error: unknown, io: Io): number {
  // Commander has written its own words already: help, version, or what was wrong with the arguments.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof SnapcompactError) {
    io.err(`snapcompact: ${error.message}\n`);
    return error.exitCode;
  }
  io.err(
    `snapcompact: a fault of snapcompact's own: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return exitCodes.internal;
}
