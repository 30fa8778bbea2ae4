/** Names the format of a transcript without importing it. */
import { chooseFormat, type FormatChoiceOptions } from './choose-format.js';
import { unpack } from './compressed.js';
import { readHead } from './head.js';
import type { Confidence } from './importer.js';
import { openStored } from './opencode-source.js';
import { openSource, type TranscriptSource } from './source.js';
import { utf8Chunks } from './utf8-chunks.js';

export interface DetectedFormat {
  /** `Importer.name`. */
  readonly format: string;
  readonly confidence: Confidence | 'forced';
}

/**
 * Looks at the first fifty records of `source`, never at its file name. A source given as a stream is consumed.
 * Throws as `chooseFormat` does, and `unreadable-input` if the source cannot be read.
 */
export async function detectFormat(
  source: TranscriptSource,
  options: FormatChoiceOptions = {},
): Promise<DetectedFormat> {
  const opened = (await openStored(source, options.format)) ?? (await openSource(source));
  const head = await readHead(utf8Chunks(unpack(opened.chunks, opened.name).chunks, opened.name));
  try {
    const { importer, confidence } = chooseFormat(head, opened.name, options);
    return { format: importer.name, confidence };
  } finally {
    await head.rest.return?.();
  }
}
