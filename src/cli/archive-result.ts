/** What `archive --json` and `rearchive --json` say of one input: figures and names, never the frames themselves. */
import type { Archive, FrameMime } from '../archive/archive.js';
import { idleRules } from '../archive/pins.js';
import type { ArchivePlan } from '../archive/plan-archive.js';
import type { CounterReport } from '../billing/count-with-anthropic.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { type ArchivePrice, priceArchive } from '../billing/price-archive.js';
import type { ImportReport } from '../transcript/importer.js';
import { betterChoice } from './advice.js';

export type ArchiveResult = Archived | Planned | Failed;

export interface Archived {
  readonly input: string;
  readonly status: 'archived' | 'unchanged';
  readonly folder: string;
  /** Of the transcript, where one was read. */
  readonly format?: string;
  readonly import?: ImportReport;
  readonly reader: Archive['reader'];
  readonly mime: FrameMime;
  readonly counts: Archive['counts'];
  readonly tiers: { readonly hq: number; readonly lq: number };
  readonly cost: Archive['cost'];
  readonly binding: Archive['binding'];
  readonly degradation: Archive['layout']['degradation'];
  /** Dollars for all that is sent, where the price of the model is known. */
  readonly price: ArchivePrice;
  /** What would cost less, where frames cost more than their text. */
  readonly advice?: string;
  /** Frames that a pass on an archive left as they were. */
  readonly unchanged?: number;
  /** With `--count-tokens`: what Anthropic's counter says of the context blocks. */
  readonly counted?: CounterReport;
  /** With `--count-tokens`, when the counter gave no answer. */
  readonly countFailure?: Failed['error'];
  readonly elisions: Archive['elisions'];
  /** Rules of pins that name nothing in it. */
  readonly idlePins: readonly string[];
  /** What the model thought, where this pass took it out of the source. */
  readonly reasoningGone?: { readonly texts: number; readonly chars: number };
}

/** With `--dry-run`. */
export type Planned = Omit<ArchivePlan, 'status'> & { readonly input: string; readonly status: string };

export interface Failed {
  readonly input: string;
  readonly status: 'failed';
  readonly error: { readonly code: string; readonly message: string };
}

/** The part of a result that every archive has. */
export function archivedResult(
  archive: Archive,
  { input, folder, overrides, route }: ResultContext,
): Archived {
  const { reader, counts, cost, binding, layout, elisions, settings, frames, segments } = archive;
  const lq = frames.filter(({ tier }) => tier === 'lq').length;
  const advice = betterChoice(archive, overrides);
  return {
    input,
    status: 'archived',
    folder,
    reader,
    mime: settings.mime,
    counts,
    tiers: { hq: frames.length - lq, lq },
    cost,
    binding,
    degradation: layout.degradation,
    price: priceArchive(
      reader.model,
      { imageTokens: cost.imageTokens, textTokens: cost.besideTokens },
      { ...(route !== undefined && { route }), overrides },
    ),
    ...(advice !== undefined && { advice }),
    elisions,
    idlePins: idleRules(segments, settings.pins),
  };
}

export interface ResultContext {
  readonly input: string;
  readonly folder: string;
  readonly overrides: BillingOverrides;
  readonly route?: string | undefined;
}
