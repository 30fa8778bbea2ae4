/** Opens what the caller named as a transcript: a file, or data in hand. Nothing is read before it is asked for. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SnapcompactError, systemReason } from '../errors.js';

/** A file path, a `file:` URL, or data under a name of the caller's choice. */
export type TranscriptSource = string | URL | NamedData;

export interface NamedData {
  readonly name: string;
  readonly data: Uint8Array | string | AsyncIterable<Uint8Array>;
}

export interface OpenSource {
  /** File name without its folder, or the caller's name. */
  readonly name: string;
  /** Set for a file. */
  readonly path?: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Large reads: one line of a session is often larger than the default chunk of 64 KB. */
const chunkBytes = 2 ** 20;

/** Throws `unreadable-input` for a missing file, a folder, or a URL that is not a file. */
export async function openSource(source: TranscriptSource): Promise<OpenSource> {
  if (typeof source === 'object' && 'data' in source) {
    return { name: source.name, chunks: chunksOf(source.data) };
  }
  const path = typeof source === 'string' ? source : localPath(source);
  const kind = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (kind.isDirectory()) {
    throw new SnapcompactError('unreadable-input', {
      expected: 'a transcript file',
      of: path,
      got: 'a folder',
      hint: 'name one session file in it',
    });
  }
  return { name: basename(path), path, chunks: fileChunks(path) };
}

function localPath(url: URL): string {
  if (url.protocol === 'file:') return fileURLToPath(url);
  throw new SnapcompactError('unreadable-input', {
    expected: 'a file: URL',
    of: 'the transcript',
    got: url.protocol,
    hint: 'download it first; nothing is fetched from the network',
  });
}

async function* fileChunks(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw cause instanceof SnapcompactError ? cause : unreadable(path, cause);
  }
}

async function* chunksOf(data: NamedData['data']): AsyncIterable<Uint8Array> {
  if (typeof data === 'string') yield Buffer.from(data, 'utf8');
  else if (data instanceof Uint8Array) yield data;
  else yield* data;
}

function unreadable(path: string, cause: unknown): SnapcompactError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const got = code === 'ENOENT' || code === 'ENOTDIR' ? 'no such file' : systemReason(cause);
  return new SnapcompactError('unreadable-input', { expected: 'a readable file', of: path, got, cause });
}
