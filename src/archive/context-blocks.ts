/**
 * Archive → what a model is given in place of the discarded messages.
 *
 * In wire order: a guide, the text at the head, frames in reading order with the pages kept as text between them, the
 * values that must be exact, pins, the text at the tail, and the newest request. What does not change from pass to pass
 * comes first, so that a prompt cache holds it.
 */
import { base64Bytes } from '../billing/base64-bytes.js';
import {
  imageBytesLimit,
  imageLimit,
  patchCount,
  patchLimit,
  requestBytesLimit,
  sideLimitPx,
} from '../billing/check-request.js';
import { estimateImageTokens } from '../billing/image-tokens.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { type RequestLimits, requestLimits } from '../billing/request-limits.js';
import { estimateTextTokens } from '../billing/text-tokens.js';
import { EDGE_PAGES } from '../page/foveate.js';
import { type Reader, type ReaderTarget, resolveReader } from '../page/readers.js';
import type { Archive, ArchivedFrame, FrameMime, Part } from './archive.js';
import { windowTokensLeft } from './budget.js';
import { factsheetText } from './factsheet.js';
import { guideBehind, guideOf, type Label, labelOf } from './guide.js';
import { imageBlockBytes, textBlockBytes } from './wire-bytes.js';

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
  /** Of the body: base64, text as JSON has it, and what stands around them. */
  readonly maxBytes?: number;
  readonly maxTokens?: number;
}

/** What a request is given of an archive, and what that takes of it. */
export interface Sending {
  readonly blocks: readonly ContextBlock[];
  readonly images: number;
  /** In the body of a request, at most. */
  readonly bytes: number;
  readonly tokens: number;
  /** Of `tokens`, those of text. */
  readonly textTokens: number;
  /** Frames, and pages kept as text, that the limits left no room for. */
  readonly missing: number;
}

/**
 * The blocks, within the limits: where they do not allow all pages the newest win, and a marker stands where the others
 * were. Guide, texts of the edges, pins and newest request always go, so that they alone may exceed the smallest of
 * limits. None for an archive without any text. Throws nothing on limits, however small.
 */
export function contextBlocks(archive: Archive, options: ContextOptions = {}): ContextBlock[] {
  return [...sendingOf(archive, options).blocks];
}

/** As `contextBlocks`, with what they take. */
export function sendingOf(archive: Archive, options: ContextOptions = {}): Sending {
  const reader =
    options.reader === undefined ? archive.reader : resolveReader(options.reader, options.overrides);
  if (archive.parts.length === 0 && archive.pins === '' && archive.live === '') {
    return new Room(archive, reader, options).sending([], 0);
  }
  const whole = fill(archive, reader, options, false);
  // A marker takes room, too: with one, less fits.
  return whole.missing === 0 ? whole : fill(archive, reader, options, true);
}

function fill(archive: Archive, reader: Reader, options: ContextOptions, hasGaps: boolean): Sending {
  const room = new Room(archive, reader, options);
  const guide = guideOf(archive, { asText: !reader.vision, hasGaps });
  const first: ContextBlock[] = [
    { type: 'text', text: guide, sealed: true },
    ...texts(archive, 'head').flatMap((text) => labelled('head', text, true)),
  ];
  const behind = blocksBehind(archive, reader);
  for (const block of [...first, ...behind]) room.spend(block);
  const { blocks, missing } = middleBlocks(archive, reader, room, hasGaps);
  return room.sending([...first, ...blocks, ...behind], missing);
}

/** Predicted tokens of all text that goes with the frames. */
export function besideTokens(archive: Omit<Archive, 'cost'>, overrides?: BillingOverrides): number {
  return sendingOf(archive as Archive, { limits: NO_LIMITS, ...(overrides && { overrides }) }).textTokens;
}

/** To see what all of an archive takes. */
export const NO_LIMITS: Required<SendLimits> = {
  maxImages: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxTokens: Number.POSITIVE_INFINITY,
};

/** What stands behind the frames. */
function blocksBehind(archive: Archive, { vision }: Reader): ContextBlock[] {
  const { factsheet, pins, live, frames } = archive;
  const facts = frames.length === 0 || !vision ? '' : factsheetText(factsheet);
  const guide = guideBehind(archive).join('\n');
  return [
    ...(facts === '' ? [] : [{ type: 'text', text: facts } as const]),
    ...(guide === '' ? [] : [{ type: 'text', text: guide } as const]),
    ...labelled('pins', pins),
    ...texts(archive, 'tail').flatMap((text) => labelled('tail', text)),
    ...labelled('live', live),
  ];
}

function texts({ parts }: Archive, role: 'head' | 'tail'): string[] {
  return parts.flatMap((part) => (part.type === 'text' && part.role === role ? [part.text] : []));
}

function labelled(label: Label, text: string, sealed = false): ContextBlock[] {
  if (text === '') return [];
  return [{ type: 'text', text: `${labelOf(label)}\n\n${text}`, ...(sealed && { sealed }) }];
}

/** What a request still has room for. */
class Room {
  readonly #reader: Reader;
  readonly #overrides: BillingOverrides | undefined;
  readonly #route: RequestLimits;
  readonly #maxSidePx: number;
  /** Whether the archive was made for the limits it is sent under. */
  readonly #isPlanned: boolean;
  readonly #limits: Required<SendLimits>;
  #images = 0;
  #bytes = 0;
  #textTokens = 0;
  #imageTokens = 0;

  constructor(archive: Archive, reader: Reader, { reader: target, limits = {}, overrides }: ContextOptions) {
    const { budget } = archive;
    this.#route = requestLimits(reader.limits.route, overrides);
    this.#reader = reader;
    this.#overrides = overrides;
    this.#isPlanned = target === undefined;
    const own = this.#isPlanned
      ? {
          maxImages: orNone(budget.images),
          maxBytes: orNone(budget.bytes),
          maxTokens: orNone(budget.tokens),
        }
      : {
          maxImages: imageLimit(this.#route),
          maxBytes: requestBytesLimit(this.#route),
          maxTokens: windowTokensLeft(reader.model, overrides),
        };
    this.#limits = { ...own, ...limits };
    this.#maxSidePx = sideLimitPx(this.#route, Math.min(this.#limits.maxImages, archive.frames.length));
  }

  /** Whether the route refuses this image whatever else is sent. */
  isTooLarge({ widthPx, heightPx, data }: ArchivedFrame): boolean {
    if (this.#isPlanned) return false;
    return (
      Math.max(widthPx, heightPx) > this.#maxSidePx ||
      patchCount({ widthPx, heightPx }) > patchLimit(this.#route) ||
      base64Bytes(data.length) > imageBytesLimit(this.#route)
    );
  }

  /** Takes the block's share of the room, there or not. */
  spend(block: ContextBlock, frame?: ArchivedFrame): void {
    const { bytes, tokens, isImage } = this.#costOf(block, frame);
    this.#bytes += bytes;
    if (isImage) {
      this.#images++;
      this.#imageTokens += tokens;
    } else this.#textTokens += tokens;
  }

  /** Takes the block's share of the room; false, and nothing taken, where there is none left. */
  take(block: ContextBlock, frame?: ArchivedFrame): boolean {
    const { bytes, tokens, isImage } = this.#costOf(block, frame);
    const { maxImages, maxBytes, maxTokens } = this.#limits;
    if (isImage && this.#images + 1 > maxImages) return false;
    if (this.#bytes + bytes > maxBytes) return false;
    if (this.#imageTokens + this.#textTokens + tokens > maxTokens) return false;
    this.spend(block, frame);
    return true;
  }

  sending(blocks: readonly ContextBlock[], missing: number): Sending {
    return {
      blocks,
      missing,
      images: this.#images,
      bytes: this.#bytes,
      tokens: this.#imageTokens + this.#textTokens,
      textTokens: this.#textTokens,
    };
  }

  #costOf(block: ContextBlock, frame: ArchivedFrame | undefined) {
    if (block.type === 'image') {
      const tokens = estimateImageTokens(this.#reader.billing, frame!).budgetTokens;
      return { bytes: imageBlockBytes(block.data.length), tokens, isImage: true };
    }
    const tokens = estimateTextTokens(block.text, this.#reader.tokenizer, this.#overrides);
    return { bytes: textBlockBytes(block.text), tokens, isImage: false };
  }
}

function orNone(limit: number | null): number {
  return limit ?? Number.POSITIVE_INFINITY;
}

/** Frames and pages between the edges, the newest first while there is room. */
function middleBlocks(
  archive: Archive,
  reader: Reader,
  room: Room,
  hasGaps: boolean,
): { blocks: ContextBlock[]; missing: number } {
  const middle = archive.parts.filter((part) => part.type !== 'text' || part.role === 'page');
  if (hasGaps) room.spend(gapBlock(middle.length));
  const blocks: ContextBlock[] = [];
  for (const [place, part] of [...middle.entries()].reverse()) {
    const frame = part.type === 'frame' ? archive.frames[part.frame]! : undefined;
    const sealed = frame?.sealed ?? place < middle.length - EDGE_PAGES;
    const block = frame === undefined ? textBlock(part, sealed) : frameBlock(frame, reader, room);
    // Once one has no room none before it gets any: the newest stretch stays whole.
    if (!room.take(block, block.type === 'image' ? frame : undefined)) break;
    blocks.unshift(block);
  }
  const missing = middle.length - blocks.length;
  return { blocks: missing === 0 ? blocks : [gapBlock(missing), ...blocks], missing };
}

function gapBlock(pages: number): ContextBlock {
  const whose = pages === 1 ? '1 page of the archive' : `${pages} pages of the archive`;
  return { type: 'text', text: `[missing: ${whose}, beyond the limits of this request]` };
}

function textBlock(part: Part, sealed: boolean): ContextBlock {
  return { type: 'text', text: part.type === 'text' ? part.text : '', ...(sealed && { sealed }) };
}

function frameBlock(frame: ArchivedFrame, reader: Reader, room: Room): ContextBlock {
  const { mime, data, sha256, sealed, text } = frame;
  if (reader.vision && !room.isTooLarge(frame))
    return { type: 'image', mime, data, sha256, ...(sealed && { sealed }) };
  return { type: 'text', text: text.replaceAll('█', '\n'), ...(sealed && { sealed }) };
}
