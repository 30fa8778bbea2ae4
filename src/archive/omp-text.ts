/**
 * The text of an Oh-My-Pi archive → segments.
 *
 * It is normal text with marks in it: `¶user:` `¶think:` `¶ai:` `¶call:` at the start of a line (some writers set a
 * space after the colon), U+000E and U+000F around dim spans, which are tool output in `<out>…</out>` under its call,
 * and U+2588 for a run of line breaks. Only the dim marks are kept out of content when an archive is written: a header
 * inside a dim span is therefore content, one outside it cannot be told from a forged one, and a U+2588 that was
 * content comes back as a line break.
 */
import { isEncodedData } from '../text/data-runs.js';
import { note, withoutNotes } from '../text/note.js';
import type { CallSegment, OutputSegment, Scope, Segment } from '../text/segment.js';
import type { SerializeOptions } from '../text/serialize.js';
import { standInForData } from '../text/stand-ins.js';

const DIM_START = '\x0e';
const DIM_END = '\x0f';

/** Printed with text whose section began in a part that is not there, so that it passes for nobody's words. */
const UNKNOWN_SPEAKER = 'archive';

/** Reads texts one after the other into one list of segments. Linear in the text; no content makes it throw. */
export class OmpTextReader {
  readonly segments: Segment[] = [];
  readonly #reasoning: boolean;
  readonly #clean: (text: string) => string;
  /** Scope of the open section; undefined before the first header. */
  #scope: Scope | undefined;
  /** What was said in the open section so far. */
  #said = '';

  constructor({ reasoning = true, redact = (text) => text }: SerializeOptions) {
    this.#reasoning = reasoning;
    this.#clean = (text) => standInForData(standInForCutData(redact(withoutNotes(text))));
  }

  /** A text of its own: no section goes on from the one before. */
  text(text: string): void {
    this.#scope = undefined;
    for (const stretch of stretches(text.replaceAll('█', '\n'))) {
      if (stretch.header !== undefined) {
        this.#endSection();
        this.#scope = stretch.header;
      }
      if (stretch.isDim) this.#dim(stretch.text);
      else if (this.#scope === 'call') this.#calls(stretch.text);
      else this.#said += stretch.text;
    }
    this.#endSection();
  }

  note(text: string): void {
    this.segments.push({ ...this.#common('ai'), part: 'note', text });
  }

  /** Where no header was seen yet, a dim span is output whose call came before. */
  #dim(text: string): void {
    const isOutput = this.#scope === undefined || this.#scope === 'call' || /^\s*<out>/.test(text);
    if (!isOutput) {
      this.#said += text;
      return;
    }
    this.#endSection();
    this.#scope ??= 'call';
    if (text.trim() !== '') this.#output(text.replace(/^\s*<out>/, '').replace(/<\/out>\s*$/, ''));
  }

  #endSection(): void {
    const text = this.#said.trim();
    this.#said = '';
    if (text === '' || (this.#scope === 'think' && !this.#reasoning)) return;
    const common = this.#common(this.#scope ?? 'ai');
    const label = this.#scope === undefined ? { injected: UNKNOWN_SPEAKER } : {};
    this.segments.push({ ...common, part: 'text', text: this.#clean(text), ...label });
  }

  /** Calls outside dim spans, and outputs of writers that set no dim marks. */
  #calls(text: string): void {
    let rest = text.replace(/^<\/out>/, '').replace(/<out>\s*$/, '');
    for (let open = rest.indexOf('<out>'); open >= 0; open = rest.indexOf('<out>')) {
      const close = rest.indexOf('</out>', open);
      this.#callLines(rest.slice(0, open));
      this.#output(rest.slice(open + '<out>'.length, close < 0 ? undefined : close));
      rest = close < 0 ? '' : rest.slice(close + '</out>'.length);
    }
    this.#callLines(rest);
  }

  /** Lines that are no call stay as they are; behind a call that is not closed nothing is certain any more. */
  #callLines(text: string): void {
    let from = 0;
    while (from < text.length) {
      const call = callAt(text, from);
      if (call?.isClean) {
        this.#endSection();
        this.#call(call);
      } else this.#said += text.slice(from, call?.to ?? lineEnd(text, from));
      from = call?.to ?? lineEnd(text, from);
    }
    this.#endSection();
  }

  #call({ name, args, intent }: FoundCall): void {
    const segment: CallSegment = {
      ...this.#common('call'),
      scope: 'call',
      part: 'call',
      name,
      args: args.trim() === '' ? [] : [{ text: this.#clean(args), quoted: false }],
      answered: false,
    };
    this.segments.push(intent === '' ? segment : { ...segment, intent: this.#clean(intent) });
  }

  /** The format keeps neither a failure nor the name of an orphan's tool. */
  #output(text: string): void {
    const before = this.segments.at(-1);
    const isAnswer = before?.part === 'call';
    if (isAnswer) this.segments[this.segments.length - 1] = { ...before, answered: true };
    const segment: OutputSegment = {
      ...this.#common('call'),
      scope: 'call',
      part: 'output',
      text: this.#clean(text.trim()),
      failed: false,
      orphan: !isAnswer,
    };
    this.segments.push(segment);
  }

  #common(scope: Scope): { readonly scope: Scope; readonly entryId: string } {
    return { scope, entryId: `omp:${this.segments.length + 1}` };
  }
}

/** Text in one ink, and the header that stands before it. */
interface Stretch {
  readonly text: string;
  readonly isDim: boolean;
  readonly header?: Scope;
}

const headerPattern = /(^|\n ?)¶(user|think|ai|call):/g;

/** A text that is cut out of a longer one may begin dim. */
function* stretches(text: string): Generator<Stretch> {
  const runs = text.split(/([\x0e\x0f])/);
  let isDim = runs[1] === DIM_END;
  let atLineStart = true;
  for (const run of runs) {
    if (run === DIM_START || run === DIM_END) isDim = run === DIM_START;
    else if (run !== '') {
      if (isDim) yield { text: run, isDim };
      else yield* sections(run, atLineStart);
      atLineStart = run.endsWith('\n');
    }
  }
}

function* sections(run: string, atLineStart: boolean): Generator<Stretch> {
  let from = 0;
  let header: Scope | undefined;
  for (const match of run.matchAll(headerPattern)) {
    if (match[1] === '' && !atLineStart) continue;
    yield stretchOf(run.slice(from, match.index), header);
    header = match[2] as Scope;
    from = match.index + match[0].length;
  }
  yield stretchOf(run.slice(from), header);
}

function stretchOf(text: string, header: Scope | undefined): Stretch {
  return { text, isDim: false, ...(header !== undefined && { header }) };
}

interface FoundCall {
  readonly name: string;
  readonly args: string;
  readonly intent: string;
  /** End of what was looked at: of the call's last line, or of the text where the call is not closed. */
  readonly to: number;
  /** False when the brackets do not close, or close in front of something else. */
  readonly isClean: boolean;
}

const callStart = /[ \t]*([\p{L}\p{N}_.:$/-]+)\(/uy;
const callEnd = /[ \t]*(?:\/\/([^\n]*))?(?:\n|$)/y;

/** `name(args)//intent` on the line at `from`; undefined where the line begins as no call does. */
function callAt(text: string, from: number): FoundCall | undefined {
  callStart.lastIndex = from;
  const start = callStart.exec(text);
  if (start === null) return undefined;
  const open = callStart.lastIndex;
  const close = closingBracket(text, open);
  callEnd.lastIndex = close + 1;
  const end = close < 0 ? null : callEnd.exec(text);
  const unclean = close < 0 ? text.length : lineEnd(text, close);
  return {
    name: start[1]!,
    args: text.slice(open, Math.max(close, open)),
    intent: end?.[1]?.trim() ?? '',
    to: end === null ? unclean : callEnd.lastIndex,
    isClean: end !== null,
  };
}

/** The bracket that closes the one before `from`, or -1; brackets in quotes do not count. */
function closingBracket(text: string, from: number): number {
  let depth = 1;
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (isQuoted && char === '\\') at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && char === '(') depth++;
    else if (!isQuoted && char === ')' && --depth === 0) return at;
  }
  return -1;
}

/** Where the next line starts. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

const elisionMark = /\s?\[…\s?(\d{1,12})\s?ch elided\s?…\]\s?/g;
const urlBeforeCut =
  /data:([\w.+-]{1,80}\/[\w.+-]{1,80})(?:;[^,;\s]{1,120}){0,6};base64,[A-Za-z0-9+/_=-]*$/iy;
/** Shorter pieces behind a cut are left: they are more often words. */
const fragment = /[A-Za-z0-9+/_-]{40,}={0,2}/y;

/**
 * Oh-My-Pi cut texts before it looked for data in them, so that a data URL may stand on one side of a cut and the rest
 * of its payload on the other: both go, with the mark between them.
 */
function standInForCutData(text: string): string {
  let out = '';
  let from = 0;
  for (const mark of text.matchAll(elisionMark)) {
    if (mark.index < from) continue;
    const before = text.slice(from, mark.index);
    const end = mark.index + mark[0].length;
    const to = fragmentEnd(text, end);
    const url = urlAtEnd(before);
    if (url === undefined && to === end) out += text.slice(from, end);
    else {
      const chars = (url?.chars ?? 0) + Number(mark[1]) + to - end;
      const kept = before.slice(0, before.length - (url?.chars ?? 0));
      out += kept + note(url?.kind ?? 'data', [url?.mime ?? '', `cut, about ${chars} characters`]);
    }
    from = to;
  }
  return out + text.slice(from);
}

/** The data URL that `text` ends in. */
function urlAtEnd(text: string): { chars: number; kind: string; mime: string } | undefined {
  const start = text.lastIndexOf('data:');
  if (start < 0) return undefined;
  urlBeforeCut.lastIndex = start;
  const mime = urlBeforeCut.exec(text)?.[1]?.toLowerCase();
  return mime === undefined ? undefined : { chars: text.length - start, kind: kindOf(mime), mime };
}

function fragmentEnd(text: string, from: number): number {
  fragment.lastIndex = from;
  if (!fragment.test(text)) return from;
  const to = fragment.lastIndex;
  return isEncodedData(text, { from, to }) ? to : from;
}

function kindOf(mime: string): string {
  const family = mime.slice(0, mime.indexOf('/'));
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}
