/**
 * How many tokens a text costs, without a tokenizer: characters per token by class of content.
 *
 * The table is `text-tokens.json`, one column a vocabulary, with source and date; the classes come from
 * `text-classes.ts`. An estimate: on transcripts, sources and pages counted with o200k it came within some 15 % of the
 * real count; it is further off on a single line, and too high on drawn boxes and on deep indentation.
 */
import { SnapcompactError } from '../errors.js';
import { readPackageJson } from '../package-files.js';
import type { BillingOverrides } from './overrides.js';
import { type ContentClass, contentClasses, countClasses } from './text-classes.js';

export interface TextEstimate {
  /** As `estimateTextTokens`. */
  readonly tokens: number;
  /** UTF-16 units of the text by class of content, classes without any left out; their sum is the text's length. */
  readonly classes: Readonly<Partial<Record<ContentClass, number>>>;
}

interface Vocabulary {
  /** Name of the encoding where the vocabulary is public and a package ships it; see `tokenizers.ts`. */
  readonly encoding?: string;
  readonly charsPerToken: Readonly<Record<ContentClass, number>>;
}

interface Table {
  readonly fallback: string;
  readonly tokenizers: Readonly<Record<string, Vocabulary>>;
}

/**
 * Tokens of `text` in the vocabulary `tokenizer`, a key of `text-tokens.json` as `resolveReader` gives it; the
 * default and any key that is not there take the careful column `default`.
 *
 * A whole number, 0 for the empty text only; time is linear in the length. Appending to a text does not make it
 * cheaper, but for the last run of at most 64 letters and digits. Never throws. Source: the table, `overrides.charsPerToken`
 * over it.
 */
export function estimateTextTokens(
  text: string,
  tokenizer = 'default',
  overrides?: BillingOverrides,
): number {
  return tokensOf(countClasses(text, classCounts), vocabulary(tokenizer, overrides));
}

/** Shared by all calls: transcripts have many texts. */
const classCounts = new Int32Array(contentClasses.length);

/** UTF-16 units that one token stands for at most, whatever the text: `estimateTextTokens` never gives fewer tokens. */
export function mostCharsPerToken(tokenizer = 'default', overrides?: BillingOverrides): number {
  const { charsPerToken } = vocabulary(tokenizer, overrides);
  return Math.max(...contentClasses.map((name) => charsPerToken[name]));
}

/** As `estimateTextTokens`, with the classes that led there. */
export function explainTextTokens(
  text: string,
  tokenizer = 'default',
  overrides?: BillingOverrides,
): TextEstimate {
  const counts = countClasses(text);
  const found = contentClasses
    .map((name, index) => [name, counts[index]!] as const)
    .filter(([, units]) => units > 0);
  return { tokens: tokensOf(counts, vocabulary(tokenizer, overrides)), classes: Object.fromEntries(found) };
}

function tokensOf(counts: Int32Array, { charsPerToken }: Vocabulary): number {
  let tokens = 0;
  for (let index = 0; index < counts.length; index++) {
    const units = counts[index]!;
    if (units > 0) tokens += units / charsPerToken[contentClasses[index]!];
  }
  return Math.ceil(tokens);
}

let loaded: Table | undefined;

/** Names of the columns. */
export function vocabularyNames(): readonly string[] {
  return Object.keys(table().tokenizers);
}

/** Name of the public encoding of a vocabulary, if there is one. */
export function encodingOf(tokenizer: string): string | undefined {
  const { tokenizers } = table();
  return Object.hasOwn(tokenizers, tokenizer) ? tokenizers[tokenizer]!.encoding : undefined;
}

/** The column that a key leads to: itself, or the careful default. */
export function columnOf(tokenizer: string): string {
  const { tokenizers, fallback } = table();
  return Object.hasOwn(tokenizers, tokenizer) ? tokenizer : fallback;
}

function vocabulary(tokenizer: string, overrides: BillingOverrides | undefined): Vocabulary {
  const column = columnOf(tokenizer);
  const base = table().tokenizers[column]!;
  const stated = overrides?.charsPerToken;
  if (stated === undefined || !Object.hasOwn(stated, column)) return base;
  return { ...base, charsPerToken: { ...base.charsPerToken, ...stated[column] } };
}

function table(): Table {
  loaded ??= checkTable(readPackageJson('src/billing/text-tokens.json'));
  return loaded;
}

function checkTable(data: unknown): Table {
  const checked = data as Table;
  for (const [name, { charsPerToken }] of Object.entries(checked.tokenizers)) {
    for (const contentClass of contentClasses) {
      const value = charsPerToken[contentClass];
      if (value > 0) continue;
      throw new SnapcompactError('bad-data-file', {
        expected: 'a number above 0',
        of: `${name}.${contentClass}`,
        got: String(value),
        where: 'src/billing/text-tokens.json',
      });
    }
  }
  return checked;
}
