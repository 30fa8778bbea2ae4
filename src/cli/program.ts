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

function addPaintOptions(target: Command): Command {
  return target
    .option('--max-frames <n>', 'frames at most (default 80)', wholeNumber(1, 600))
    .option(
      '--threads <n>',
      'worker threads; 0 paints in-process (default: one per core)',
      wholeNumber(0, 64),
    )
    .option('--force', 'replace a folder that snapcompact made from something else');
}

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
    .option('--format-in <name>', 'take the transcript for this format')
    .option('--strict', 'refuse a format that is only probable, and any broken line')
    .option('--branches', 'append abandoned branches of a session tree')
    .option('--no-subagents', 'leave out what subagents said')
    .addOption(new Option('--reasoning <on|off>', 'keep what the model thought').choices(['on', 'off']))
    .option('--count-tokens', "ask Anthropic's free counter (needs ANTHROPIC_API_KEY), and compare")
    .addOption(new Option('--allow <refusal>', 'go on where snapcompact refuses').choices(['no-vision']));
  addPaintOptions(addReaderOptions(archive)).action(async (inputs: string[], options) => {
    const { archiveCommand } = await import('./archive-command.js');
    state.exitCode = await archiveCommand(inputs, options, io);
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
