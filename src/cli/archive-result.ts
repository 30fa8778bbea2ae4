/** What `archive --json` says of one input. */
import type { Archive } from '../archive/archive.js';
import type { CounterReport } from '../billing/count-with-anthropic.js';
import type { ArchivePrice } from '../billing/price-archive.js';
import type { ImportReport } from '../transcript/importer.js';

export type ArchiveResult = Archived | Failed;

export interface Archived {
  readonly input: string;
  readonly status: 'archived';
  readonly folder: string;
  readonly format: string;
  readonly import: ImportReport;
  readonly reader: Archive['reader'];
  readonly counts: Archive['counts'];
  readonly cost: Archive['cost'];
  /** Dollars for the frames, where the price of the model is known. */
  readonly price: ArchivePrice;
  /** With `--count-tokens`: what Anthropic's counter says of the context blocks. */
  readonly counted?: CounterReport;
  /** With `--count-tokens`, when the counter gave no answer. */
  readonly countFailure?: Failed['error'];
  readonly elisions: Archive['elisions'];
}

export interface Failed {
  readonly input: string;
  readonly status: 'failed';
  readonly error: { readonly code: string; readonly message: string };
}
