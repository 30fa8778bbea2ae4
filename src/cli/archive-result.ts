/** What `archive --json` says of one input. */
import type { Archive } from '../archive/archive.js';
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
  readonly elisions: Archive['elisions'];
}

export interface Failed {
  readonly input: string;
  readonly status: 'failed';
  readonly error: { readonly code: string; readonly message: string };
}
