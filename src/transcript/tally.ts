/** The counters of one import, and the report made of them. */
import type { BrokenLine, ImportReport, Tally } from './importer.js';

/** Kind names come from the file; a hostile one must not make the report as large as the transcript. */
const maxKinds = 200;
const maxKindChars = 80;
/** Listed one by one up to here, then only counted. */
const maxListed = 1000;

export class ImportTally implements Tally {
  records = 0;
  readonly #skipped = new Map<string, number>();
  readonly #unknown = new Map<string, number>();
  readonly #broken: BrokenLine[] = [];
  readonly #warnings = new Map<string, number>();
  #brokenCount = 0;

  skip(kind: string, times = 1): void {
    if (times > 0) count(this.#skipped, kind, times);
  }

  unknown(kind: string): void {
    count(this.#unknown, kind);
  }

  warn(message: string): void {
    count(this.#warnings, message, 1, 1000);
  }

  broken(line: BrokenLine): void {
    this.#brokenCount += 1;
    if (this.#broken.length < maxListed) this.#broken.push(line);
  }

  get brokenCount(): number {
    return this.#brokenCount;
  }

  report(): ImportReport {
    const warnings = [...this.#warnings].map(([text, times]) =>
      times === 1 ? text : `${text} (${times} times)`,
    );
    if (this.#brokenCount > maxListed) {
      warnings.push(`${this.#brokenCount - maxListed} further broken lines are not listed`);
    }
    return {
      records: this.records,
      skipped: Object.fromEntries(this.#skipped),
      unknown: Object.fromEntries(this.#unknown),
      broken: [...this.#broken],
      warnings,
    };
  }
}

function count(counts: Map<string, number>, name: string, times = 1, maxChars = maxKindChars): void {
  const kind = name.length > maxChars ? `${name.slice(0, maxChars - 1)}…` : name;
  const key = counts.has(kind) || counts.size < maxKinds ? kind : 'other kinds';
  counts.set(key, (counts.get(key) ?? 0) + times);
}
