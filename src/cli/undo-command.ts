/** `snapcompact undo`: back to the state before the last pass, where that was kept. */
import { resolve } from 'node:path';
import { undoArchive } from '../archive/undo-archive.js';
import { type CommonOptions, type Io, onOneLine, plural, print } from './io.js';

export async function undoCommand(target: string, options: CommonOptions, io: Io): Promise<void> {
  const { counts, reader } = await undoArchive(target);
  if (options.quiet && !options.json) return;
  print(io, options, { folder: resolve(target), status: 'undone', counts, reader }, () => {
    const frames = plural(counts.frames, 'frame');
    return `${onOneLine(target)}: back to ${frames} of ${plural(counts.messages, 'message')}\n`;
  });
}
