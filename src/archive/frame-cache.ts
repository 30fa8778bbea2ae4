/**
 * Painted frames in memory, so that no page is painted twice: neither in the next pass nor in two at once.
 *
 * Bounded by the bytes of its entries, the least recently used going first. Keys are digests and entries are pixels: no
 * text is held. An entry is held against its own digest whenever it is used, since archives share its bytes.
 */
import { createHash } from 'node:crypto';
import { SnapcompactError } from '../errors.js';
import type { Painted } from './paint-pages.js';

export interface FrameCacheOptions {
  /** Bytes of frames to hold, from 0. Default 64,000,000, some 500 frames. */
  readonly maxBytes?: number;
}

/** Made by `createFrameCache`; one serves any number of passes, also at the same time. */
export interface FrameCache {
  readonly maxBytes: number;
  /** Bytes of all entries, exact at any moment. */
  readonly bytes: number;
  readonly frames: number;
  /** The frame under a key, if it is there and intact. */
  get(key: string): Painted | undefined;
  /** Stores a frame, unless it alone is larger than the cache. */
  set(key: string, frame: Painted): void;
  /** The frame that somebody is painting under a key; it gives `undefined` where that comes to nothing. */
  pending(key: string): Promise<Painted | undefined> | undefined;
  /** Says that the caller paints a key nobody else does; it must call what it gets, with the frame or without one. */
  claim(key: string): (frame?: Painted) => void;
  clear(): void;
}

const DEFAULT_MAX_BYTES = 64_000_000;

/** An empty cache. Throws `usage` for `maxBytes` out of range. */
export function createFrameCache({ maxBytes = DEFAULT_MAX_BYTES }: FrameCacheOptions = {}): FrameCache {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
    throw new SnapcompactError('usage', {
      expected: 'a whole number from 0',
      of: 'maxBytes of the frame cache',
      got: String(maxBytes),
    });
  }
  return new LruFrames(maxBytes);
}

class LruFrames implements FrameCache {
  readonly maxBytes: number;
  #bytes = 0;
  /** The least recently used first. */
  readonly #entries = new Map<string, Painted>();
  readonly #pending = new Map<string, Promise<Painted | undefined>>();

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get frames(): number {
    return this.#entries.size;
  }

  get(key: string): Painted | undefined {
    const frame = this.#entries.get(key);
    if (frame === undefined) return undefined;
    this.#remove(key, frame);
    if (createHash('sha256').update(frame.data).digest('hex') !== frame.sha256) return undefined;
    this.#add(key, frame);
    return frame;
  }

  set(key: string, frame: Painted): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(key, before);
    if (frame.data.byteLength > this.maxBytes) return;
    // A view on a larger buffer would hold all of it in memory.
    const isView = frame.data.buffer.byteLength > frame.data.byteLength;
    this.#add(key, isView ? { ...frame, data: frame.data.slice() } : frame);
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.maxBytes) break;
      this.#remove(oldest, entry);
    }
  }

  pending(key: string): Promise<Painted | undefined> | undefined {
    return this.#pending.get(key);
  }

  claim(key: string): (frame?: Painted) => void {
    let settle: (frame: Painted | undefined) => void = () => undefined;
    this.#pending.set(
      key,
      new Promise((resolve) => {
        settle = resolve;
      }),
    );
    return (frame) => {
      this.#pending.delete(key);
      if (frame !== undefined) this.set(key, frame);
      settle(frame);
    };
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #add(key: string, frame: Painted): void {
    this.#entries.set(key, frame);
    this.#bytes += frame.data.byteLength;
  }

  #remove(key: string, frame: Painted): void {
    this.#entries.delete(key);
    this.#bytes -= frame.data.byteLength;
  }
}
