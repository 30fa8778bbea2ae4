/**
 * What goes first when a history is too large for its frames: old tool results get shorter and shorter, then old
 * reasoning, old calls and old answers go, each oldest first. What the user typed is never dropped: in the last step it
 * moves out of the frames, to stand as text.
 */
import type { Treatment } from '../text/print.js';
import type { Segment } from '../text/segment.js';
import { type SegmentKind, segmentKind } from '../text/segment.js';

/** In the order in which they are taken. */
const steps = [
  { name: 'output-500', kinds: ['output'], leavesChars: 500 },
  { name: 'output-100', kinds: ['output'], leavesChars: 100 },
  { name: 'output-name', kinds: ['output'], leavesChars: 0 },
  { name: 'reasoning', kinds: ['reasoning'], leavesChars: 'none' },
  { name: 'call', kinds: ['call', 'output'], leavesChars: 'none' },
  { name: 'answer', kinds: ['answer', 'injected', 'note'], leavesChars: 'none' },
  { name: 'pin', kinds: ['user'], leavesChars: 'none' },
] as const satisfies readonly {
  readonly name: string;
  readonly kinds: readonly SegmentKind[];
  readonly leavesChars: number | 'none';
}[];

export type DegradeStep = (typeof steps)[number]['name'];

/** For each step taken, the index of the first segment it does not reach. */
export type Degradation = Readonly<Partial<Record<DegradeStep, number>>>;

/** A mark that stands for what was cut, about. */
const MARK_CHARS = 30;

export interface DegradeRequest {
  readonly segments: readonly Segment[];
  /** Characters that each segment prints as, by its index; 0 for those outside the frames. */
  readonly printedChars: ArrayLike<number>;
  /** Index before which segments are old. Newer ones are touched only when the old do not do. */
  readonly oldEnd: number;
  /** Characters to be saved, about. */
  readonly savedChars: number;
}

/** The first steps that save enough, and whether that took every one of them. Linear. */
export function degrade({ segments, printedChars, oldEnd, savedChars }: DegradeRequest): {
  readonly degradation: Degradation;
  readonly isAll: boolean;
} {
  const left = Float64Array.from({ length: segments.length }, (_, i) => printedChars[i] ?? 0);
  const through: Partial<Record<DegradeStep, number>> = {};
  let saved = 0;
  for (const { step, from, to } of passes(oldEnd, segments.length)) {
    for (let i = from; i < to; i++) {
      const leaves = leavesOf(step, segments[i]!, left[i]!);
      saved += left[i]! - leaves;
      left[i] = leaves;
      if (saved < savedChars) continue;
      return { degradation: { ...through, [step.name]: withItsOutput(segments, i + 1) }, isAll: false };
    }
    through[step.name] = to;
  }
  return { degradation: through, isAll: true };
}

/** Every step over the old, then over the new; what the user typed is moved only after all of them. */
function passes(oldEnd: number, end: number) {
  const cuts = steps.filter(({ name }) => name !== 'pin');
  return [
    ...cuts.map((step) => ({ step, from: 0, to: oldEnd })),
    ...cuts.map((step) => ({ step, from: oldEnd, to: end })),
    { step: steps.at(-1)!, from: 0, to: end },
  ];
}

function leavesOf({ kinds, leavesChars }: (typeof steps)[number], segment: Segment, left: number): number {
  if (!(kinds as readonly SegmentKind[]).includes(segmentKind(segment))) return left;
  return leavesChars === 'none' ? 0 : Math.min(left, leavesChars + MARK_CHARS);
}

/** A call and its output go together. */
function withItsOutput(segments: readonly Segment[], end: number): number {
  let at = end;
  for (let next = segments[at]; next?.part === 'output' && !next.orphan; next = segments[at]) at++;
  return at;
}

/** What each segment is treated as, with `pinned` ones out of the pages in any case. */
export function treatments(
  segments: readonly Segment[],
  degradation: Degradation,
  pinned: ReadonlySet<number>,
): (index: number) => Treatment | undefined {
  return (index) => {
    if (pinned.has(index)) return 'pin';
    const kind = segmentKind(segments[index]!);
    for (const step of steps.toReversed()) {
      if (index >= (degradation[step.name] ?? 0) || !(step.kinds as readonly SegmentKind[]).includes(kind))
        continue;
      if (step.leavesChars !== 'none') return step.leavesChars;
      return step.name === 'pin' ? 'pin' : 'drop';
    }
    return undefined;
  };
}
