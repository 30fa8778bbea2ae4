/** `snapcompact render`: a text file in, a folder of frames out. */
import { readdir } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { writeFolder } from '../archive/folder.js';
import { renderText } from '../archive/render-text.js';
import { SnapcompactError } from '../errors.js';
import { readInput } from '../read-input.js';
import { type CommonOptions, type Io, plural, print } from './io.js';
import { ProgressLine } from './progress.js';
import { readConfig } from './settings.js';

export interface RenderCommandOptions extends CommonOptions {
  readonly out?: string;
  readonly model?: string;
  readonly api?: string;
  readonly route?: string;
  readonly shape?: string;
  readonly indented?: boolean;
  readonly maxFrames?: number;
  readonly threads?: number;
  readonly force?: boolean;
}

/** Lists the frames of a rendered folder, and marks it as one that may be replaced. */
const LIST_FILE = 'frames.json';

export async function renderCommand(file: string, options: RenderCommandOptions, io: Io): Promise<void> {
  const { json: _json, quiet: _quiet, out, force = false, ...stated } = options;
  const config = await readConfig(io);
  const stem = file === '-' ? 'stdin' : basename(file, extname(file));
  const folder = resolve(out ?? `${stem}.frames`);
  const text = await readText(file);
  const progress = new ProgressLine(io, options);
  const { frames, reader } = await renderText(text, {
    ...config.settings,
    ...stated,
    overrides: config.overrides,
    onFrame: (done, total) => progress.show('frames', done, total),
    signal: io.signal,
  });
  progress.clear();
  const list = frames.map(({ png, text: _, ...frame }, index) => ({
    file: `${String(index + 1).padStart(4, '0')}.png`,
    bytes: png.length,
    ...frame,
  }));
  const data = { kind: 'snapcompact-frames', shape: reader.shape, frames: list };
  const files = [
    ...frames.map(({ png }, index) => ({ path: list[index]!.file, data: png })),
    { path: LIST_FILE, data: `${JSON.stringify(data, null, 2)}\n` },
  ];
  await writeFolder(folder, files, (target) => checkTarget(target, force));
  const bytes = list.reduce((sum, frame) => sum + frame.bytes, 0);
  const report = `${plural(frames.length, 'frame')} of ${reader.shape}, ${plural(bytes, 'byte')}: ${folder}\n`;
  if (options.json) print(io, options, { folder, ...data }, () => '');
  else if (!options.quiet) io.out(report);
}

/** Only a new or empty folder is written, or, with `--force`, one that holds nothing but frames of this command. */
async function checkTarget(folder: string, force: boolean): Promise<void> {
  const entries = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [] as string[];
    if (cause.code === 'ENOTDIR') return ['a file'];
    throw cause;
  });
  const isOurs =
    entries.includes(LIST_FILE) && entries.every((name) => /^(\d{4,}\.png|frames\.json)$/.test(name));
  if (entries.length === 0 || (force && isOurs)) return;
  throw new SnapcompactError('target-exists', {
    expected: 'a new folder',
    of: 'the target',
    got: isOurs ? 'frames of an earlier run' : 'a file or folder of something else',
    where: folder,
    hint: isOurs ? 'use --force to replace them' : 'choose another folder with --out',
  });
}

async function readText(file: string): Promise<string> {
  return file === '-' ? readAll(process.stdin) : (await readInput(file, 'the text to render')).toString();
}
