/**
 * What kind of content a text is made of, character by character: the ground of every estimate of its tokens.
 *
 * Linear, without a regular expression. The text is taken in chunks, as one byte a UTF-16 unit: ASCII as it is,
 * everything else as the mark of its class. A chunk is walked in blocks of 16 units. A block's units are booked under
 * the class that the punctuation, quotes, digits and spaces of the blocks *before* it suggest; then runs of letters
 * and digits that hold a digit, and units beyond ASCII, are booked anew under their own class. So appending text
 * never moves an earlier unit, but in the last run of at most 64.
 *
 * The counts add up to the length. Two texts apart count as their concatenation, but for about a hundred units
 * after the seam.
 */

/**
 * The classes. Those up to `log` are told apart by their punctuation and spaces; `alphabet` is Latin with marks,
 * Greek, Cyrillic, Hebrew and Arabic, `script` what else is written with letters, `astral` a surrogate, half an emoji.
 */
export const contentClasses = [
  'prose',
  'markdown',
  'code',
  'json',
  'indented',
  'log',
  'hex',
  'base64',
  'digits',
  'cjk',
  'alphabet',
  'script',
  'symbol',
  'astral',
] as const;

export type ContentClass = (typeof contentClasses)[number];

/** Places in `contentClasses`. */
const [prose, markdown, code, json, indented, log, hex, base64, digits] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
] as const;
const [cjk, alphabet, script, symbol, astral] = [9, 10, 11, 12, 13] as const;

const chunkUnits = 16_384;
const blockUnits = 16;

/** A run of letters and digits is booked in pieces of this, which bounds what a later unit can move. */
const maxRunUnits = 64;
/** How far before its first digit a run is taken to begin, at most. */
const maxLeadUnits = 32;

/** Bytes from here on stand for units beyond ASCII: the mark and the class. */
const wideMark = 128;

/** A block's sum holds five bits each for punctuation, quotes, digits, spaces and units beyond ASCII. */
const quoteShift = 5;
const digitShift = 10;
const spaceShift = 15;
const wideShift = 20;
const standoutMask = (31 << digitShift) | (31 << wideShift);

/** What each byte adds to the sum. */
const tallies = Uint32Array.from({ length: 256 }, (_, byte) => {
  if (byte >= wideMark) return 1 << wideShift;
  if (byte <= 0x20 || byte === 0x7f) return 1 << spaceShift;
  if (isDigit(byte)) return 1 << digitShift;
  if (isLetter(byte)) return 0;
  return byte === 0x22 ? (1 << quoteShift) + 1 : 1;
});

/** What two bytes add: half the look-ups. */
const pairTallies = Uint32Array.from(
  { length: 1 << 16 },
  (_, pair) => tallies[pair & 255]! + tallies[pair >> 8]!,
);

/** Whether a byte belongs to a run. */
const inRun = Uint8Array.from({ length: 256 }, (_, byte) => Number(isDigit(byte) || isLetter(byte)));

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

/**
 * Room for one chunk: its bytes (up to three a unit while they are still UTF-8), the class of each block, and the
 * blocks with a digit or a unit beyond ASCII. Shared by all calls: nothing here waits or calls out.
 */
const bytes = new Uint8Array(chunkUnits * 3);
const bytePairs = new Uint16Array(bytes.buffer);
const blockClasses = new Uint8Array(chunkUnits / blockUnits);
const standoutBlocks = new Uint16Array(chunkUnits / blockUnits);
const encoder = new TextEncoder();

/** Averages over about 64 units, in 1/256 of a unit per block. */
interface Shares {
  punctuation: number;
  quotes: number;
  digits: number;
  spaces: number;
  blocks: number;
}

/** In 1/256 of a unit per block. */
const share = (fraction: number) => Math.round(fraction * blockUnits * 256);

/**
 * Where one class ends and the next begins. Set so that GPL text, project pages, sources, JSON and logs fall under
 * their own names; the figures of neighbours differ little in most vocabularies.
 */
const limits = {
  markdownPunctuation: share(0.055),
  codePunctuation: share(0.13),
  jsonQuotes: share(0.06),
  logDigits: share(0.13),
  indentedSpaces: share(0.4),
};

/** UTF-16 units of `text` by class, in the order of `contentClasses`, into `counts`. Called on whole transcripts. */
export function countClasses(text: string, counts = new Int32Array(contentClasses.length)): Int32Array {
  counts.fill(0);
  // A text begins between prose and Markdown.
  const shares: Shares = {
    punctuation: limits.markdownPunctuation,
    quotes: 0,
    digits: 0,
    spaces: 0,
    blocks: 0,
  };
  for (let start = 0; start < text.length; start += chunkUnits) {
    const chunk = text.slice(start, start + chunkUnits);
    loadChunk(chunk);
    countChunk(chunk.length, shares, counts);
  }
  return counts;
}

/** Puts a chunk into `bytes`, one a unit. Encoding is several times faster than asking for each unit. */
function loadChunk(chunk: string): void {
  const { written } = encoder.encodeInto(chunk, bytes);
  if (written === chunk.length) return;
  for (let at = 0; at < chunk.length; at++) {
    const unit = chunk.charCodeAt(at);
    bytes[at] = unit < wideMark ? unit : wideMark + classOfWideUnit(unit);
  }
}

/** Books the first `units` of `bytes`: block by block under the ordinary classes, then what stands out anew. */
function countChunk(units: number, shares: Shares, counts: Int32Array): void {
  let standouts = 0;
  for (let start = 0; start < units; start += blockUnits) {
    const end = Math.min(start + blockUnits, units);
    const pairsEnd = end >> 1;
    let sum = 0;
    for (let at = start >> 1; at < pairsEnd; at++) sum += pairTallies[bytePairs[at]!]!;
    if (end & 1) sum += tallies[bytes[end - 1]!]!;
    const block = start / blockUnits;
    const ordinary = ordinaryClass(shares);
    blockClasses[block] = ordinary;
    counts[ordinary]! += end - start;
    if ((sum & standoutMask) !== 0) standoutBlocks[standouts++] = block;
    updateShares(shares, sum);
  }
  let bookedTo = 0;
  for (let index = 0; index < standouts; index++) {
    const start = standoutBlocks[index]! * blockUnits;
    const end = Math.min(start + blockUnits, units);
    for (let at = Math.max(start, bookedTo); at < end; at++) {
      const byte = bytes[at]!;
      if (byte >= wideMark) {
        rebook(at, at + 1, byte - wideMark, counts);
      } else if (isDigit(byte)) {
        bookedTo = bookRun(at, bookedTo, units, counts);
        at = bookedTo - 1;
      }
    }
  }
}

function ordinaryClass({ punctuation, quotes, digits: digitShare, spaces }: Shares): number {
  if (digitShare > limits.logDigits) return log;
  if (spaces > limits.indentedSpaces) return indented;
  if (punctuation < limits.markdownPunctuation) return prose;
  if (punctuation < limits.codePunctuation) return markdown;
  return quotes > limits.jsonQuotes ? json : code;
}

/** Lets a block into the averages; the first few weigh more, so that a short text finds its class. */
function updateShares(shares: Shares, sum: number): void {
  const shift = shares.blocks++ < 3 ? 1 : 2;
  shares.punctuation += (((sum & 31) << 8) - shares.punctuation) >> shift;
  shares.quotes += (((sum & (31 << quoteShift)) << (8 - quoteShift)) - shares.quotes) >> shift;
  shares.digits += (((sum >> digitShift) & 31) * 256 - shares.digits) >> shift;
  shares.spaces += (((sum >> spaceShift) & 31) * 256 - shares.spaces) >> shift;
}

/** Books the run around the digit at `at`, no further back than `bookedTo`, if it is no word; returns its end. */
function bookRun(at: number, bookedTo: number, units: number, counts: Int32Array): number {
  let start = at;
  const first = Math.max(bookedTo, at - maxLeadUnits);
  while (start > first && inRun[bytes[start - 1]!] === 1) start--;
  const bound = Math.min(units, start + maxRunUnits);
  let end = start;
  let digitUnits = 0;
  let switches = 0;
  let upperUnits = 0;
  let hexOnly = true;
  let wasDigit = false;
  for (; end < bound; end++) {
    const byte = bytes[end]!;
    if (inRun[byte] === 0) break;
    const digit = byte < 0x40;
    if (digit) digitUnits++;
    // The low five bits of A–F and a–f are 1 to 6.
    else if ((byte & 31) > 6) hexOnly = false;
    if (!digit && byte < 0x60) upperUnits++;
    if (end > start && digit !== wasDigit) switches++;
    wasDigit = digit;
  }
  const found = classOfRun(end - start, digitUnits, switches, upperUnits, hexOnly);
  if (found !== undefined) rebook(start, end, found, counts);
  return end;
}

/**
 * Class of a run with a digit in it, or none when it is a word. Names of code change between letters and digits
 * once or twice (`utf8ToBytes`, `sha256sum`); random characters do so every few places.
 */
function classOfRun(
  units: number,
  digitUnits: number,
  switches: number,
  upperUnits: number,
  hexOnly: boolean,
): number | undefined {
  if (digitUnits === units) return digits;
  if (hexOnly && units >= 4) return hex;
  if (units >= 10 && switches >= 4) return base64;
  const mixedCase = upperUnits >= 3 && units - upperUnits - digitUnits >= 3;
  return units >= 16 && switches >= 2 && mixedCase ? base64 : undefined;
}

/** Moves units from the classes of their blocks to another. */
function rebook(start: number, end: number, to: number, counts: Int32Array): void {
  for (let at = start; at < end; ) {
    const block = (at / blockUnits) | 0;
    const next = Math.min(end, (block + 1) * blockUnits);
    counts[blockClasses[block]!]! -= next - at;
    at = next;
  }
  counts[to]! += end - start;
}

/** Class of a UTF-16 unit beyond ASCII, by block of the code chart; surrogates count one by one. */
function classOfWideUnit(unit: number): number {
  if (unit < 0x900) return alphabet;
  if (unit < 0x2000) return script;
  if (unit < 0x2e80) return symbol;
  if (unit < 0xa000) return cjk;
  if (unit < 0xac00) return script;
  if (unit < 0xd800) return cjk;
  if (unit < 0xe000) return astral;
  if (unit < 0xf900) return symbol;
  return unit < 0xfb00 || (unit >= 0xff00 && unit < 0xfff0) ? cjk : script;
}
