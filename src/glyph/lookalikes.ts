/**
 * `fonts/lookalikes.json`: what a chain of fonts may not print as it is.
 *
 * Decoding by pixels needs each printed glyph to be unlike every other over the whole chain. The table is made by
 * fonts/build-lookalikes.mjs with the rules of find-lookalikes.ts; here it is only unpacked, into one byte per code
 * point, in pages of 256.
 */
import { SnapcompactError } from '../errors.js';
import { readPackageJson } from '../package-files.js';
import { eachInRanges } from './code-ranges.js';

export interface LookalikeTable {
  /** Sets of code points in the form of code-ranges.ts that are spelled out although a font has a glyph, by reason. */
  readonly spelled: Readonly<Record<string, string>>;
  /** Drawn by the second font of the chain that has the character: the first draws it like another one. */
  readonly later: string;
  /** One set per mark of mark.ts. */
  readonly marked: readonly string[];
}

/** Treatment of a code point; from `firstMark` on, the number of its mark. */
export const treatment = { printed: 0, spelled: 1, later: 2, firstMark: 3 } as const;

export class Lookalikes {
  readonly #pages: (Uint8Array | undefined)[] = [];

  constructor(table: LookalikeTable) {
    for (const set of Object.values(table.spelled)) this.#fill(set, treatment.spelled);
    this.#fill(table.later, treatment.later);
    for (const [mark, set] of table.marked.entries()) this.#fill(set, treatment.firstMark + mark);
  }

  treatment(codePoint: number): number {
    return this.#pages[codePoint >> 8]?.[codePoint & 0xff] ?? treatment.printed;
  }

  #fill(set: string, value: number): void {
    eachInRanges(set, (codePoint) => {
      this.#pages[codePoint >> 8] ??= new Uint8Array(256);
      this.#pages[codePoint >> 8]![codePoint & 0xff] = value;
    });
  }
}

/** The table of a chain, by its id; throws `unknown-font` for a chain that none was made for. */
export function readLookalikes(chainId: string): LookalikeTable {
  const { chains } = readPackageJson('fonts/lookalikes.json') as {
    readonly chains: Readonly<Record<string, LookalikeTable>>;
  };
  const table = Object.hasOwn(chains, chainId) ? chains[chainId] : undefined;
  if (table !== undefined) return table;
  throw new SnapcompactError('unknown-font', {
    expected: `one of ${Object.keys(chains).join(', ')}`,
    of: 'a chain of fonts',
    got: JSON.stringify(chainId),
    where: 'fonts/lookalikes.json',
    hint: 'node fonts/build-lookalikes.mjs makes the table for every chain of shapes/',
  });
}
