/** `snapcompact plan`: what an archive would hold and cost, without rendering. */
import { type ArchivePlan, planArchive } from '../archive/plan-archive.js';
import { exitCodes } from '../errors.js';
import { type EngineCommandOptions, engineOptions } from './engine-options.js';
import { type Io, print } from './io.js';
import { planReport } from './plan-report.js';
import { type ReadingOptions, readGiven } from './reading.js';
import { readConfig } from './settings.js';

export interface PlanCommandOptions extends EngineCommandOptions, ReadingOptions {
  /** Plan as for a live context, with its defaults, instead of as `archive` would. */
  readonly replace?: boolean;
}

/** Returns the exit code: that of a refusal where nothing is gained and that was asked for. */
export async function planCommand(path: string, options: PlanCommandOptions, io: Io): Promise<number> {
  const config = await readConfig(io);
  const { replace = false } = options;
  const transcript = await readGiven(path, options, io);
  const plan = await planArchive(transcript.history, {
    ...engineOptions(options, config),
    purpose: replace ? 'replace' : 'archive',
    source: transcript,
    signal: io.signal,
  });
  print(io, options, planResult(path, plan), () => planReport(path, plan));
  return planExitCode(plan.status, options);
}

/** With `--only-if-smaller` a plan is refused as its archive would be. */
export function planExitCode(status: string, { onlyIfSmaller }: EngineCommandOptions): number {
  return onlyIfSmaller && status === 'nothing' ? exitCodes['nothing-gained'] : 0;
}

/** A plan as `--json` prints it. */
export function planResult(input: string, plan: ArchivePlan) {
  return { input, ...plan, status: plan.status === 'archive' ? 'planned' : plan.status };
}
