/** What must hold of any archive, found out from its own parts and not by the code that made it. */
import type { Archive } from '../../src/archive/archive.js';
import { contextBlocks } from '../../src/archive/context-blocks.js';
import { toAnthropic, toOpenAIChat } from '../../src/archive/wire-forms.js';
import { base64Bytes } from '../../src/billing/base64-bytes.js';
import { checkRequest } from '../../src/billing/check-request.js';
import { predictTokens } from '../../src/billing/predict-tokens.js';
import { decodeFrame } from '../../src/frame/decode.js';
import { normalizeText } from '../../src/text/normalize.js';
import { printSegments } from '../../src/text/print.js';
import { type Segment, segmentChars } from '../../src/text/segment.js';
import { coverage } from './text-samples.js';

/** Every limit that an archive exceeds as it is sent; none is right. */
export function exceeded(archive: Archive): string[] {
  const { budget, reader, frames } = archive;
  const blocks = contextBlocks(archive);
  const images = blocks.flatMap((block) => (block.type === 'image' ? [block] : []));
  const wire = [
    JSON.stringify(toAnthropic(blocks, { cache: { lifetime: '1h' } })),
    JSON.stringify(toOpenAIChat(blocks, { detail: 'original' })),
  ];
  const bytes = Math.max(...wire.map((body) => Buffer.byteLength(body)));
  const { tokens } = predictTokens(blocks, reader);
  const binds = budget.purpose === 'replace' || reader.limits.route !== 'unknown';
  const check = checkRequest(
    frames.map(({ widthPx, heightPx, data }) => ({
      widthPx,
      heightPx,
      bytesBase64: base64Bytes(data.length),
    })),
    bytes,
    reader.limits.route,
  );
  const { maxImages, maxBytes } = archive.settings.limits;
  const own = { images: maxImages, 'request-bytes': maxBytes } as Record<string, number | undefined>;
  const refused =
    check.ok || !binds ? [] : check.violations.filter(({ binding }) => own[binding] === undefined);
  return [
    ...(frames.length > budget.maxFrames ? ['frames'] : []),
    ...(frames.length > (budget.images ?? Number.POSITIVE_INFINITY) ? ['images'] : []),
    ...(bytes > (budget.bytes ?? Number.POSITIVE_INFINITY) ? [`bytes ${bytes} of ${budget.bytes}`] : []),
    ...(tokens > (budget.tokens ?? Number.POSITIVE_INFINITY) ? [`tokens ${tokens} of ${budget.tokens}`] : []),
    ...(images.length !== frames.length ? [`sent ${images.length} of ${frames.length} frames`] : []),
    ...(blocks.some((block) => block.type === 'text' && block.text.startsWith('[missing:')) ? ['a gap'] : []),
    ...refused.map(({ binding }) => binding),
  ];
}

const steps: readonly (readonly [string, readonly string[], number | 'drop' | 'pin'])[] = [
  ['pin', ['user'], 'pin'],
  ['answer', ['answer', 'injected', 'note'], 'drop'],
  ['call', ['call', 'output'], 'drop'],
  ['reasoning', ['reasoning'], 'drop'],
  ['output-name', ['output'], 0],
  ['output-100', ['output'], 100],
  ['output-500', ['output'], 500],
];

function kindOf(segment: Segment): string {
  if (segment.part !== 'text') return segment.part;
  if (segment.scope === 'think') return 'reasoning';
  if (segment.scope === 'ai') return 'answer';
  return segment.injected === undefined ? 'user' : 'injected';
}

/** Where the archive says it put a stretch of a segment: one entry for each of its parts in head, middle and tail. */
interface Stretch {
  readonly segment: Segment;
  readonly index: number;
  readonly place: 'head' | 'middle' | 'tail';
  readonly from: number;
  readonly to: number;
}

function stretches({ segments, layout: { headEnd, tailStart } }: Archive): Stretch[] {
  return segments.flatMap((segment, index) => {
    const end = segment.part === 'text' ? segment.text.length : 1;
    const cut = (at: { segment: number; unit: number }) =>
      index < at.segment ? end : index === at.segment ? at.unit : 0;
    const [first, second] = [cut(headEnd), cut(tailStart)];
    const parts = [
      { place: 'head', from: 0, to: first },
      { place: 'middle', from: first, to: second },
      { place: 'tail', from: second, to: end },
    ] as const;
    return parts.filter(({ from, to }) => from < to).map((part) => ({ segment, index, ...part }));
  });
}

/** Characters that are dropped by the steps that the archive lists, each counted from its own segment. */
export function droppedChars(archive: Archive, pinned: ReadonlySet<number>): number {
  const { degradation } = archive.layout;
  return stretches(archive).reduce((sum, { segment, index, place, from, to }) => {
    if (place !== 'middle' || pinned.has(index)) return sum;
    const step = steps.find(
      ([name, kinds]) =>
        index < ((degradation as Record<string, number>)[name] ?? 0) && kinds.includes(kindOf(segment)),
    );
    if (step?.[2] !== 'drop') return sum;
    return sum + (segment.part === 'text' ? to - from : segmentChars(segment));
  }, 0);
}

const squash = (text: string) => text.replace(/[\s█]/g, '');
const printedAlone = (text: string) =>
  squash(
    printSegments([{ part: 'text', scope: 'user', entryId: 'x', text }], { coverage }).text.replace(
      /^¶user:/,
      '',
    ),
  );
const normal = (text: string) => squash(normalizeText(text, { coverage }).text);

/** As the newest request has it: word for word, stand-ins for data among the words. */
const bare = (text: string) => text.replaceAll('\ufdd0', '').replaceAll('\ufdd1', '').toWellFormed();

/** What the user typed and nobody can find where the archive says that it is, in order; none is right. */
export function lostTurns(archive: Archive): string[] {
  const { frames, parts, pins, live } = archive;
  const ofRole = (role: string) =>
    parts.flatMap((part) => (part.type === 'text' && part.role === role ? [part.text] : [])).join('\n');
  const middle = parts
    .map((part) => {
      if (part.type === 'frame')
        return frames[part.frame]!.mime === 'image/png'
          ? decodeFrame(frames[part.frame]!.data).text
          : frames[part.frame]!.text;
      return part.role === 'page' ? part.text : '';
    })
    .join('');
  const places = { head: normal(ofRole('head')), middle: squash(middle), tail: normal(ofRole('tail')) };
  const at = { head: 0, middle: 0, tail: 0 };
  return stretches(archive).flatMap(({ segment, place, from, to }) => {
    // A stand-in alone looks like every other one, and would be found in a later turn.
    if (segment.part !== 'text' || kindOf(segment) !== 'user' || segment.text.startsWith('\ufdd0')) return [];
    const whole = printedAlone(segment.text);
    const wanted = printedAlone(segment.text.slice(from, to));
    const found = places[place].indexOf(wanted, at[place]);
    if (found >= 0) {
      at[place] = found + wanted.length;
      return [];
    }
    const isAside =
      normal(pins).includes(whole) || printedAlone(live).includes(printedAlone(bare(segment.text)));
    return isAside ? [] : [`${place}: ${segment.text.slice(from, to)}`];
  });
}
