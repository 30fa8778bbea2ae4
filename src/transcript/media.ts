/**
 * Notes on things that are not text. The bytes are measured from their encoded length and dropped at once; a
 * transcript can be mostly base64.
 */
import type { MediaBlock } from '../history/history.js';
import { defined } from './fields.js';

/** URLs of some providers carry a signed query of several kilobytes. */
const maxNameChars = 2048;

/** Decoded size in bytes of base64 text with or without padding; blanks inside are not counted. */
export function base64Bytes(data: string): number {
  const chars = /\s/.test(data) ? data.replace(/\s+/g, '').length : data.length;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.floor(((chars - padding) * 3) / 4);
}

/** A media note from inline base64 data. */
export function inlineMedia(
  kind: MediaBlock['kind'],
  data: unknown,
  mime: unknown,
  name?: unknown,
): MediaBlock {
  return defined<MediaBlock>({
    type: 'media',
    kind,
    mime: typeof mime === 'string' ? mime : undefined,
    bytes: typeof data === 'string' && !data.startsWith('blob:') ? base64Bytes(data) : undefined,
    name: nameOf(name) ?? (typeof data === 'string' && data.startsWith('blob:') ? nameOf(data) : undefined),
  });
}

/** A media note from a URL: a data URL gives mime and size, any other URL is the name. Nothing is opened. */
export function linkedMedia(kind: MediaBlock['kind'], url: unknown, mime?: unknown): MediaBlock {
  if (typeof url !== 'string' || !url.startsWith('data:')) {
    const stated = typeof mime === 'string' ? mime : undefined;
    return defined<MediaBlock>({ type: 'media', kind, mime: stated, name: nameOf(url) });
  }
  const comma = url.indexOf(',');
  const head = url.slice(5, comma < 0 ? 5 : Math.min(comma, 205));
  const data = comma < 0 ? '' : url.slice(comma + 1);
  const bytes = head.endsWith(';base64') ? base64Bytes(data) : data.length;
  return defined<MediaBlock>({ type: 'media', kind, mime: head.split(';')[0] || undefined, bytes });
}

/** A block whose content only its writer can read. */
export function encryptedMedia(data: unknown): MediaBlock {
  const bytes = typeof data === 'string' ? base64Bytes(data) : undefined;
  return defined<MediaBlock>({ type: 'media', kind: 'encrypted', bytes });
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxNameChars) : undefined;
}
