/**
 * The archive model: bounded source text, the frames printed from it, and the account of both.
 *
 * Frames are derived: segments, reader and printing options decide every one of them.
 */
import type { Frame } from '../frame/frame.js';
import type { Tier } from '../page/foveate.js';
import type { Reader, ReaderTarget } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import type { Elision } from '../text/elision.js';
import type { Span } from '../text/printed-text.js';
import type { Scope, Segment } from '../text/segment.js';
import type { Budget, BudgetOptions } from './budget.js';
import type { Factsheet } from './factsheet.js';
import type { Binding, Layout } from './plan.js';

/** Version of the archive's form on disk; a reader refuses a newer one. */
export const ARCHIVE_SCHEMA = 2;

export interface Archive {
  readonly schema: number;
  /** Where the history came from; absent for a history that was passed in as it is. */
  readonly source?: ArchiveSource;
  readonly reader: Reader;
  /** What was asked for; the next pass keeps to it where it is not told otherwise. */
  readonly settings: ArchiveSettings;
  readonly budget: Budget;
  readonly layout: Layout;
  /** The bounded source: what was said, after redaction, before caps and normalising. */
  readonly segments: readonly Segment[];
  /** In reading order: text at the head, frames and pages that are cheaper as text, text at the tail. */
  readonly parts: readonly Part[];
  /** In reading order. */
  readonly frames: readonly ArchivedFrame[];
  /** Pinned segments, and the newest request; empty where there is none. */
  readonly pins: string;
  readonly live: string;
  readonly factsheet: Factsheet;
  readonly elisions: readonly Elision[];
  /** Scopes that occur in parts and pins. */
  readonly scopes: readonly Scope[];
  readonly binding: Binding;
  readonly counts: Counts;
  readonly cost: Cost;
}

/** Options of a pass that hold for the next one, too. */
export interface ArchiveSettings {
  readonly reasoning: boolean;
  readonly caps: Caps;
  readonly pins: readonly string[];
  readonly sourceBytes: number;
  readonly mime: FrameMime;
  readonly target: ReaderTarget;
  readonly limits: BudgetOptions;
}

export type Part =
  | { readonly type: 'frame'; readonly frame: number }
  | { readonly type: 'text'; readonly role: 'head' | 'page' | 'tail'; readonly text: string };

export interface ArchiveSource {
  readonly name: string;
  readonly format: string;
  readonly bytes: number;
  /** Hex digest of the transcript's bytes. */
  readonly sha256: string;
  readonly sessionId?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly model?: string;
  /** How it was read, where not as it is by default: with abandoned branches, without subagents. */
  readonly branches?: boolean;
  readonly subagents?: boolean;
}

export type FrameMime = 'image/png' | 'image/webp';

export interface ArchivedFrame extends Omit<Frame, 'png'> {
  /** The file, whose digest is `sha256`. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly mime: FrameMime;
  readonly index: number;
  readonly shape: string;
  readonly tier: Tier;
  /** Normal text of the page. */
  readonly text: string;
  /** Emphasis, in units of `text`. */
  readonly dim: readonly Span[];
  /** Digest of all that decides the pixels: see `pageDigest`. */
  readonly pageSha256: string;
  /** Where the page lies in the printed middle, in UTF-16 units. */
  readonly span: Span;
  /** Older than the trailing edge: no later pass changes it but a new layout. */
  readonly sealed: boolean;
  /** Estimate of `text` as text. */
  readonly textTokens: number;
  /** History entries of the first and the last character. */
  readonly entries: { readonly first: string; readonly last: string };
}

export interface Counts {
  readonly messages: number;
  readonly segments: number;
  /** UTF-16 units of the segments' text. */
  readonly sourceChars: number;
  /** UTF-16 units of all that is printed, and of the parts that frames hold. */
  readonly printedChars: number;
  readonly framedChars: number;
  readonly frames: number;
  /** Frames that the next pass may change without a new layout. */
  readonly openFrames: number;
  /** Bytes of all frames. */
  readonly bytes: number;
  /** Characters spelled out for want of a glyph, and control characters dropped. */
  readonly spelled: number;
  readonly dropped: number;
}

/** Predicted tokens for this reader: an estimate, by the formulas of `billing/`. */
export interface Cost {
  readonly imageTokens: number;
  /** The framed text as text. */
  readonly textTokens: number;
  /** `textTokens - imageTokens`; negative when the frames cost more. */
  readonly savedTokens: number;
  /** Text that goes with the frames: edges, pages kept as text, pins, the newest request, guide and factsheet. */
  readonly besideTokens: number;
  /** All of the archive as it is sent, and the source as text. */
  readonly totalTokens: number;
  readonly replacedTokens: number;
}
