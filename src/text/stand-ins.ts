/**
 * Data inside text (data URLs, base64 blocks) → one-line notes.
 *
 * Runs before any cap, so that no cap ever cuts through a payload and leaves half of it. A payload is swapped whole,
 * with its URL's head and its Markdown wrapper. Short examples in prose stay as they are.
 */
import { isEncodedData, nextBase64Run, type Range } from './data-runs.js';
import { note } from './note.js';

/** Shortest payload of a data URL that is swapped; `data:image/png;base64,abc` in prose stays. */
const MIN_URL_PAYLOAD_CHARS = 64;
/** Shortest free-standing run of base64 that counts as data. */
const MIN_BLOCK_CHARS = 200;
/** Line length from which lines of pure base64 under each other make one block: PEM breaks at 64, MIME at 76. */
const MIN_LINE_CHARS = 60;
/** How far before its payload a data URL may start. */
const MAX_URL_HEAD_CHARS = 300;

interface StandIn extends Range {
  readonly printed: string;
}

/** `text` with every payload replaced by a note (see `note.ts`). Linear; the same string when there is none. */
export function standInForData(text: string): string {
  if (text.length < MIN_LINE_CHARS) return text;
  const found = [...encodedStandIns(text), ...percentStandIns(text)];
  if (found.length === 0) return text;
  found.sort((a, b) => a.from - b.from);
  let out = '';
  let from = 0;
  for (const standIn of found) {
    if (standIn.from < from) continue;
    out += text.slice(from, standIn.from) + standIn.printed;
    from = standIn.to;
  }
  return out + text.slice(from);
}

function encodedStandIns(text: string): StandIn[] {
  const found: StandIn[] = [];
  let run = nextBase64Run(text, MIN_LINE_CHARS, 0);
  while (run !== undefined) {
    let done = run.to;
    const block = wrappedBlock(text, run);
    const url = dataUrlHead(text, block.from);
    if (url !== undefined && block.to - block.from >= MIN_URL_PAYLOAD_CHARS) {
      const whole = withMarkdown(text, { from: url.from, to: block.to });
      found.push({ ...whole, printed: urlNote(url.mime, base64Bytes(text, block), whole.title) });
      done = whole.to;
    } else if (block.to - block.from >= MIN_BLOCK_CHARS && isEncodedData(text, block)) {
      found.push({ ...block, printed: note('data', [`${block.to - block.from} base64 characters`]) });
      done = block.to;
    }
    run = nextBase64Run(text, MIN_LINE_CHARS, done);
  }
  return found;
}

/** Joins lines of base64 that follow each other directly; a shorter last line belongs to the block. */
function wrappedBlock(text: string, first: Range): Range {
  let { to } = first;
  for (;;) {
    const next = lineAfter(text, to);
    if (next === undefined) return { from: first.from, to };
    const line = base64LineEnd(text, next);
    if (line === undefined) return { from: first.from, to };
    to = line;
    if (line - next < MIN_LINE_CHARS) return { from: first.from, to };
  }
}

function lineAfter(text: string, at: number): number | undefined {
  if (text[at] === '\n') return at + 1;
  return text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : undefined;
}

const shortLine = /[A-Za-z0-9+/_-]{1,200}={0,2}(?=\r?\n|$)/y;

/** End of a line that is base64 from `from` to its end, or undefined. A last line must look like data, too. */
function base64LineEnd(text: string, from: number): number | undefined {
  shortLine.lastIndex = from;
  const match = shortLine.exec(text);
  if (match === null) return undefined;
  const isData = match[0].length >= MIN_LINE_CHARS || match[0].endsWith('=') || /\d/.test(match[0]);
  return isData ? from + match[0].length : undefined;
}

const urlHead = /data:([\w.+-]{1,80}\/[\w.+-]{1,80})?(?:;[^,\s;]{1,120}){0,6};base64,\s?$/i;

/** The head of a data URL that ends right where the payload starts. */
function dataUrlHead(text: string, payload: number): { from: number; mime: string } | undefined {
  if (text[payload - 1] !== ',' && text[payload - 2] !== ',') return undefined;
  const before = text.slice(Math.max(0, payload - MAX_URL_HEAD_CHARS), payload);
  const match = urlHead.exec(before.slice(before.toLowerCase().lastIndexOf('data:')));
  if (match === null) return undefined;
  return { from: payload - match[0].length, mime: match[1]?.toLowerCase() ?? 'text/plain' };
}

const percentUrl = /data:([\w.+-]{1,80}\/[\w.+-]{1,80})(?:;[^,\s;]{1,120}){0,6},/gi;
const percentUrlEnd = /[\s"'`<>)\]]|$/g;

/** Data URLs whose payload is percent-encoded text, such as inline SVG. */
function percentStandIns(text: string): StandIn[] {
  const found: StandIn[] = [];
  percentUrl.lastIndex = 0;
  for (let hit = percentUrl.exec(text); hit !== null; hit = percentUrl.exec(text)) {
    if (/;base64,$/i.test(hit[0])) continue;
    const payload = hit.index + hit[0].length;
    percentUrlEnd.lastIndex = payload;
    const to = percentUrlEnd.exec(text)!.index;
    if (to - payload < MIN_BLOCK_CHARS) continue;
    const whole = withMarkdown(text, { from: hit.index, to });
    found.push({ ...whole, printed: urlNote(hit[1]!.toLowerCase(), to - payload, whole.title) });
    percentUrl.lastIndex = to;
  }
  return found;
}

/** Widens a URL's range over `![alt](…)`; the alternative text becomes the title. */
function withMarkdown(text: string, url: Range): Range & { title: string } {
  const opener = /!?\[([^\]\n]{0,200})\]\(<?$/.exec(text.slice(Math.max(0, url.from - 210), url.from));
  const closer = /^>?(?:\s"[^"\n]{0,200}")?\)/.exec(text.slice(url.to, url.to + 210));
  if (opener === null || closer === null) return { ...url, title: '' };
  return { from: url.from - opener[0].length, to: url.to + closer[0].length, title: opener[1]! };
}

function urlNote(mime: string, bytes: number, title: string): string {
  const family = mime.slice(0, mime.indexOf('/'));
  const kind = family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
  return note(kind, [mime, `${bytes} bytes`, title]);
}

/** Bytes that a base64 payload decodes to; line breaks and padding do not count. */
function base64Bytes(text: string, { from, to }: Range): number {
  let chars = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 0x3d && unit > 0x20) chars++;
  }
  return Math.floor((chars * 3) / 4);
}
