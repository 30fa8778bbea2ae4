/**
 * Data inside text (data URLs, base64 blocks) → one-line notes.
 *
 * Runs before any cap, so that no cap ever cuts through a payload and leaves half of it. A payload is swapped whole,
 * with its URL's head and its Markdown wrapper. Short examples in prose stay as they are.
 */
import { isEncodedData, isMixedCase, nextBase64Run, type Range } from './data-runs.js';
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
    if (standIn.to <= from) continue;
    out += text.slice(from, Math.max(from, standIn.from)) + standIn.printed;
    from = standIn.to;
  }
  return out + text.slice(from);
}

function encodedStandIns(text: string): StandIn[] {
  const found: StandIn[] = [];
  let run = nextBase64Run(text, MIN_LINE_CHARS, 0);
  while (run !== undefined) {
    const block = wrappedBlock(text, run);
    const url = dataUrlHead(text, block.from);
    const chars = block.to - block.from;
    // A refused block is passed over whole: looking at its lines one by one would cost the square of their number.
    let done = block.to;
    if (url !== undefined && chars >= MIN_URL_PAYLOAD_CHARS) {
      const whole = withMarkdown(text, { from: url.from, to: block.to });
      found.push({ ...whole, printed: urlNote(url.mime, base64Bytes(text, block), whole.title) });
      done = whole.to;
    } else if (chars >= MIN_BLOCK_CHARS && isData(text, block)) {
      found.push({ ...block, printed: note('data', [`${chars} base64 characters`]) });
    }
    run = nextBase64Run(text, MIN_LINE_CHARS, done);
  }
  return found;
}

interface Block extends Range {
  readonly lines: number;
}

function isData(text: string, block: Block): boolean {
  if (isDataField(text, block)) return true;
  return isEncodedData(text, block) && (block.lines === 1 || isMixedCase(text, block));
}

/** Whether the run is the value of a JSON field that holds base64 by its name. */
function isDataField(text: string, { from }: Range): boolean {
  return /"(?:data|base64|b64_json|file_data|blob)"\s?:\s?"$/i.test(text.slice(Math.max(0, from - 24), from));
}

/** Lines longer than this are not wrapped base64: PEM breaks at 64, MIME at 76, some tools at 100. */
const MAX_WRAPPED_CHARS = 100;

/**
 * Joins lines of base64 of one length that follow each other; the last may be shorter, if it ends as base64 does.
 * Lines may be indented, numbered as `cat -n` does, or broken by the two characters `\n` of a JSON string.
 */
function wrappedBlock(text: string, first: Range): Block {
  const lineChars = first.to - first.from;
  if (lineChars > MAX_WRAPPED_CHARS) return { ...first, lines: 1 };
  let { to } = first;
  let lines = 1;
  for (;;) {
    wrappedLine.lastIndex = to;
    const line = wrappedLine.exec(text)?.[1];
    if (line === undefined || line.length > lineChars) break;
    if (line.length < lineChars && (lines < 2 || line.length % 4 !== 0)) break;
    to = wrappedLine.lastIndex;
    lines++;
    if (line.length < lineChars) break;
  }
  return { from: first.from, to, lines };
}

const wrappedLine =
  /(?:\r?\n|\\r\\n|\\n)[ \t]{0,16}(?:\d{1,6}[\t→][ \t]{0,4})?([A-Za-z0-9+/_-]{1,100}={0,2})(?=\r?\n|\\|["']|$)/y;

const urlHead = /data:([\w.+-]{1,80}\/[\w.+-]{1,80})?(?:;[^,\s;]{1,120}){0,6};base64,\s{0,4}$/i;

/** The head of a data URL that ends right where the payload starts. */
function dataUrlHead(text: string, payload: number): { from: number; mime: string } | undefined {
  if (!/,\s{0,4}$/.test(text.slice(Math.max(0, payload - 5), payload))) return undefined;
  const before = text.slice(Math.max(0, payload - MAX_URL_HEAD_CHARS), payload);
  const match = urlHead.exec(before.slice(before.toLowerCase().lastIndexOf('data:')));
  if (match === null) return undefined;
  return { from: payload - match[0].length, mime: match[1]?.toLowerCase() ?? 'text/plain' };
}

const percentUrl = /(?<!\w)data:([\w.+-]{1,80}\/[\w.+-]{1,80})(?:;[^,\s;]{1,120}){0,6},/gi;
const percentUrlEnd = /[\s"'`<>)\]\ufdd0\ufdd1]|$/g;

/** Data URLs whose payload is percent-encoded text, such as inline SVG. */
function percentStandIns(text: string): StandIn[] {
  const found: StandIn[] = [];
  percentUrl.lastIndex = 0;
  for (let hit = percentUrl.exec(text); hit !== null; hit = percentUrl.exec(text)) {
    const payload = hit.index + hit[0].length;
    percentUrlEnd.lastIndex = payload;
    const to = percentUrlEnd.exec(text)!.index;
    // Whatever comes of it, the payload is looked at once.
    percentUrl.lastIndex = Math.max(to, payload);
    if (to - payload < MIN_BLOCK_CHARS || !/%[0-9a-f]{2}/i.test(text.slice(payload, to))) continue;
    const whole = withMarkdown(text, { from: hit.index, to });
    found.push({ ...whole, printed: urlNote(hit[1]!.toLowerCase(), to - payload, whole.title) });
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
