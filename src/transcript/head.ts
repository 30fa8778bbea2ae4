/**
 * Reads as much of a source as it takes to recognise it, and keeps what was read, so that a source that can be
 * read only once need not be read again.
 */
import { fieldsOf } from './fields.js';
import type { Probe } from './importer.js';
import { type JsonEvents, JsonLines } from './json-lines.js';

/** Values looked at, not counting those that only keep state: new versions begin with ever more of them. */
const probeValues = 50;
const maxProbeValues = 1000;
/** No further than this, unless a single value is larger. */
const probeBytes = 8 * 2 ** 20;
const headBytes = 64 * 2 ** 10;

/** What the reader told of a value or a line, kept for the sink that is not known yet. */
export type KeptEvent =
  | { readonly kind: 'value'; readonly value: unknown; readonly line: number }
  | { readonly kind: 'broken'; readonly line: number; readonly reason: string; readonly torn: boolean }
  | { readonly kind: 'noise' | 'damaged'; readonly line: number };

export function replay(events: readonly KeptEvent[], target: JsonEvents): void {
  for (const event of events) {
    if (event.kind === 'value') target.value(event.value, event.line);
    else if (event.kind === 'broken') target.broken(event.line, event.reason, event.torn);
    else if (event.kind === 'noise') target.noise(event.line);
    else target.damaged?.(event.line);
  }
}

export interface SourceHead {
  readonly probe: Probe;
  /** The whole source was read. */
  readonly complete: boolean;
  /** Nothing but blanks in it. Only known if `complete`. */
  readonly blank: boolean;
  readonly counts: { readonly values: number; readonly noise: number; readonly broken: number };
  /** What the reader told so far. */
  readonly events: readonly KeptEvent[];
  readonly chunks: readonly Uint8Array[];
  readonly rest: AsyncIterator<Uint8Array>;
  /** The reader goes on where the head ends, and tells `relay.target`. */
  readonly reader: JsonLines;
  readonly relay: { target: JsonEvents };
}

export async function readHead(source: AsyncIterable<Uint8Array>): Promise<SourceHead> {
  const keeper = new EventKeeper();
  const relay: { target: JsonEvents } = { target: keeper };
  const reader = new JsonLines({
    value: (value, line) => relay.target.value(value, line),
    damaged: (line) => relay.target.damaged?.(line),
    passed: (kind, line) => relay.target.passed(kind, line),
    broken: (line, reason, torn) => relay.target.broken(line, reason, torn),
    noise: (line) => relay.target.noise(line),
  });
  const rest = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let complete = false;
  while (!complete && !keeper.isFull && (bytes < probeBytes || reader.isInsideValue)) {
    const next = await rest.next();
    if (next.done === true) {
      complete = true;
      reader.end();
      break;
    }
    // Sources may reuse their buffer.
    const chunk = new Uint8Array(next.value);
    chunks.push(chunk);
    bytes += chunk.length;
    reader.push(chunk);
  }
  const head = decodeHead(chunks);
  return {
    probe: {
      records: keeper.first,
      jsonShare: keeper.values / Math.max(1, keeper.values + keeper.noiseCount),
      document: complete && keeper.values === 1,
      head,
    },
    complete,
    blank: complete && keeper.values === 0 && chunks.every(isBlank),
    counts: { values: keeper.values, noise: keeper.noiseCount, broken: keeper.brokenCount },
    events: keeper.events,
    chunks,
    rest,
    reader,
    relay,
  };
}

class EventKeeper implements JsonEvents {
  readonly events: KeptEvent[] = [];
  readonly first: unknown[] = [];
  #telling = 0;
  values = 0;
  noiseCount = 0;
  brokenCount = 0;

  get isFull(): boolean {
    return this.#telling >= probeValues || this.first.length >= maxProbeValues;
  }

  value(value: unknown, line: number): void {
    this.values += 1;
    if (!this.isFull) {
      this.first.push(value);
      if (!isState(value)) this.#telling += 1;
    }
    this.events.push({ kind: 'value', value, line });
  }
  damaged(line: number): void {
    this.events.push({ kind: 'damaged', line });
  }
  passed(): void {}
  broken(line: number, reason: string, torn: boolean): void {
    this.brokenCount += 1;
    this.events.push({ kind: 'broken', line, reason, torn });
  }
  noise(line: number): void {
    this.noiseCount += 1;
    this.events.push({ kind: 'noise', line });
  }
}

/** A record of a session that names its kind and says nothing. */
function isState(value: unknown): boolean {
  const record = fieldsOf(value);
  if (typeof record?.['type'] !== 'string' || typeof record['sessionId'] !== 'string') return false;
  return !('message' in record || 'content' in record);
}

function decodeHead(chunks: readonly Uint8Array[]): string {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    if (bytes >= headBytes) break;
    parts.push(chunk.subarray(0, headBytes - bytes));
    bytes += chunk.length;
  }
  // `stream` keeps a character that is cut at the end from being shown as damaged.
  return new TextDecoder().decode(Buffer.concat(parts), { stream: true });
}

function isBlank(chunk: Uint8Array): boolean {
  return chunk.every((byte) => byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf);
}
