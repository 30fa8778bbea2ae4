/** The texts that stand as text around the frames, with their tokens. */
import { estimateTextTokens } from '../billing/text-tokens.js';
import { SnapcompactError } from '../errors.js';
import { printSegments, type Treatment } from '../text/print.js';
import type { PrintedText } from '../text/printed-text.js';
import { endOf, type Position, type Region, regionOf } from './edges.js';
import type { TextCost } from './middle.js';
import { type LiveRequest, liveRequest, pinnedSegments } from './pins.js';
import type { Estimates, PlanInput } from './plan.js';
import { jsonBytes } from './wire-bytes.js';

/** Text that stands as text, and what it costs. */
export interface TextPart {
  readonly text: string;
  readonly tokens: number;
}

export interface PrintedPart {
  readonly part: TextPart;
  readonly printed: PrintedText;
}

export class TextPrinter {
  /** The newest request; empty where nobody made one. */
  readonly live: TextPart;
  /** Segments that the rules pin. */
  readonly pinned: ReadonlySet<number>;
  readonly #input: PlanInput;
  readonly #live: LiveRequest | undefined;
  #rulePins: PrintedPart | undefined;

  constructor(input: PlanInput) {
    const { segments, budget, estimates } = input;
    this.#input = input;
    this.pinned = pinnedSegments(segments, input.pins);
    this.#live = liveRequest(segments);
    this.live = this.#part(this.#live?.text ?? '');
    const { tokens, bytes } = textCost([this.live], this.#part(''), estimates);
    if (budget.tokens !== null && tokens > budget.tokens) throw tooLong('tokens', tokens, budget.tokens);
    if (budget.bytes !== null && bytes > budget.bytes) throw tooLong('bytes', bytes, budget.bytes);
  }

  edge(region: Region): PrintedPart {
    return this.#printed(region, (index) => this.pinned.has(index));
  }

  /** The newest request, which stands last of all, is pointed to. */
  tail(from: Position): PrintedPart {
    const { segments } = this.#input;
    return this.#printed(
      regionOf(segments, from, endOf(segments)),
      (index) => this.pinned.has(index) || this.#live?.indices.has(index) === true,
    );
  }

  pins(pinned: ReadonlySet<number>): PrintedPart {
    if (pinned !== this.pinned) return this.#pins(pinned);
    this.#rulePins ??= this.#pins(pinned);
    return this.#rulePins;
  }

  #pins(pinned: ReadonlySet<number>): PrintedPart {
    const segments = [...pinned].sort((a, b) => a - b).map((index) => this.#input.segments[index]!);
    const whole = Number.MAX_SAFE_INTEGER;
    const caps = { outputChars: whole, argumentChars: whole, callChars: whole };
    const printed = printSegments(segments, { ...this.#options(), caps });
    return { part: this.#part(printed.text), printed };
  }

  #part(text: string): TextPart {
    const { reader, overrides } = this.#input;
    return { text, tokens: text === '' ? 0 : estimateTextTokens(text, reader.tokenizer, overrides) };
  }

  #printed({ segments, firstIndex }: Region, isPinned: (index: number) => boolean): PrintedPart {
    const treatment = (index: number): Treatment | undefined => (isPinned(index) ? 'pin' : undefined);
    const { caps } = this.#input;
    const printed = printSegments(segments, { ...this.#options(), caps, firstIndex, treatment });
    return { part: this.#part(printed.text), printed };
  }

  #options() {
    return { coverage: this.#input.tiers.hq.coverage, verbatim: true };
  }
}

/** What texts around the frames cost, with guide and factsheet. */
export function textCost(fixed: readonly TextPart[], pins: TextPart, estimates: Estimates): TextCost {
  const texts = [...fixed, pins];
  return {
    tokens: texts.reduce((sum, { tokens }) => sum + tokens, estimates.surroundingTokens),
    bytes: texts.reduce((sum, { text }) => sum + jsonBytes(text), estimates.surroundingBytes),
    pinTokens: pins.tokens,
  };
}

const raises = { tokens: '--window (option windowTokens)', bytes: '--max-bytes (option maxBytes)' } as const;

function tooLong(what: 'tokens' | 'bytes', taken: number, limit: number): SnapcompactError {
  return new SnapcompactError('over-budget', {
    expected: `at most ${limit} ${what}`,
    of: 'the newest request, which always stands as text, and the guide to the archive',
    got: String(taken),
    hint: `raise ${raises[what]}`,
  });
}
