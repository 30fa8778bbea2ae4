/** What stands in a Claude Code session beside the turns: notes, attachments, and marks on injected turns. */
import type { Block } from '../history/history.js';
import { anthropicBlocks } from './anthropic-content.js';
import { silentAttachments, silentSystemTypes } from './claude-records.js';
import { type Draft, firstLine, noteDraft } from './draft.js';
import { defined, type Fields, fieldsOf, textOf, timeMsOf } from './fields.js';
import type { Tally } from './importer.js';
import { injectionOf, liftLabel, withLabels } from './injected-text.js';
import { fileMedia } from './media.js';

const maxNoteChars = 300;

/** What wrote a turn if its role did not, as far as the wrapper says so. */
export function claudeInjection(record: Fields, message: Fields): string | undefined {
  if (record['isCompactSummary'] === true) return 'compaction-summary';
  if (record['isApiErrorMessage'] === true) return 'api-error';
  if (message['model'] === '<synthetic>') return 'synthetic';
  return wroteIt(record) ?? (record['isVisibleInTranscriptOnly'] === true ? 'transcript-only' : undefined);
}

/** What a record or a queued prompt names as its origin, if that is not the user. */
function wroteIt(record: Fields): string | undefined {
  const origin = textOf(fieldsOf(record['origin'])?.['kind']);
  if (origin !== undefined && origin !== 'human') return firstLine(origin, 40);
  if (record['commandMode'] === 'task-notification') return 'task-notification';
  return record['isMeta'] === true ? 'meta' : undefined;
}

/** The message of a `system` or `continued-in` record, or undefined (tallied) if it has nothing to say. */
export function claudeNote(record: Fields, place: string, tally: Tally): Draft | undefined {
  const id = textOf(record['uuid']) ?? place;
  const timeMs = timeMsOf(record['timestamp']);
  if (record['type'] === 'continued-in') {
    const next = textOf(record['continuedInSessionId']) ?? 'another file';
    return noteDraft(id, `The conversation goes on in session ${next}`, timeMs);
  }
  const subtype = textOf(record['subtype']) ?? 'untyped';
  const content = textOf(record['content']);
  switch (subtype) {
    case 'compact_boundary':
      return noteDraft(id, compactionText(fieldsOf(record['compactMetadata']), content), timeMs);
    case 'local_command':
      if (content === undefined) break;
      return localCommand(id, content, timeMs);
    case 'api_error':
      return noteDraft(id, `API error: ${firstLine(apiErrorText(record), maxNoteChars)}`, timeMs);
    case 'away_summary':
      if (content === undefined) break;
      return noteDraft(id, `While away: ${firstLine(content, maxNoteChars)}`, timeMs);
  }
  const isKnown = silentSystemTypes.has(subtype) || subtype === 'local_command' || subtype === 'away_summary';
  if (isKnown) tally.skip(`system/${subtype}`);
  else tally.unknown(`system/${subtype}`);
  return undefined;
}

/** The message of an `attachment`: what the user typed while the agent was busy, or a file put into the context. */
export function claudeAttachment(record: Fields, place: string, tally: Tally): Draft | undefined {
  const attachment = fieldsOf(record['attachment']);
  const type = textOf(attachment?.['type']) ?? 'untyped';
  const base = {
    id: textOf(record['uuid']) ?? place,
    role: 'user' as const,
    timeMs: timeMsOf(record['timestamp']),
  };
  if (attachment !== undefined && type === 'queued_command') {
    const blocks = withLabels(anthropicBlocks(attachment['prompt'], tally));
    const draft = defined<Draft>({ ...base, blocks, injected: undefined });
    return liftLabel(draft, wroteIt(attachment) ?? wroteIt(record));
  }
  if (attachment !== undefined && type === 'file') {
    const blocks = fileBlocks(attachment, tally);
    return defined<Draft>({ ...base, blocks, injected: 'file' });
  }
  if (silentAttachments.has(type)) tally.skip(`attachment/${type}`);
  else tally.unknown(`attachment/${type}`);
  return undefined;
}

/** "Conversation compacted (auto, 167731 tokens before)". */
export function compactionText(metadata: Fields | undefined, content: string | undefined): string {
  const tokens = metadata?.['preTokens'] ?? metadata?.['pre_tokens'];
  const details = [
    textOf(metadata?.['trigger']),
    typeof tokens === 'number' ? `${tokens} tokens before` : undefined,
  ].filter((part) => part !== undefined);
  const text = firstLine(content ?? 'Conversation compacted', maxNoteChars);
  return details.length === 0 ? text : `${text} (${details.join(', ')})`;
}

function localCommand(id: string, text: string, timeMs: number | undefined): Draft {
  const injected = injectionOf(text) ?? 'local-command';
  return defined<Draft>({ id, role: 'user', blocks: [{ type: 'text', text }], injected, timeMs });
}

function apiErrorText(record: Fields): string {
  const error = fieldsOf(record['error']);
  const inner = fieldsOf(fieldsOf(error?.['error'])?.['error']) ?? fieldsOf(error?.['error']) ?? error;
  const status = error?.['status'] ?? record['apiErrorStatus'];
  const text =
    textOf(inner?.['message']) ??
    textOf(error?.['message']) ??
    textOf(record['error']) ??
    textOf(record['content']) ??
    'no details recorded';
  return typeof status === 'number' ? `${status} ${text}` : text;
}

/** Text with the file's name before it; pictures, PDFs and notebooks as a note alone. */
function fileBlocks(attachment: Fields, tally: Tally): Block[] {
  const content = fieldsOf(attachment['content']);
  const file = fieldsOf(content?.['file']) ?? content;
  const name = textOf(attachment['filename']) ?? textOf(file?.['filePath']);
  if (file !== undefined && 'base64' in file) return [fileMedia(file, name)];
  const note: Block[] = name === undefined ? [] : [{ type: 'media', kind: 'file', name }];
  const text = textOf(file?.['content']) ?? textOf(attachment['content']);
  if (text !== undefined) return [...note, { type: 'text', text }];
  if (Array.isArray(attachment['content']))
    return [...note, ...anthropicBlocks(attachment['content'], tally)];
  return note;
}
