/**
 * Archive → what a model is given in place of the discarded messages.
 *
 * In wire order: a guide, the text at the head, frames in reading order with the pages kept as text between them, the
 * values that must be exact, pins, the text at the tail, and the newest request. What does not change from pass to pass
 * comes first, so that a prompt cache holds it.
 */
import { base64Bytes } from '../billing/base64-bytes.js';
import { imageLimit, requestBytesLimit, sideLimitPx } from '../billing/check-request.js';
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { requestLimits } from '../billing/request-limits.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { type Reader, type ReaderTarget, resolveReader } from '../page/readers.js';
import type { Archive, ArchivedFrame, FrameMime, Part } from './archive.js';
import { factsheetText } from './factsheet.js';
import { guideOf, type Label, labelOf } from './guide.js';

export type ContextBlock = {
  /** No later pass changes it, but one that makes a new layout. */
  readonly sealed?: boolean;
} & (
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly mime: FrameMime;
      readonly data: Uint8Array<ArrayBuffer>;
      readonly sha256: string;
    }
);

export interface ContextOptions {
  /** Who will read, where it is not the reader the archive was made for. One without vision gets text. */
  readonly reader?: ReaderTarget;
  /** What is left of a request for the archive. Default: what it was planned for, or the limits of `reader`. */
  readonly limits?: SendLimits;
  readonly overrides?: BillingOverrides;
}

export interface SendLimits {
  readonly maxImages?: number;
  /** Of base64 and text together. */
  readonly maxBytes?: number;
  readonly maxTokens?: number;
}

/**
 * The blocks, within the limits: where they do not allow all frames the newest win, and a marker stands where the others
 * were. None for an archive without any text. Throws nothing on limits, however small.
 */
export function contextBlocks(archive: Archive, options: ContextOptions = {}): ContextBlock[] {
  if (archive.parts.length === 0) return [];
  const reader =
    options.reader === undefined ? archive.reader : resolveReader(options.reader, options.overrides);
  const room = new Room(archive, reader, options);
  const behind = blocksBehind(archive);
  const head = archive.parts.filter((part) => part.type === 'text' && part.role === 'head');
  for (const block of [...behind, ...head]) room.take(block);
  const middle = middleBlocks(archive, reader, room);
  const guide = guideOf(archive, {
    asText: !reader.vision,
    hasGaps: middle.some((block) => block.type === 'text' && block.text.startsWith(GAP_MARK)),
  });
  return [
    { type: 'text', text: guide, sealed: true },
    ...head.flatMap((part) => labelled('head', part.type === 'text' ? part.text : '', true)),
    ...middle,
    ...behind,
  ];
}

/** Predicted tokens of all text that goes with the frames. */
export function besideTokens(archive: Omit<Archive, 'cost'>, overrides?: BillingOverrides): number {
  const none = { maxImages: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };
  const blocks = contextBlocks(archive as Archive, {
    limits: { ...none, maxTokens: Number.MAX_SAFE_INTEGER },
  });
  return blocks.reduce(
    (sum, block) =>
      block.type === 'text' ? sum + estimateTextTokens(block.text, archive.reader.tokenizer, overrides) : sum,
    0,
  );
}

/** What stands behind the frames. */
function blocksBehind({ factsheet, pins, parts, live, frames }: Archive): ContextBlock[] {
  const facts = frames.length === 0 ? '' : factsheetText(factsheet);
  const tail = parts.flatMap((part) => (part.type === 'text' && part.role === 'tail' ? [part.text] : []));
  return [
    ...(facts === '' ? [] : [{ type: 'text', text: facts } as const]),
    ...labelled('pins', pins),
    ...tail.flatMap((text) => labelled('tail', text)),
    ...labelled('live', live),
  ];
}

function labelled(label: Label, text: string, sealed = false): ContextBlock[] {
  if (text === '') return [];
  return [{ type: 'text', text: `${labelOf(label)}\n\n${text}`, ...(sealed && { sealed }) }];
}

/** What a request still has room for. */
class Room {
  readonly #reader: Reader;
  readonly #overrides: BillingOverrides | undefined;
  readonly #maxSidePx: number;
  #images: number;
  #bytes: number;
  #tokens: number;

  constructor(archive: Archive, reader: Reader, { reader: target, limits = {}, overrides }: ContextOptions) {
    const route = requestLimits(reader.limits.route, overrides);
    const planned = target === undefined ? archive.budget : undefined;
    this.#reader = reader;
    this.#overrides = overrides;
    this.#images = limits.maxImages ?? (planned ? orNone(planned.images) : imageLimit(route));
    this.#bytes = limits.maxBytes ?? (planned ? orNone(planned.bytes) : requestBytesLimit(route));
    this.#tokens = limits.maxTokens ?? orNone(planned?.tokens ?? null);
    const images = Math.min(this.#images, archive.frames.length);
    this.#maxSidePx = planned ? Number.POSITIVE_INFINITY : sideLimitPx(route, images);
  }

  isTooLarge({ widthPx, heightPx }: ArchivedFrame): boolean {
    return Math.max(widthPx, heightPx) > this.#maxSidePx;
  }

  /** Takes the block's share of the room; false, and nothing taken, where there is none left. */
  take(block: ContextBlock | Part, frame?: ArchivedFrame): boolean {
    const isImage = block.type === 'image';
    const bytes = isImage ? base64Bytes(block.data.length) : Buffer.byteLength(textOf(block));
    const tokens = isImage
      ? estimateImageTokens(this.#reader.billing, frame!).budgetTokens
      : estimateTextTokens(textOf(block), this.#reader.tokenizer, this.#overrides);
    if (isImage && this.#images < 1) return false;
    if (bytes > this.#bytes || tokens > this.#tokens) return false;
    if (isImage) this.#images--;
    this.#bytes -= bytes;
    this.#tokens -= tokens;
    return true;
  }
}

function textOf(block: ContextBlock | Part): string {
  return block.type === 'text' ? block.text : '';
}

function orNone(limit: number | null): number {
  return limit ?? Number.POSITIVE_INFINITY;
}

const GAP_MARK = '[images missing:';

/** Frames and pages between the edges, the newest first while there is room. */
function middleBlocks(archive: Archive, reader: Reader, room: Room): ContextBlock[] {
  const middle = archive.parts.filter((part) => part.type !== 'text' || part.role === 'page');
  const blocks: ContextBlock[] = [];
  let missing = 0;
  let isFull = false;
  const flush = () => {
    if (missing > 0)
      blocks.push({
        type: 'text',
        text: `${GAP_MARK} ${missing} of the archive, beyond the limits of this request]`,
      });
    missing = 0;
  };
  for (const part of middle.toReversed()) {
    const frame = part.type === 'frame' ? archive.frames[part.frame]! : undefined;
    const block = frame === undefined ? pageText(part) : frameBlock(frame, reader, room);
    // Once one has no room none before it gets any: the newest stretch stays whole.
    isFull ||= !room.take(block, frame);
    if (isFull) missing++;
    else {
      flush();
      blocks.push(block);
    }
  }
  flush();
  return blocks.reverse();
}

function pageText(part: Part): ContextBlock {
  return { type: 'text', text: part.type === 'text' ? part.text : '', sealed: true };
}

function frameBlock(frame: ArchivedFrame, reader: Reader, room: Room): ContextBlock {
  const { mime, data, sha256, sealed, text } = frame;
  if (reader.vision && !room.isTooLarge(frame))
    return { type: 'image', mime, data, sha256, ...(sealed && { sealed }) };
  return { type: 'text', text: text.replaceAll('█', '\n'), ...(sealed && { sealed }) };
}
