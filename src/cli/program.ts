/** The command line: names, options and help. Each command's code loads when it runs. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { readPackageJson } from '../package-files.js';
import type { Io } from './io.js';

/** Set by a command that did its work but met failures: one bad file among several. */
export interface ExitState {
  exitCode: number;
}

export function buildProgram(io: Io, state: ExitState): Command {
  const { version } = readPackageJson('package.json') as { version: string };
  const program = new Command('snapcompact')
    .description('Archives agent transcripts as dense pixel-font PNG frames that a vision model reads back.')
    .version(version)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .exitOverride()
    .showHelpAfterError('(add --help for the options)');
  addArchive(program, io, state);
  addRearchive(program, io);
  addPlan(program, io, state);
  addRecover(program, io);
  addInspect(program, io);
  addUndo(program, io);
  addRender(program, io);
  addDecode(program, io, state);
  addShapes(program, io);
  addModels(program, io);
  return program;
}

function command(program: Command, usage: string, summary: string): Command {
  return program
    .command(usage)
    .description(summary)
    .option('--json', 'print the result as one JSON value on stdout')
    .option('--quiet', 'print no reports, progress or notes: only data and errors');
}

function addReaderOptions(target: Command): Command {
  return target
    .option('-m, --model <id>', 'the model that will read the frames, in any spelling')
    .option('--api <family>', 'its API family, such as anthropic-messages or openai-responses')
    .option('--route <name>', 'who carries the request: bedrock, openrouter, copilot, …')
    .option('--shape <id>', 'print in this shape instead of the one for the model');
}

function addThreads(target: Command): Command {
  return target.option(
    '--threads <n>',
    'worker threads; 0 paints in-process (default: one per core)',
    wholeNumber(0, 64),
  );
}

function addPaintOptions(target: Command): Command {
  return addThreads(target)
    .option('--max-frames <n>', 'frames at most (default 80)', wholeNumber(1, 600))
    .option('--force', 'replace a folder that snapcompact made from something else');
}

/** What decides the plan of an archive. */
function addPlanOptions(target: Command): Command {
  return addReaderOptions(target)
    .addOption(new Option('--reasoning <on|off>', 'keep what the model thought').choices(['on', 'off']))
    .addOption(new Option('--allow <refusal>', 'go on where snapcompact refuses').choices(['no-vision']))
    .option('--max-frames <n>', 'frames at most (default 80)', wholeNumber(1, 600))
    .option('--max-images <n>', "images in a request (default: the route's limit)", wholeNumber(0, 100_000))
    .option('--max-bytes <n>', "bytes of a request, such as 3MB (default: the route's limit)", count)
    .option('--window <tokens>', 'context window to fit, such as 200k (default: none)', count)
    .option('--used-tokens <n>', 'tokens of the window that are in use', count)
    .option('--reserve-tokens <n>', 'tokens to keep free for the answer (default 16384)', count)
    .option('--edge <n>', 'text kept at both ends, in frames of text (default 1)', decimal(0, 1000))
    .option(
      '--margin <share>',
      'keep a page as text unless its frame is cheaper by this share',
      decimal(0, 1),
    )
    .option('--only-if-smaller', 'refuse an archive that is not smaller than its source as text')
    .option(
      '--pin <rule>',
      'keep as text: id:<entry>, role:user, /pattern/ or words; may be repeated',
      gather,
    )
    .option('--pin-tokens <n>', 'tokens of pinned text at most (default 16000)', count)
    .option('--source-bytes <n>', 'bytes of source text to keep (default 16MB)', count)
    .addOption(
      new Option('--format <name>', 'how frames are encoded (default png)').choices(['png', 'webp']),
    );
}

function addFormatIn(target: Command): Command {
  return target.option('--format-in <name>', 'take the transcript for this format');
}

/** Each of these can be taken back, since an archive remembers how its transcript was read. */
function addTranscriptOptions(target: Command): Command {
  return addFormatIn(target)
    .option('--strict', 'refuse a format that is only probable, and any broken line')
    .option('--branches', 'append abandoned branches of a session tree')
    .addOption(new Option('--no-branches').hideHelp())
    .addOption(new Option('--subagents').hideHelp())
    .option('--no-subagents', 'leave out what subagents said');
}

const keepOld = ['--keep-old', 'keep the state before this pass, for undo'] as const;

function addArchive(program: Command, io: Io, state: ExitState): void {
  const archive = command(
    program,
    'archive <transcripts...>',
    'archive transcripts: each becomes a folder of frames; - reads standard input',
  )
    .option(
      '-o, --out <folder>',
      'the archive folder (default: ./<session>.snapcompact); with several transcripts, the folder to put them in',
    )
    .option('--dry-run', 'say what would be archived, and write nothing')
    .option('--force', 'replace a folder that snapcompact made from something else')
    .option(...keepOld)
    .option('--count-tokens', "ask Anthropic's free counter (needs ANTHROPIC_API_KEY), and compare");
  addThreads(addPlanOptions(addTranscriptOptions(archive))).action(async (inputs: string[], options) => {
    const { archiveCommand } = await import('./archive-command.js');
    state.exitCode = await archiveCommand(inputs, options, io);
  });
}

function addRearchive(program: Command, io: Io): void {
  const rearchive = command(
    program,
    'rearchive <archive> [transcript]',
    'add history to an archive, or make it anew for another model, shape or budget',
  )
    .option(
      '-o, --out <folder>',
      'write the result here and leave the archive as it is; needed for a foreign one',
    )
    .option('--add', 'add all of the transcript, even if it looks like a state of what is archived')
    .option('--force', 'replace a folder that snapcompact made from something else')
    .option(...keepOld);
  addThreads(addPlanOptions(addTranscriptOptions(rearchive))).action(
    async (archive: string, transcript: string | undefined, options) => {
      const { rearchiveCommand } = await import('./rearchive-command.js');
      await rearchiveCommand(archive, transcript, options, io);
    },
  );
}

function addPlan(program: Command, io: Io, state: ExitState): void {
  const plan = command(
    program,
    'plan <transcript>',
    'what an archive would hold and cost, without rendering',
  ).option('--replace', 'plan what takes the place of the transcript in a live context');
  addPlanOptions(addTranscriptOptions(plan)).action(async (transcript: string, options) => {
    const { planCommand } = await import('./plan-command.js');
    state.exitCode = await planCommand(transcript, options, io);
  });
}

function addRecover(program: Command, io: Io): void {
  command(program, 'recover <archive>', 'the exact text behind an archive: all of it, an entry, or a frame')
    .option('--entry <id>', 'of this entry of the transcript')
    .option('--frame <n>', 'of what this frame shows, counted from 1', wholeNumber(1, 100_000))
    .option('--rows <a-b>', 'of these rows of the frame, counted from 1')
    .option('--as-printed', 'the text as it is printed')
    .option('--lines', 'with --as-printed: break lines where the text does, instead of printing █')
    .action(async (archive: string, options) => {
      const { recoverCommand } = await import('./recover-command.js');
      await recoverCommand(archive, options, io);
    });
}

function addInspect(program: Command, io: Io): void {
  const inspect = command(program, 'inspect <path>', 'what is in an archive, a frame or a transcript');
  addFormatIn(inspect).action(async (path: string, options) => {
    const { inspectCommand } = await import('./inspect-command.js');
    await inspectCommand(path, options, io);
  });
}

function addUndo(program: Command, io: Io): void {
  command(
    program,
    'undo <archive>',
    'back to the state before the last pass, where --keep-old kept it',
  ).action(async (archive: string, options) => {
    const { undoCommand } = await import('./undo-command.js');
    await undoCommand(archive, options, io);
  });
}

function addRender(program: Command, io: Io): void {
  const render = command(program, 'render <file>', 'print any text file on frames; - reads standard input')
    .option('-o, --out <folder>', 'the folder for the frames (default: ./<name>.frames)')
    .option('--indented', 'keep the indentation of each line');
  addPaintOptions(addReaderOptions(render)).action(async (file: string, options) => {
    const { renderCommand } = await import('./render-command.js');
    await renderCommand(file, options, io);
  });
}

function addDecode(program: Command, io: Io, state: ExitState): void {
  command(program, 'decode <frames...>', 'read frames back: pixels to text; a folder stands for its frames')
    .option('--shape <id>', 'the shape they were printed in (default: found from the picture)')
    .option('--lines', 'break lines where the text does, instead of printing █')
    .action(async (files: string[], options) => {
      const { decodeCommand } = await import('./decode-command.js');
      state.exitCode = await decodeCommand(files, options, io);
    });
}

function addShapes(program: Command, io: Io): void {
  command(program, 'shapes', 'list the shapes a frame can be printed in').action(async (options) => {
    const { shapesCommand } = await import('./registry-commands.js');
    shapesCommand(options, io);
  });
}

function addModels(program: Command, io: Io): void {
  const models = command(program, 'models [id]', 'show how frames are made for a model, and why')
    .option('--api <family>', 'its API family')
    .option('--route <name>', 'who carries the request');
  models.action(async (id: string | undefined, options) => {
    const { modelsCommand } = await import('./registry-commands.js');
    await modelsCommand(id, options, io);
  });
}

function wholeNumber(low: number, high: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`Expected an integer from ${low} to ${high}.`);
  };
}

const units: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** `200000`, `200k`, `1M`, `3MB`. */
function count(value: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(value) ?? [];
  const number = Number(digits) * units[unit.toUpperCase()]!;
  if (Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('Expected a whole number, such as 200000, 200k or 3MB.');
}

function decimal(low: number, high: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+(\.\d+)?$/.test(value) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`Expected a number from ${low} to ${high}.`);
  };
}

function gather(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
