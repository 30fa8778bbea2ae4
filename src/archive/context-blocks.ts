/**
 * Archive → what a model is given in place of the discarded messages.
 *
 * In wire order: a guide, the text at the head, frames in reading order with the pages kept as text between them, the
 * values that must be exact, pins, the text at the tail, and the newest request. What does not change from pass to pass
 * comes first, so that a prompt cache holds it.
 */
import type { BillingOverrides } from '../billing/overrides.js';
import { EDGE_PAGES } from '../page/foveate.js';
import { type Reader, type ReaderTarget, resolveReader } from '../page/readers.js';
import type { Archive, ArchivedFrame, FrameMime } from './archive.js';
import { firstUnits, lastUnits, most } from './cut-text.js';
import { factsheetText } from './factsheet.js';
import { guideBehind, guideOf, type Label, labelOf } from './guide.js';
import { NO_LIMITS, type SendLimits, SendRoom } from './send-room.js';

export { NO_LIMITS, type SendLimits } from './send-room.js';

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
  /** Characters cut from the texts at the edges, in UTF-16 units; 0 where the limits are those of the plan. */
  readonly missingChars: number;
}

/**
 * The blocks, within the limits. Guide, pins and newest request always go; of the rest goes what fits, in this order:
 * the text at the tail, the text at the head, the exact values, and pages, the newest first. A text that does not fit
 * is cut where it meets the pages, and markers stand where something is missing. None for an archive without any text.
 *
 * Throws `over-budget` where what always goes does not fit, markers counted in, and `usage` for limits that are no
 * numbers from 0 up.
 */
export function contextBlocks(archive: Archive, options: ContextOptions = {}): ContextBlock[] {
  return [...sendingOf(archive, options).blocks];
}

/** As `contextBlocks`, with what they take. */
export function sendingOf(archive: Archive, options: ContextOptions = {}): Sending {
  const reader =
    options.reader === undefined ? archive.reader : resolveReader(options.reader, options.overrides);
  const room = new SendRoom(archive, reader, options);
  const stock = stockOf(archive, reader, room);
  const choice = choose(stock, room);
  const blocks = blocksOf(stock, choice);
  return {
    blocks,
    ...room.costOf(blocks),
    missing: stock.middle.length - choice.pages,
    missingChars: stock.head.length - choice.head + stock.tail.length - choice.tail,
  };
}

/** Predicted tokens of all text that goes with the frames. */
export function besideTokens(archive: Omit<Archive, 'cost'>, overrides?: BillingOverrides): number {
  return sendingOf(archive as Archive, { limits: NO_LIMITS, ...(overrides && { overrides }) }).textTokens;
}

/** All that could be sent. */
interface Stock {
  readonly archive: Archive;
  readonly head: string;
  readonly tail: string;
  /** Frames and pages between the edges. */
  readonly middle: readonly Page[];
  readonly facts: readonly ContextBlock[];
  /** What stands between the pages and the tail. */
  readonly behind: readonly ContextBlock[];
  readonly live: readonly ContextBlock[];
}

interface Page {
  readonly block: ContextBlock;
  /** The frame that goes as an image. */
  readonly image?: ArchivedFrame;
}

/** How much of it is sent. */
interface Choice {
  /** UTF-16 units of the head, from its start, and of the tail, from its end. */
  readonly head: number;
  readonly tail: number;
  /** Where no image is sent there are none: they are values of images. */
  readonly hasFacts: boolean;
  /** The newest. */
  readonly pages: number;
}

function stockOf(archive: Archive, reader: Reader, room: SendRoom): Stock {
  const text = (role: 'head' | 'tail') =>
    archive.parts
      .flatMap((part) => (part.type === 'text' && part.role === role ? [part.text] : []))
      .join('\n');
  return {
    archive,
    head: text('head'),
    tail: text('tail'),
    middle: pagesOf(archive, reader, room),
    facts: textBlocks(factsheetText(archive.factsheet)),
    behind: [...textBlocks(guideBehind(archive).join('\n')), ...labelled('pins', archive.pins)],
    live: labelled('live', archive.live),
  };
}

function pagesOf({ parts, frames }: Archive, { vision }: Reader, room: SendRoom): Page[] {
  const middle = parts.filter((part) => part.type !== 'text' || part.role === 'page');
  return middle.map((part, place) => {
    if (part.type === 'text') return { block: textBlock(part.text, place < middle.length - EDGE_PAGES) };
    const frame = frames[part.frame]!;
    const { mime, data, sha256, sealed, text } = frame;
    if (!vision || room.isTooLarge(frame)) return { block: textBlock(text.replaceAll('█', '\n'), sealed) };
    return { block: { type: 'image', mime, data, sha256, ...(sealed && { sealed }) }, image: frame };
  });
}

/** As much as there is room for. Once something does not fit whole, nothing that comes after it in turn goes. */
function choose(stock: Stock, room: SendRoom): Choice {
  const { head, tail, middle } = stock;
  const fits = (choice: Choice) => room.holds(blocksOf(stock, choice));
  const whole: Choice = { head: head.length, tail: tail.length, hasFacts: true, pages: middle.length };
  if (fits(whole)) return whole;
  const least: Choice = { head: 0, tail: 0, hasFacts: false, pages: 0 };
  room.demand(blocksOf(stock, least));
  const withTail = (units: number) => ({ ...least, tail: lastUnits(tail, units) });
  const tailed = withTail(most(tail.length, (units) => fits(withTail(units))));
  if (tailed.tail < tail.length) return tailed;
  const withHead = (units: number) => ({ ...tailed, head: firstUnits(head, units) });
  const headed = withHead(most(head.length, (units) => fits(withHead(units))));
  if (headed.head < head.length) return headed;
  const withPages = (hasFacts: boolean) => {
    const choice = { ...headed, hasFacts };
    return { ...choice, pages: most(middle.length, (pages) => fits({ ...choice, pages })) };
  };
  const withFacts = withPages(true);
  // Without an image there are no facts, and where they left no room for one it goes without them.
  return newestPages(stock, withFacts).some(({ image }) => image !== undefined)
    ? withFacts
    : withPages(false);
}

function newestPages({ middle }: Stock, { pages }: Choice): readonly Page[] {
  return middle.slice(middle.length - pages);
}

/** In wire order; none for an archive without any text. */
function blocksOf(stock: Stock, choice: Choice): ContextBlock[] {
  const { archive, head, tail, middle, facts, behind, live } = stock;
  if (archive.parts.length === 0 && archive.pins === '' && archive.live === '') return [];
  const pages = newestPages(stock, choice);
  const images = pages.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const missing = middle.length - pages.length;
  const hasGaps = missing > 0 || choice.head < head.length || choice.tail < tail.length;
  const guide = guideOf(archive, { images, hasTexts: images.length < pages.length, hasGaps });
  return [
    textBlock(guide, true),
    ...edgeBlocks('head', head, choice.head),
    ...(missing === 0 ? [] : [textBlock(gapMarker(missing, 'page'))]),
    ...pages.map(({ block }) => block),
    ...(choice.hasFacts && images.length > 0 ? facts : []),
    ...behind,
    ...edgeBlocks('tail', tail, choice.tail),
    ...live,
  ];
}

/** The text at an edge, whole or as many units of it as are given, with a marker on the side of the pages. */
function edgeBlocks(edge: 'head' | 'tail', text: string, units: number): ContextBlock[] {
  if (units === text.length) return labelled(edge, text, edge === 'head');
  const marker = gapMarker(text.length - units, 'character');
  if (units === 0) return [textBlock(marker)];
  return edge === 'head'
    ? labelled(edge, `${text.slice(0, units)}\n${marker}`)
    : labelled(edge, `${marker}\n${text.slice(-units)}`);
}

function gapMarker(count: number, what: 'page' | 'character'): string {
  return `[missing: ${count} ${what}${count === 1 ? '' : 's'} of the archive, beyond the limits of this request]`;
}

function labelled(label: Label, text: string, sealed = false): ContextBlock[] {
  return text === '' ? [] : [textBlock(`${labelOf(label)}\n\n${text}`, sealed)];
}

function textBlocks(text: string): ContextBlock[] {
  return text === '' ? [] : [textBlock(text)];
}

function textBlock(text: string, sealed = false): ContextBlock {
  return { type: 'text', text, ...(sealed && { sealed }) };
}
