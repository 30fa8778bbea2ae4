/**
 * What one segment prints as, whatever stands around it: its content under caps, escaped, with the marks inside it.
 * Bodies are remembered by segment, for printing the same segments again.
 */
import { type Caps, capText } from './caps.js';
import { boundChars, type Elision, elisionMark } from './elision.js';
import { escapeMarks } from './escape.js';
import type { Coverage, NormalWriter } from './normalize.js';
import { hasNotes, noteText, type Piece, pieces } from './note.js';
import type { PrintOptions } from './print.js';
import type { Span } from './printed-text.js';
import type { Argument, CallSegment, NoteSegment, OutputSegment, Segment, TextSegment } from './segment.js';
import { isSaidStill, saidBy } from './segment.js';
import type { VerbatimWriter } from './verbatim.js';
import { visibleText } from './visible.js';

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

export class BodyPrinter {
  /** Of all that was printed, in order. */
  readonly dim: Span[] = [];
  readonly elisions: Elision[] = [];
  readonly #writer: NormalWriter | VerbatimWriter;
  readonly #caps: Caps;
  readonly #coverage: Coverage;
  /** All else that decides what a body prints as; absent where none is remembered. */
  readonly #style: string | undefined;

  constructor(
    writer: NormalWriter | VerbatimWriter,
    caps: Caps,
    { coverage, remember, verbatim, indented }: PrintOptions,
  ) {
    this.#writer = writer;
    this.#caps = caps;
    this.#coverage = coverage;
    const { argumentChars, callChars, headShare } = caps;
    this.#style =
      remember && !verbatim ? `${argumentChars} ${callChars} ${headShare} ${indented}` : undefined;
  }

  /** Prints a segment, or what it printed as before. */
  print(segment: Exclude<Segment, NoteSegment>, cap: number): void {
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
    const before = { elisions: this.elisions.length, spelled: writer.spelled, dropped: writer.dropped };
    this.#anew(segment, cap);
    const body: PrintedBody = {
      writer,
      from,
      to: writer.length,
      cap,
      style,
      coverage: this.#coverage,
      said: saidBy(segment),
      elisions: this.elisions.length === before.elisions ? none : this.elisions.slice(before.elisions),
      spelled: writer.spelled - before.spelled,
      dropped: writer.dropped - before.dropped,
      ...(segment.part === 'output' && { dimFrom: this.dim.at(-1)!.from - from }),
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
    this.elisions.push(...known.elisions);
    if (known.dimFrom !== undefined) this.dim.push({ from: from + known.dimFrom, to: writer.length });
    // Of two texts that have it the newer one, so that the older can go.
    known.writer = writer;
    known.from = from;
    known.to = writer.length;
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
    this.dim.push({ from, to: this.#writer.length });
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
    this.elisions.push({ reason: 'cap', what, chars, entryId });
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
    else this.#writer.content(this.escaped(quote(text)));
  }

  #pieces(list: readonly Piece[], quote: (content: string) => string): void {
    this.#writer.content(
      list.map(({ text, isNote }) => ({ text: isNote ? text : this.escaped(quote(text)), isNote })),
    );
  }

  escaped(content: string): string {
    const { text, dropped } = visibleText(content);
    this.#writer.dropped += dropped;
    return escapeMarks(text);
  }

  #note(kind: string, detail: string): void {
    this.#writer.content([{ text: noteText(kind, [detail]), isNote: true }]);
  }
}

const none: readonly Elision[] = [];

/** Quotes and backslashes inside a quoted argument, as JSON has them; line breaks stay line breaks. */
function quoted(content: string): string {
  return !/["\\]/.test(content) ? content : content.replace(/["\\]/g, '\\$&');
}

function charsOf(args: readonly Argument[]): number {
  return args.reduce((sum, { key, text }) => sum + (key?.length ?? 0) + text.length, 0);
}
