/** The name of a pi or Oh-My-Pi session, which stands in up to three places. */
import { firstLine } from './draft.js';
import { type Fields, textOf, timeMsOf } from './fields.js';

const maxTitleChars = 200;

interface Title {
  readonly text: string;
  readonly timeMs: number | undefined;
}

export class PiTitle {
  #header: Title | undefined;
  #slot: Title | undefined;
  #change: Title | undefined;

  header(header: Fields): void {
    this.#header = titleOf(header['title'], header) ?? this.#header;
  }

  /** The line in front of the header, which is written over in place. */
  slot(line: Fields): void {
    this.#slot = titleOf(line['title'], line) ?? this.#slot;
  }

  change(entry: Fields): void {
    this.#change = titleOf(entry['title'] ?? entry['name'], entry) ?? this.#change;
  }

  /** The newest: the header is written first; of the others a time decides, or the entry, which is appended. */
  get best(): string | undefined {
    const change = this.#change;
    const slot = this.#slot;
    const isSlotNewer = (slot?.timeMs ?? 0) > (change?.timeMs ?? Number.POSITIVE_INFINITY);
    return ((isSlotNewer ? slot : (change ?? slot)) ?? this.#header)?.text;
  }
}

function titleOf(title: unknown, record: Fields): Title | undefined {
  const text = textOf(title);
  if (text === undefined) return undefined;
  return {
    text: firstLine(text, maxTitleChars),
    timeMs: timeMsOf(record['updatedAt'] ?? record['timestamp']),
  };
}
