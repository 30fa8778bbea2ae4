/**
 * The archive model: bounded source text, the frames printed from it, and the account of both.
 *
 * Frames are derived: segments, reader and printing options decide every one of them.
 */
import type { Frame } from '../frame/frame.js';
import type { Tier } from '../page/foveate.js';
import type { Reader } from '../page/readers.js';
import type { Caps } from '../text/caps.js';
import type { Elision, Span } from '../text/print.js';
import type { Scope, Segment } from '../text/segment.js';
import type { Factsheet } from './factsheet.js';

/** Version of the archive's form on disk; a reader refuses a newer one. */
export const ARCHIVE_SCHEMA = 1;

export interface Archive {
  readonly schema: number;
  /** Where the history came from; absent for a history that was passed in as it is. */
  readonly source?: ArchiveSource;
  readonly reader: Reader;
  readonly printing: Printing;
  readonly segments: readonly Segment[];
  /** In reading order. */
  readonly frames: readonly ArchivedFrame[];
  readonly elisions: readonly Elision[];
  readonly factsheet: Factsheet;
  readonly counts: Counts;
  readonly cost: Cost;
}

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
}

/** What decides the printed text, beside the segments. */
export interface Printing {
  readonly reasoning: boolean;
  readonly caps: Caps;
  /** Frames at most. */
  readonly maxFrames: number;
  /** Scopes that occur in the frames. */
  readonly scopes: readonly Scope[];
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
  /** Hex digest of text and emphasis. */
  readonly pageSha256: string;
  /** Where the page lies in the printed text, in UTF-16 units. */
  readonly span: Span;
  /** History entries of the first and the last character. */
  readonly entries: { readonly first: string; readonly last: string };
}

export interface Counts {
  readonly messages: number;
  readonly segments: number;
  /** UTF-16 units of the segments' text. */
  readonly sourceChars: number;
  /** UTF-16 units of the printed text, and of the part that frames hold. */
  readonly printedChars: number;
  readonly framedChars: number;
  readonly frames: number;
  /** PNG bytes of all frames. */
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
}
