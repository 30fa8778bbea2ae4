/**
 * Segments that no pass may drop or turn into pixels, and the newest request, which always stands as text.
 *
 * A rule is a short string, so that it can be given on a command line and kept in an archive: `id:<entry>`,
 * `role:<scope>`, `/<regular expression>/`, or a text that the segment contains.
 */
import { Script } from 'node:vm';
import { SnapcompactError } from '../errors.js';
import { withoutNoteSigns } from '../text/note.js';
import type { Scope, Segment } from '../text/segment.js';

const scopes: readonly string[] = ['user', 'think', 'ai', 'call'] satisfies Scope[];

/** Indices of the segments that a rule names. Throws `usage` for a rule that is none. */
export function pinnedSegments(segments: readonly Segment[], rules: readonly string[]): Set<number> {
  const pinned = new Set<number>();
  for (const index of rules.flatMap((rule) => matches(segments, rule))) {
    pinned.add(index);
    // A call and its output are read together, whichever of them a rule names.
    if (isMerged(segments[index])) pinned.add(index - 1);
    if (segments[index]!.part === 'call' && isMerged(segments[index + 1])) pinned.add(index + 1);
  }
  return pinned;
}

/** Rules that name nothing in a source. */
export function idleRules(segments: readonly Segment[], rules: readonly string[]): string[] {
  return rules.filter((rule) => matches(segments, rule).length === 0);
}

function isMerged(segment: Segment | undefined): boolean {
  return segment?.part === 'output' && !segment.orphan;
}

/** Indices of the segments that one rule names. */
function matches(segments: readonly Segment[], rule: string): number[] {
  const [, kind, value = ''] = /^(id|role):(.+)$/s.exec(rule) ?? [];
  if (kind === 'id') return indices(segments, ({ entryId }) => entryId === value);
  if (kind === 'role') return indices(segments, roleTest(value, rule));
  const pattern = /^\/(.+)\/([dgimsuvy]*)$/s.exec(rule);
  if (pattern === null)
    return indices(segments, (segment) => textsOf(segment).some((text) => text.includes(rule)));
  return patternMatches(segments, patternOf(pattern[1]!, pattern[2]!, rule), rule);
}

function indices(segments: readonly Segment[], test: (segment: Segment) => boolean): number[] {
  return segments.flatMap((segment, index) => (test(segment) ? [index] : []));
}

function roleTest(role: string, rule: string): (segment: Segment) => boolean {
  if (!scopes.includes(role)) throw badRule(`role:${scopes.join(', role:')}`, rule);
  return ({ scope, part, ...segment }) =>
    scope === role && part !== 'note' && (role !== 'user' || !('injected' in segment));
}

/** Without the flags that give a pattern a place to go on from. */
function patternOf(source: string, flags: string, rule: string): RegExp {
  const own = flags.replace(/[gy]/g, '');
  try {
    return new RegExp(source, /[uv]/.test(own) ? own : `${own}u`);
  } catch (cause) {
    throw badRule('a regular expression', `${rule}: ${(cause as Error).message}`);
  }
}

/** Far more than any pattern takes that does not try its own parts over and over. */
const PATTERN_MS = 3_000;

/** Outside this context, where a pattern that takes for ever can be ended. */
const search = new Script('texts.flatMap((list, i) => (list.some((text) => pattern.test(text)) ? [i] : []))');

function patternMatches(segments: readonly Segment[], pattern: RegExp, rule: string): number[] {
  try {
    const found = search.runInNewContext({ texts: segments.map(textsOf), pattern }, { timeout: PATTERN_MS });
    return found as number[];
  } catch (cause) {
    throw badRule(
      `a regular expression that is done within ${PATTERN_MS / 1000} s`,
      `${rule}: ${(cause as Error).message}`,
    );
  }
}

function textsOf(segment: Segment): readonly string[] {
  if (segment.part !== 'call') return [segment.text];
  return [segment.name, ...segment.args.map(({ text }) => text)];
}

function badRule(expected: string, got: string): SnapcompactError {
  return new SnapcompactError('usage', { expected, of: 'a pin', got });
}

/** The newest thing that the user typed. */
export interface LiveRequest {
  /** Index of its first segment. */
  readonly segment: number;
  readonly entryId: string;
  /** All that the user typed of it; programs may have put text into the same entry. */
  readonly indices: ReadonlySet<number>;
  /** Word for word, but for what stands in for data and for halves of characters, which no API takes. */
  readonly text: string;
}

/** `undefined` where nobody typed anything. */
export function liveRequest(segments: readonly Segment[]): LiveRequest | undefined {
  const last = segments.findLastIndex(isTyped);
  if (last < 0) return undefined;
  const { entryId } = segments[last]!;
  let first = last;
  while (first > 0 && segments[first - 1]!.entryId === entryId) first--;
  const indices: number[] = [];
  const texts: string[] = [];
  for (let i = first; i <= last; i++) {
    const segment = segments[i]!;
    if (!isTyped(segment)) continue;
    indices.push(i);
    texts.push(segment.text);
  }
  const text = withoutNoteSigns(texts.join('\n')).toWellFormed();
  return { segment: indices[0]!, entryId, indices: new Set(indices), text };
}

function isTyped(segment: Segment): segment is Extract<Segment, { part: 'text' }> {
  const { part, scope, agent, branch } = segment;
  return (
    part === 'text' &&
    scope === 'user' &&
    segment.injected === undefined &&
    agent === undefined &&
    branch === undefined
  );
}
