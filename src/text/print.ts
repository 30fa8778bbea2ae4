/**
 * Segments → the one text that pages are cut from.
 *
 * Caps, then escapes, then normalises each piece of content, and sets the marks between them: a header where the
 * scope changes, `name(key=value, …)//intent` for a call, its result merged under it in `<out>…</out>`. Beside the
 * text stand the spans that are dim, where each segment lies, and what was left out.
 */

import { inTurns } from '../turns.js';
import { type Caps, capText, resolveCaps } from './caps.js';
import { beyondBound, boundChars, boundedChars, type Elision, elisionMark } from './elision.js';
import { escapeMarks } from './escape.js';
import { type Coverage, type NormalizeOptions, NormalWriter } from './normalize.js';
import { hasNotes, noteText, type Piece, pieces } from './note.js';
import type { PrintedText, SegmentSpan, Span } from './printed-text.js';
import type {
  Argument,
  CallSegment,
  NoteSegment,
  OutputSegment,
  Scope,
  Segment,
  SegmentKind,
  TextSegment,
} from './segment.js';
import { isSaidStill, saidBy, segmentChars, segmentKind } from './segment.js';
import { VerbatimWriter } from './verbatim.js';
import { visibleText } from './visible.js';

/**
 * What becomes of one segment: `drop`: a count stands in its place, one for a run of them; `pin`: a pointer to it does;
 * a number is the cap of this output, where it is the lower one.
 */
export type Treatment = 'drop' | 'pin' | number;

export interface PrintOptions extends NormalizeOptions {
  /** Default `defaultCaps`. */
  readonly caps?: Partial<Caps>;
  /** By index of the segment. Default: every one is printed. */
  readonly treatment?: (index: number) => Treatment | undefined;
  /** Index of the first segment, where they are a part of more. Default 0. */
  readonly firstIndex?: number;
  /**
   * Remember what segments print as, for printing them again: under other treatments, or in a later pass. Default
   * false.
   */
  readonly remember?: boolean;
  /** Text instead of normal text: line breaks, white space and characters as they came. Default false. */
  readonly verbatim?: boolean;
}

/**
 * What one segment added to a normal text when it was last printed: it depends on nothing before it but its section.
 * The units stay where they were written, so that nothing is copied before it is needed.
 */
interface PrintedBody {
  writer: NormalWriter;
  from: number;
  to: number;
  readonly cap: number;
  readonly style: string;
  readonly coverage: Coverage;
  readonly said: readonly string[];
  readonly elisions: readonly Elision[];
  readonly spelled: number;
  readonly dropped: number;
  /** Where the dim output in it starts. */
  readonly dimFrom?: number;
}

/** Of segments that somebody still has: the last one of each, and the one before under another cap. */
const printedBodies = new WeakMap<Segment, readonly PrintedBody[]>();

/** Prints segments. Linear in their text; the same segments and options give the same text. */
export function printSegments(segments: readonly Segment[], options: PrintOptions): PrintedText {
  const printer = new Printer(segments, options);
  for (let at = 0; at < segments.length; at++) printer.segment(at);
  return printer.finish();
}

/** As `printSegments`, letting the event loop run in between. */
export async function printInTurns(
  segments: readonly Segment[],
  options: PrintOptions,
): Promise<PrintedText> {
  const printer = new Printer(segments, options);
  await inTurns(segments, (_, at) => printer.segment(at));
  return printer.finish();
}

class Printer {
  readonly #segments: readonly Segment[];
  readonly #firstIndex: number;
  readonly #treatment: (index: number) => Treatment | undefined;
  readonly #writer: NormalWriter | VerbatimWriter;
  readonly #caps: Caps;
  readonly #coverage: Coverage;
  /** All else that decides what a body prints as; absent where none is remembered. */
  readonly #style: string | undefined;
  readonly #dim: Span[] = [];
  readonly #spans: SegmentSpan[] = [];
  readonly #elisions: Elision[] = [];
  readonly #scopes = new Set<Scope>();
  /** Scope and label of the section that is open. */
  #section: string | undefined;
  #agent: string | undefined;
  #branch: string | undefined;
  /** Segments left out since the last one that was printed. */
  #run: { chars: number; beyond: number; entryId: string; lastEntryId: string; dropped: Counter } | undefined;
  /** Entry that the last thing printed points to. */
  #pointed: string | undefined;

  constructor(segments: readonly Segment[], options: PrintOptions) {
    this.#segments = segments;
    this.#firstIndex = options.firstIndex ?? 0;
    this.#treatment = options.treatment ?? (() => undefined);
    this.#caps = resolveCaps(options.caps);
    this.#coverage = options.coverage;
    const { argumentChars, callChars, headShare } = this.#caps;
    this.#style =
      options.remember && !options.verbatim
        ? `${argumentChars} ${callChars} ${headShare} ${options.indented}`
        : undefined;
    this.#writer = options.verbatim
      ? new VerbatimWriter()
      : new NormalWriter(
          options,
          segments.reduce((sum, segment) => sum + expectedChars(segment, this.#caps), 0),
        );
  }

  /** Prints the segment at a place of the list; returns its units, for who counts the work. */
  segment(at: number): number {
    const segment = this.#segments[at]!;
    const index = this.#firstIndex + at;
    const treatment = this.#treatment(index);
    const from = this.#writer.length;
    if (treatment === 'drop') this.#drop(segment);
    else {
      this.#flushRun();
      if (treatment === 'pin') this.#point(segment);
      else this.#print(segment, index, this.#segments[at - 1], treatment);
    }
    return this.#writer.length - from + SEGMENT_UNITS;
  }

  #print(segment: Segment, index: number, before: Segment | undefined, cap = Number.POSITIVE_INFINITY): void {
    this.#pointed = undefined;
    this.#divide(segment);
    if (segment.part === 'text') this.#open(segment.scope, segment.injected);
    else if (segment.part === 'call' || (segment.part === 'output' && segment.orphan)) this.#open('call');
    const from = this.#writer.length;
    if (segment.part === 'note') this.#fact(segment);
    else {
      if (segment.part === 'output' && !segment.orphan && before?.part !== 'call') this.#writer.newline();
      this.#body(segment, Math.min(this.#caps.outputChars, cap));
    }
    this.#spans.push({ segment: index, from, to: this.#writer.length });
  }

  /** Prints a segment, or what it printed as before. */
  #body(segment: Exclude<Segment, NoteSegment>, cap: number): void {
    const style = this.#style;
    if (style === undefined) {
      this.#anew(segment, cap);
      return;
    }
    const writer = this.#writer as NormalWriter;
    const from = writer.length;
    const bodies = (printedBodies.get(segment) ?? []).filter(
      (body) => body.style === style && body.coverage === this.#coverage && isSaidStill(body.said, segment),
    );
    const known = bodies.find((body) => body.cap === cap);
    if (known !== undefined) {
      this.#again(known, writer);
      return;
    }
    const before = { elisions: this.#elisions.length, spelled: writer.spelled, dropped: writer.dropped };
    this.#anew(segment, cap);
    const body: PrintedBody = {
      writer,
      from,
      to: writer.length,
      cap,
      style,
      coverage: this.#coverage,
      said: saidBy(segment),
      elisions: this.#elisions.length === before.elisions ? none : this.#elisions.slice(before.elisions),
      spelled: writer.spelled - before.spelled,
      dropped: writer.dropped - before.dropped,
      ...(segment.part === 'output' && { dimFrom: this.#dim.at(-1)!.from - from }),
    };
    printedBodies.set(segment, [body, ...bodies.slice(0, 1)]);
  }

  #anew(segment: Exclude<Segment, NoteSegment>, cap: number): void {
    if (segment.part === 'text') this.#text(segment);
    else if (segment.part === 'call') this.#call(segment);
    else this.#output(segment, cap);
  }

  #again(known: PrintedBody, writer: NormalWriter): void {
    const from = writer.length;
    writer.append(known);
    this.#elisions.push(...known.elisions);
    if (known.dimFrom !== undefined) this.#dim.push({ from: from + known.dimFrom, to: writer.length });
    // Of two texts that have it the newer one, so that the older can go.
    known.writer = writer;
    known.from = from;
    known.to = writer.length;
  }

  finish(): PrintedText {
    this.#flushRun();
    return {
      text: this.#writer.finish(),
      dim: this.#dim,
      spans: this.#spans,
      elisions: this.#elisions,
      scopes: [...this.#scopes],
      spelled: this.#writer.spelled,
      dropped: this.#writer.dropped,
    };
  }

  #drop(segment: Segment): void {
    const { entryId } = segment;
    this.#run ??= { chars: 0, beyond: 0, entryId, lastEntryId: entryId, dropped: {} };
    this.#run.chars += boundedChars(segment);
    this.#run.beyond += beyondBound(segment);
    this.#run.lastEntryId = entryId;
    const kind = segmentKind(segment);
    this.#run.dropped[kind] = (this.#run.dropped[kind] ?? 0) + 1;
  }

  #flushRun(): void {
    if (this.#run === undefined) return;
    const { beyond, ...run } = this.#run;
    const { chars, dropped } = run;
    const kinds = Object.entries(dropped).map(([kind, count]) => `${count} ${kind}`);
    this.#writer.newline();
    // Whoever reads it misses both; the record of what is beyond the bound is there already.
    this.#writer.mark(elisionMark(chars + beyond, kinds.join(', ')));
    this.#elisions.push({ reason: 'budget', what: 'segments', ...run });
    this.#section = undefined;
    this.#run = undefined;
  }

  /** Says that an entry is given elsewhere, once for all its segments. */
  #point({ entryId }: Segment): void {
    if (this.#pointed !== entryId) this.#aside('pinned', entryId);
    this.#pointed = entryId;
  }

  /** Says where another speaker or an abandoned branch starts, and where the main thread goes on. */
  #divide({ branch, agent }: Segment): void {
    if (branch !== this.#branch) this.#divider('branch', branch, 'abandoned');
    if (agent !== this.#agent) this.#divider('subagent', agent);
    this.#branch = branch;
    this.#agent = agent;
  }

  #divider(kind: string, id: string | undefined, ...details: string[]): void {
    this.#aside(kind, ...(id === undefined ? ['end'] : [...details, id]));
  }

  /** Unlike the details of other notes, a fact about the session is printed whole. */
  #fact({ text }: NoteSegment): void {
    this.#writer.newline();
    const mark = (printed: string) => ({ text: printed, isNote: true });
    this.#writer.content([mark('[note: '), { text: this.#escaped(text), isNote: false }, mark(']')]);
    this.#section = undefined;
  }

  /** A note on a line of its own; whatever follows opens a section again. */
  #aside(kind: string, ...details: string[]): void {
    this.#writer.newline();
    this.#writer.content([{ text: noteText(kind, details), isNote: true }]);
    this.#section = undefined;
  }

  /**
   * Each section starts on a new line; the header is printed only where the scope or the label changes, so that
   * nobody's own words stand under the label of a program's.
   */
  #open(scope: Scope, injected = ''): void {
    this.#writer.newline();
    const section = `${scope}/${injected}`;
    if (section !== this.#section) this.#writer.mark(`¶${scope}:`);
    this.#section = section;
    this.#scopes.add(scope);
  }

  #text({ text, injected }: TextSegment): void {
    if (injected !== undefined) this.#note('injected', injected);
    this.#source(text);
  }

  #call({ name, args, intent, answered, entryId }: CallSegment): void {
    this.#name(name, entryId);
    this.#writer.mark('(');
    let leftChars = this.#caps.callChars;
    for (const [index, arg] of args.entries()) {
      if (index > 0) this.#writer.mark(', ');
      if (leftChars <= 0 && boundChars(arg.text) === undefined) {
        this.#elide('arguments', charsOf(args.slice(index)), entryId);
        break;
      }
      leftChars -= this.#argument(arg, Math.min(leftChars, this.#caps.argumentChars), entryId);
    }
    this.#writer.mark(')');
    if (intent !== undefined) {
      this.#writer.mark('//');
      this.#capped(intent.replace(/\s+/g, ' '), this.#caps.argumentChars, 'argument', entryId);
    }
    if (!answered) this.#note('status', 'no result recorded');
  }

  /** Prints one argument and returns what it took of the call's cap. */
  #argument({ key, text, quoted: isQuoted }: Argument, limitChars: number, entryId: string): number {
    if (key !== undefined) {
      this.#name(key, entryId);
      this.#writer.mark('=');
    }
    const quote = isQuoted ? '"' : '';
    this.#writer.mark(quote);
    const printed = this.#capped(text, limitChars, 'argument', entryId, isQuoted ? quoted : undefined);
    this.#writer.mark(quote);
    return printed + (key?.length ?? 0);
  }

  #output(segment: OutputSegment, capChars: number): void {
    if (segment.orphan) {
      this.#name(segment.name ?? '', segment.entryId);
      this.#note('status', 'no call recorded');
    }
    const from = this.#writer.length;
    this.#writer.mark('<out>');
    if (segment.failed) this.#note('status', 'failed');
    this.#capped(segment.text, capChars, 'output', segment.entryId);
    this.#writer.mark('</out>');
    this.#dim.push({ from, to: this.#writer.length });
  }

  /** Prints a text under a cap and returns the units that were kept. */
  #capped(
    text: string,
    limitChars: number,
    what: 'output' | 'argument',
    entryId: string,
    quote: (content: string) => string = (content) => content,
  ): number {
    if (text.length <= limitChars || boundChars(text) !== undefined) {
      this.#source(text, quote);
      return text.length;
    }
    const { head, elidedChars, tail } = capText(text, limitChars, this.#caps.headShare);
    this.#pieces(head, quote);
    if (elidedChars === 0) return text.length;
    this.#elide(what, elidedChars, entryId);
    this.#pieces(tail, quote);
    return limitChars;
  }

  #elide(what: 'output' | 'argument' | 'arguments', chars: number, entryId: string): void {
    this.#writer.mark(elisionMark(chars));
    this.#elisions.push({ reason: 'cap', what, chars, entryId });
  }

  /** A tool's or an argument's name; one that is not a plain word stands in quotes, so that it can pass for nothing else. */
  #name(name: string, entryId: string): void {
    const isPlain = /^[\p{L}\p{N}_.:$/-]*$/u.test(name);
    const quote = isPlain ? '' : '"';
    this.#writer.mark(quote);
    this.#capped(name, this.#caps.argumentChars, 'argument', entryId, isPlain ? undefined : quoted);
    this.#writer.mark(quote);
  }

  /** Prints a source text whole, notes in it as they are. */
  #source(text: string, quote: (content: string) => string = (content) => content): void {
    if (hasNotes(text)) this.#pieces(pieces(text), quote);
    else this.#writer.content(this.#escaped(quote(text)));
  }

  #pieces(list: readonly Piece[], quote: (content: string) => string): void {
    this.#writer.content(
      list.map(({ text, isNote }) => ({ text: isNote ? text : this.#escaped(quote(text)), isNote })),
    );
  }

  #escaped(content: string): string {
    const { text, dropped } = visibleText(content);
    this.#writer.dropped += dropped;
    return escapeMarks(text);
  }

  #note(kind: string, detail: string): void {
    this.#writer.content([{ text: noteText(kind, [detail]), isNote: true }]);
  }
}

/** Units that a segment prints as, about: its text under its cap, and some for marks. */
export function expectedChars(segment: Segment, caps: Caps): number {
  const chars = segmentChars(segment);
  if (segment.part === 'output') return Math.min(chars, caps.outputChars) + MARK_CHARS;
  return (segment.part === 'call' ? Math.min(chars, caps.callChars) : chars) + MARK_CHARS;
}

const none: readonly Elision[] = [];
const MARK_CHARS = 24;
/** Work on a segment beside that on its text. */
const SEGMENT_UNITS = 16;

type Counter = Partial<Record<SegmentKind, number>>;

/** Quotes and backslashes inside a quoted argument, as JSON has them; line breaks stay line breaks. */
function quoted(content: string): string {
  return !/["\\]/.test(content) ? content : content.replace(/["\\]/g, '\\$&');
}

function charsOf(args: readonly Argument[]): number {
  return args.reduce((sum, { key, text }) => sum + (key?.length ?? 0) + text.length, 0);
}
