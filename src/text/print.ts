/**
 * Segments → the one text that pages are cut from.
 *
 * Caps, then escapes, then normalises each piece of content, and sets the marks between them: a header where the
 * scope changes, `name(key=value, …)//intent` for a call, its result merged under it in `<out>…</out>`. Beside the
 * text stand the spans that are dim, where each segment lies, and what was left out.
 */

import { inTurns } from '../turns.js';
import { type Caps, resolveCaps } from './caps.js';
import { beyondBound, boundedChars, elisionMark } from './elision.js';
import { type NormalizeOptions, NormalWriter } from './normalize.js';
import { noteText } from './note.js';
import { BodyPrinter } from './print-body.js';
import type { PrintedText, SegmentSpan } from './printed-text.js';
import type { NoteSegment, Scope, Segment, SegmentKind } from './segment.js';
import { segmentChars, segmentKind } from './segment.js';
import { VerbatimWriter } from './verbatim.js';

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
  readonly #bodies: BodyPrinter;
  readonly #spans: SegmentSpan[] = [];
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
    this.#writer = options.verbatim
      ? new VerbatimWriter()
      : new NormalWriter(
          options,
          segments.reduce((sum, segment) => sum + expectedChars(segment, this.#caps), 0),
        );
    this.#bodies = new BodyPrinter(this.#writer, this.#caps, options);
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
      this.#bodies.print(segment, Math.min(this.#caps.outputChars, cap));
    }
    this.#spans.push({ segment: index, from, to: this.#writer.length });
  }

  finish(): PrintedText {
    this.#flushRun();
    return {
      text: this.#writer.finish(),
      dim: this.#bodies.dim,
      spans: this.#spans,
      elisions: this.#bodies.elisions,
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
    this.#bodies.elisions.push({ reason: 'budget', what: 'segments', ...run });
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
    this.#writer.content([mark('[note: '), { text: this.#bodies.escaped(text), isNote: false }, mark(']')]);
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
}

/** Units that a segment prints as, about: its text under its cap, and some for marks. */
export function expectedChars(segment: Segment, caps: Caps): number {
  const chars = segmentChars(segment);
  if (segment.part === 'output') return Math.min(chars, caps.outputChars) + MARK_CHARS;
  return (segment.part === 'call' ? Math.min(chars, caps.callChars) : chars) + MARK_CHARS;
}

const MARK_CHARS = 24;
/** Work on a segment beside that on its text. */
const SEGMENT_UNITS = 16;

type Counter = Partial<Record<SegmentKind, number>>;
