/**
 * Real tokenizers, for vocabularies that a vendor publishes and a maintained package ships.
 *
 * `o200k_base` (gpt-4o and every later OpenAI model): `gpt-tokenizer` 4.0.0. It is the better kept of two: its newest
 * version is of August 2026 and has no dependency, that of `js-tiktoken` (1.0.21) is of August 2025 and has one; and it
 * counts without building the list of tokens. Both ship every vocabulary: 30 MB installed against 22 MB. What is
 * loaded here is 2.4 MB of source, half a second and 68 MB of memory on a slow machine, on first use only. Both merge
 * in time by the square of a part, hence `token-pieces.ts`.
 */

/** A vocabulary at work. */
export interface Encoding {
  /** Package and encoding, for reports. */
  readonly by: string;
  /** Pattern by which the vocabulary splits a text before merging. */
  readonly pattern: RegExp;
  /** Tokens of a text; names of control tokens in it count as ordinary text. */
  count(text: string): number;
  /** Drops what counting remembered; the package keeps pieces of the text in a cache. */
  forget(): void;
}

/** Source: openai/tiktoken, `openai_public.py`, `o200k_base`; the tests hold it against the package's own. */
const upper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const lower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const contraction = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?";
const o200kPattern = [
  `[^\\r\\n\\p{L}\\p{N}]?${upper}*${lower}+${contraction}`,
  `[^\\r\\n\\p{L}\\p{N}]?${upper}+${lower}*${contraction}`,
  '\\p{N}{1,3}',
  ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*',
  '\\s*[\\r\\n]+',
  '\\s+(?!\\S)',
  '\\s+',
].join('|');

const loaders: Readonly<Record<string, () => Promise<Encoding>>> = {
  async o200k_base() {
    // The package's main entry is this encoding.
    const { countTokens, clearMergeCache } = await import('gpt-tokenizer');
    const asText = { disallowedSpecial: new Set<string>() };
    return {
      by: 'gpt-tokenizer, o200k_base',
      pattern: new RegExp(o200kPattern, 'gu'),
      count: (text) => countTokens(text, asText),
      forget: clearMergeCache,
    };
  },
};

const loaded = new Map<string, Promise<Encoding>>();

/** The encoding of that name, loaded once per process; `undefined` where no package ships it. */
export function loadEncoding(name: string): Promise<Encoding> | undefined {
  const loader = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (loader === undefined) return undefined;
  const encoding = loaded.get(name) ?? loader();
  loaded.set(name, encoding);
  return encoding;
}
