/**
 * Unpacks gzip and zstd sources while they are read. They are known by their first bytes; agents and people name
 * such files as they like.
 *
 * Where compressed data is cut or damaged, what came before is given all the same and `damage` says so: a session
 * that was being written, or copied while it grew, would be lost whole otherwise. Only where nothing came out at
 * all is it an error. The source is read to its end either way, so that its digest is that of the whole file.
 */
import { createGunzip } from 'node:zlib';
import { SnapcompactError, systemReason } from '../errors.js';

/** Small pieces keep what a bomb makes of one piece in bounds: a byte of deflate can stand for a thousand. */
const pieceBytes = 2 ** 14;
/** As the `zstd` program allows without being asked for more. */
const maxWindowBytes = 2 ** 27;
const magicBytes = 4;

export interface Unpacked {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Set once the source was read, if it was compressed and its end is missing or not readable. */
  readonly damage: SnapcompactError | undefined;
}

/** Plain sources pass as they are. The iteration throws `broken-input` if compressed data gives nothing. */
export function unpack(source: AsyncIterable<Uint8Array>, name: string): Unpacked {
  const state: { damage: SnapcompactError | undefined } = { damage: undefined };
  const report = (error: SnapcompactError): void => {
    state.damage = error;
  };
  return {
    chunks: unpackedChunks(source, name, report),
    get damage() {
      return state.damage;
    },
  };
}

/** One kind of compression at work. Both methods give what came out so far, and throw what is wrong with it. */
interface Unpacker {
  readonly title: string;
  push(piece: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Takes what came out since the last call. */
  take(): Uint8Array[];
}

async function* unpackedChunks(
  source: AsyncIterable<Uint8Array>,
  name: string,
  report: (error: SnapcompactError) => void,
): AsyncIterable<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  let unpacker: Unpacker | undefined;
  let failure: unknown;
  let bytes = 0;
  for await (const chunk of source) {
    let data = chunk;
    if (head !== undefined) {
      head = Buffer.concat([head, chunk]);
      if (head.length < magicBytes) continue;
      data = head;
      head = undefined;
      unpacker = await unpackerFor(data);
    }
    if (unpacker === undefined) yield data;
    for (let at = 0; unpacker !== undefined && failure === undefined && at < data.length; at += pieceBytes) {
      failure = await failureOf(unpacker.push(data.subarray(at, at + pieceBytes)));
      for (const piece of unpacker.take()) {
        bytes += piece.length;
        yield piece;
      }
    }
  }
  if (head !== undefined && head.length > 0) yield head;
  if (unpacker === undefined) return;
  failure ??= await failureOf(unpacker.end());
  for (const piece of unpacker.take()) {
    bytes += piece.length;
    yield piece;
  }
  if (failure === undefined) return;
  const error = damageOf(failure, unpacker.title, name, bytes);
  if (bytes === 0) throw error;
  report(error);
}

async function failureOf(work: Promise<void>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (cause) {
    return cause;
  }
}

async function unpackerFor(head: Uint8Array): Promise<Unpacker | undefined> {
  if (head[0] === 0x1f && head[1] === 0x8b) return new Gzip();
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return zstd();
  return undefined;
}

/** Several members in a row are one text; zeros behind the last are padding. */
class Gzip implements Unpacker {
  readonly title = 'gzip';
  readonly #stream = createGunzip();
  #out: Uint8Array[] = [];
  #failure: Error | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor() {
    this.#stream.on('data', (data: Uint8Array) => this.#out.push(data));
    this.#stream.on('error', (error) => {
      this.#failure = error;
      this.#wake?.();
    });
    this.#stream.on('end', () => {
      this.#isOver = true;
      this.#wake?.();
    });
  }

  push(piece: Uint8Array): Promise<void> {
    // The stream ends by itself in front of padding, and would then never call back.
    return this.#run((done) => this.#stream.write(piece, done));
  }

  end(): Promise<void> {
    return this.#run(() => this.#stream.end());
  }

  take(): Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #run(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (this.#failure !== undefined) reject(this.#failure);
        else resolve();
      };
      if (this.#failure !== undefined || this.#isOver) settle();
      else {
        this.#wake = settle;
        start(settle);
      }
    });
  }
}

/** Loaded on first use: few sources are compressed. */
async function zstd(): Promise<Unpacker> {
  const { Decompress } = await import('fzstd');
  let out: Uint8Array[] = [];
  const stream = new Decompress((data) => {
    if (data.length > 0) out.push(data);
  });
  let isFirst = true;
  return {
    title: 'zstd',
    async push(piece) {
      if (isFirst) refuseWideWindow(piece);
      isFirst = false;
      stream.push(piece);
    },
    async end() {
      stream.push(new Uint8Array(0), true);
    },
    take() {
      const taken = out;
      out = [];
      return taken;
    },
  };
}

/** The window is held in memory, and the header may ask for two gigabytes of it. */
function refuseWideWindow(head: Uint8Array): void {
  const [flags = 0, descriptor = 0] = head.subarray(4, 6);
  const base = 2 ** (10 + (descriptor >> 3));
  let bytes = base + (base / 8) * (descriptor & 7);
  // A frame in one segment has its whole content for a window, and states that size behind a dictionary's id.
  if ((flags & 0x20) !== 0) {
    const at = 5 + ([0, 1, 2, 4][flags & 3] ?? 0);
    const size = head.subarray(at, at + 2 ** (flags >> 6));
    bytes = size.reduceRight((sum, byte) => sum * 256 + byte, 0);
  }
  if (bytes > maxWindowBytes) throw new Error('a window of more than 128 MiB');
}

function damageOf(cause: unknown, title: string, name: string, bytes: number): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: `whole ${title} data`,
    of: name,
    got: `data that breaks off (${firstWords(cause)})`,
    where: bytes === 0 ? 'at its start' : `after ${bytes} unpacked bytes`,
    ...(bytes === 0 && { hint: `unpack it with ${title} to see what is left of it` }),
    cause,
  });
}

function firstWords(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : systemReason(cause);
}
