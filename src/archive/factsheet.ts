/**
 * Values that must be exact, kept as text beside the frames.
 *
 * Models misread dense hex and ids, often without saying so (facts on legibility: twelve-character hex at small sizes
 * comes back wrong for most readers), while they follow the prose around them. So hashes, ids, numbers, versions,
 * paths and addresses of the framed text stand once more as plain text, those most at risk first.
 */
import type { BillingOverrides } from '../billing/overrides.js';
import { estimateTextTokens } from '../billing/text-tokens.js';

export type FactKind = 'uuid' | 'hash' | 'id' | 'number' | 'version' | 'address' | 'path';

export interface Fact {
  readonly kind: FactKind;
  /** As printed in a frame. */
  readonly value: string;
}

export interface Factsheet {
  /** Most at risk first, within a kind the newest first; no value twice. */
  readonly facts: readonly Fact[];
  /** How many more of each kind exist only as pixels. */
  readonly pixelsOnly: Readonly<Partial<Record<FactKind, number>>>;
}

export interface FactsheetOptions {
  /** Default 96. */
  readonly maxFacts?: number;
  /** Of the sheet as text, about. Default 1,500. */
  readonly maxTokens?: number;
  /** Key of the table of characters per token. */
  readonly tokenizer: string;
  readonly overrides?: BillingOverrides | undefined;
}

/** In order of risk: the less a value resembles a word, the sooner a reader gets it wrong. */
const kinds: readonly (readonly [FactKind, RegExp])[] = [
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['hash', /^(?:0x|sha\d+[:-])?(?=[^g-z]*\d)(?=[^g-z]*[a-f])[0-9a-f]{7,128}$/i],
  ['id', /^(?=.*\d)(?=.*[A-Za-z])(?:[A-Za-z]+[-_])?[A-Za-z0-9_]{10,80}$/],
  ['number', /^[-+]?(?:\d{5,40}|\d{1,3}(?:_\d{3})+)(?:\.\d{1,20})?$/],
  ['version', /^v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:[-+.][\w.-]{1,40})?$/],
  ['address', /^[a-z][a-z0-9+.-]{1,15}:\/\/\S{3,180}$|^[\w.-]{1,80}:\d{2,5}(?:\/\S{0,80})?$/i],
  ['path', /^(?:[\w.@~-]{0,60}\/){1,20}[\w.@~+-]{1,80}$/],
];

const MAX_VALUE_CHARS = 200;

/** No value and the comma behind it take fewer. */
const MIN_FACT_TOKENS = 2;

/** By UTF-16 unit of ASCII: ends a value, or is a sign without which none is a fact. */
const ENDS = 1;
const TELLS = 2;
const unitKinds = new Uint8Array(128);
for (let unit = 0; unit <= 0x20; unit++) unitKinds[unit] = ENDS;
for (const sign of '"\'`()[]{}<>,;|=') unitKinds[sign.charCodeAt(0)] = ENDS;
for (const sign of '0123456789/') unitKinds[sign.charCodeAt(0)] = TELLS;
const NEWLINE_UNIT = 0x2588;

/** The facts of a framed text, each value once, the one seen last at the end. Linear. */
export function factsIn(text: string): Fact[] {
  const found = new Map<string, FactKind>();
  for (const value of candidates(text)) {
    const kind = kinds.find(([, pattern]) => pattern.test(value))?.[0];
    if (kind === undefined) continue;
    found.delete(value);
    found.set(value, kind);
  }
  return [...found].map(([value, kind]) => ({ kind, value }));
}

/** The sheet for texts in chronological order, by the facts in each. */
export function factsheetOf(texts: readonly (readonly Fact[])[], options: FactsheetOptions): Factsheet {
  const { maxFacts = 96, maxTokens = 1500, tokenizer, overrides } = options;
  const found = newestFirst(texts);
  const facts: Fact[] = [];
  const pixelsOnly: Partial<Record<FactKind, number>> = {};
  let tokensLeft = maxTokens;
  for (const [kind] of kinds) {
    for (const value of found.get(kind) ?? []) {
      const isFull = facts.length >= maxFacts || tokensLeft < MIN_FACT_TOKENS;
      const tokens = isFull
        ? Number.POSITIVE_INFINITY
        : estimateTextTokens(`${value}, `, tokenizer, overrides);
      if (tokens <= tokensLeft) {
        facts.push({ kind, value });
        tokensLeft -= tokens;
      } else pixelsOnly[kind] = (pixelsOnly[kind] ?? 0) + 1;
    }
  }
  return { facts, pixelsOnly };
}

/** The sheet as the text of one block; empty when there is nothing to keep exact. */
export function factsheetText({ facts, pixelsOnly }: Factsheet): string {
  if (facts.length === 0) return '';
  const lines = kinds.flatMap(([kind]) => {
    const values = facts.filter((fact) => fact.kind === kind).map(({ value }) => value);
    return values.length === 0 ? [] : [`${kind}: ${values.join(', ')}`];
  });
  const more = Object.entries(pixelsOnly).map(([kind, count]) => `${count} of kind ${kind}`);
  const rest = more.length === 0 ? [] : [`Only in the images: ${more.join(', ')}.`];
  return ['Exact values that occur in the images, as text:', ...lines, ...rest].join('\n');
}

/** Values by kind, each once, the one seen last first. */
function newestFirst(texts: readonly (readonly Fact[])[]): Map<FactKind, Set<string>> {
  const byKind = new Map<FactKind, Set<string>>(kinds.map(([kind]) => [kind, new Set()]));
  for (const facts of texts.toReversed()) {
    for (const { kind, value } of facts.toReversed()) byKind.get(kind)!.add(value);
  }
  return byKind;
}

/**
 * Words of a normal text with a digit or a slash in them, as every fact has, without the signs that end a sentence.
 *
 * [hot] Once per unit of every framed text.
 */
function* candidates(text: string): Generator<string> {
  let start = 0;
  let tells = false;
  for (let i = 0; i <= text.length; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : NEWLINE_UNIT;
    const kind = unit < 128 ? unitKinds[unit] : unit === NEWLINE_UNIT ? ENDS : 0;
    if (kind === TELLS) tells = true;
    else if (kind === ENDS) {
      if (tells && i - start <= MAX_VALUE_CHARS) yield text.slice(start, i).replace(/[.:!?…]+$/, '');
      start = i + 1;
      tells = false;
    }
  }
}
