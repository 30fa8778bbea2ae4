/** Decides which importer reads a source, from its head alone. */
import { SnapcompactError } from '../errors.js';
import { fieldsOf } from './fields.js';
import { transcriptFormats } from './formats.js';
import type { SourceHead } from './head.js';
import type { Confidence, Importer } from './importer.js';
import { knownFormats } from './known-formats.js';

export interface ChosenFormat {
  readonly importer: Importer;
  readonly confidence: Confidence | 'forced';
}

export interface FormatChoiceOptions {
  /** Name of the importer to use, whatever the content looks like. Default: by content. */
  readonly format?: string;
  /** Refuse a format that is only probable. Default false. */
  readonly strict?: boolean;
}

/**
 * Throws `usage` for an unknown name, `broken-input` for an empty source, `unrecognised-format` for what no
 * importer claims, for formats that are known and not read, and for a lone guess if `strict`.
 */
export function chooseFormat(head: SourceHead, name: string, options: FormatChoiceOptions): ChosenFormat {
  const forced = options.format === undefined ? undefined : importerNamed(options.format);
  if (head.blank) {
    const got = head.chunks.length === 0 ? 'an empty file' : 'a file of nothing but blanks';
    throw new SnapcompactError('broken-input', { expected: 'a transcript', of: name, got });
  }
  if (forced !== undefined) return { importer: forced, confidence: 'forced' };
  const chosen = recognise(head, name);
  if (chosen.confidence === 'probable' && options.strict === true) {
    const hint = `if it is one, force it with --format-in ${chosen.importer.name}`;
    throw unrecognised(name, `what may be ${chosen.importer.title}`, hint);
  }
  return chosen;
}

function recognise(head: SourceHead, name: string): ChosenFormat {
  const { probe, counts } = head;
  const isMostlyJson = probe.jsonShare > 0.5;
  const records = isMostlyJson ? probe.records : [];
  const claims = transcriptFormats
    .filter((importer) => isMostlyJson || importer.mixed === true || importer.reads === 'text')
    .map((importer) => ({ importer, confidence: importer.detect(probe) }))
    .filter((claim) => claim.confidence !== 'no');
  const found = claims.filter((claim) => claim.importer.reads === 'records');
  const claim = found.find((each) => each.confidence === 'certain') ?? found[0];
  refuseKnown(records, claim?.confidence === 'certain', name);
  if (claim !== undefined) return claim;
  refuseBinary(probe.head, name);
  refuseMessageLog(records, name);
  if (counts.values === 0 && counts.noise === 0 && /^\s*(\{\s*"|\[\s*\{)/.test(probe.head)) {
    throw new SnapcompactError('broken-input', {
      expected: 'at least one complete JSON record',
      of: name,
      got: `${counts.broken} broken ones`,
      hint: 'to archive it as it stands, force it with --format-in text',
    });
  }
  const text = claims[0];
  if (text === undefined) throw unrecognised(name, 'something no format claims');
  return text;
}

/** A record of a known format inside a session of another is a quotation, unless there are more of them. */
function refuseKnown(records: readonly unknown[], isClaimed: boolean, name: string): void {
  for (const known of knownFormats) {
    const marked = records.filter((record) => known.marks(record)).length;
    if (isClaimed ? marked * 2 > records.length : marked > 0)
      throw unrecognised(name, `${known.title}, which this version does not read`);
  }
}

/** The importer of this name. Throws `usage` with the names there are. */
function importerNamed(format: string): Importer {
  const importer = transcriptFormats.find((each) => each.name === format);
  if (importer !== undefined) return importer;
  throw new SnapcompactError('usage', {
    expected: `one of ${transcriptFormats.map((each) => each.name).join(', ')}`,
    of: '--format-in',
    got: format,
  });
}

/** Lone role and content objects, one per line: the log of an API client, of no agent in particular. */
function refuseMessageLog(records: readonly unknown[], name: string): void {
  const messages = records.map(fieldsOf).filter((r) => typeof r?.['role'] === 'string' && 'content' in r);
  if (messages.length * 2 <= records.length || messages.length === 0) return;
  const hint =
    'if it is one conversation, force it with --format-in openai-chat or --format-in anthropic-messages';
  throw unrecognised(name, 'lines of single role and content objects, as an API log has them', hint);
}

/** Share of control characters above which a text is taken for data. Terminal logs stay well below. */
const maxControlShare = 0.1;

function refuseBinary(padded: string, name: string): void {
  // Blocks of NUL are what a file system leaves of a write that was lost.
  const head = padded.replace(/\0{16,}/g, '');
  let suspicious = 0;
  for (let i = 0; i < head.length; i++) {
    const code = head.charCodeAt(i);
    const isControl = code < 0x20 && code !== 9 && code !== 10 && code !== 13 && code !== 8 && code !== 0x1b;
    if (isControl || code === 0xfffd) suspicious += 1;
  }
  if (suspicious <= head.length * maxControlShare) return;
  throw unrecognised(name, 'binary data', 'to archive it all the same, force it with --format-in text');
}

function unrecognised(name: string, got: string, hint?: string): SnapcompactError {
  const names = transcriptFormats.map((importer) => importer.name).join(', ');
  return new SnapcompactError('unrecognised-format', {
    expected: `a transcript in one of the formats ${names}`,
    of: name,
    got,
    hint: hint ?? 'convert or export it to one of these, or force a format with --format-in',
  });
}
