/**
 * History as runs of text: the bounded source of an archive.
 *
 * A segment's text is what was said, after redaction and after stand-ins for data, before caps, escapes and
 * normalising. Everything that is later printed, capped or dropped is decided over segments.
 */

/** Printed as `¶user:` `¶think:` `¶ai:` `¶call:` where a section of that scope starts. */
export type Scope = 'user' | 'think' | 'ai' | 'call';

export type Segment = TextSegment | NoteSegment | CallSegment | OutputSegment;

interface Common {
  readonly scope: Scope;
  /** Id of the history entry that holds the text. */
  readonly entryId: string;
  /** Subagent that was speaking; absent for the main agent. */
  readonly agent?: string;
  /** Abandoned branch the entry belongs to. */
  readonly branch?: string;
}

export interface TextSegment extends Common {
  readonly part: 'text';
  readonly text: string;
  /** What put the text there, when its role did not: printed as `[injected: …]`. */
  readonly injected?: string;
}

/** A fact about the session, printed on a line of its own outside every section. */
export interface NoteSegment extends Common {
  readonly part: 'note';
  readonly text: string;
}

export interface CallSegment extends Common {
  readonly part: 'call';
  readonly scope: 'call';
  readonly name: string;
  readonly args: readonly Argument[];
  readonly intent?: string;
  /** False when the history holds no result for the call. */
  readonly answered: boolean;
}

export interface Argument {
  /** Absent for a call whose arguments are one raw string or list. */
  readonly key?: string;
  /** The value's own text: a string as it is, anything else as JSON. */
  readonly text: string;
  /** Strings print in quotes, JSON as it is. */
  readonly quoted: boolean;
}

/** A tool's output: dim, and merged under its call, which is the segment before it unless `orphan`. */
export interface OutputSegment extends Common {
  readonly part: 'output';
  readonly scope: 'call';
  readonly text: string;
  readonly failed: boolean;
  /** The history holds no call for it. */
  readonly orphan: boolean;
  /** Tool name, where an orphan states it. */
  readonly name?: string;
}

/** All that a segment says, piece by piece: what is remembered of one holds as long as these are the same. */
export function saidBy(segment: Segment): readonly string[] {
  if (segment.part !== 'call') return [segment.text];
  const { name, intent = '', args } = segment;
  return [name, intent, ...args.flatMap(({ key = '', text }) => [key, text])];
}

export function isSaidStill(said: readonly string[], segment: Segment): boolean {
  const now = saidBy(segment);
  return said.length === now.length && said.every((piece, i) => piece === now[i]);
}

/** UTF-16 units of a segment's own text. */
export function segmentChars(segment: Segment): number {
  if (segment.part !== 'call') return segment.text.length;
  const args = segment.args.reduce((sum, { key, text }) => sum + (key?.length ?? 0) + text.length, 0);
  return segment.name.length + args + (segment.intent?.length ?? 0);
}

export type SegmentKind = 'user' | 'injected' | 'reasoning' | 'answer' | 'call' | 'output' | 'note';

/** What a segment is to whoever must choose what to leave out. `injected` is text of the user's side that nobody typed. */
export function segmentKind(segment: Segment): SegmentKind {
  if (segment.part !== 'text') return segment.part;
  if (segment.scope === 'think') return 'reasoning';
  if (segment.scope === 'ai') return 'answer';
  return segment.injected === undefined ? 'user' : 'injected';
}
