/**
 * Notes on things that are not text. The bytes are measured from their encoded length and dropped at once; a
 * transcript can be mostly base64.
 */
import type { MediaBlock } from '../history/history.js';
import { defined, type Fields, textOf } from './fields.js';

/** URLs of some providers carry a signed query of several kilobytes. */
const maxNameChars = 2048;

const dataUrl = /^\s*data:/i;
const minBase64Chars = 200;
/** Mail breaks lines there; a list of words has shorter ones. */
const minLineChars = 60;

function isBase64(text: string): boolean {
  if (text.length < minBase64Chars) return false;
  const data = text.trim();
  const head = data.slice(0, minBase64Chars);
  if (!/[0-9]/.test(head) || !/[A-Z]/.test(head) || !/[a-z]/.test(head)) return false;
  const firstBreak = head.search(/[\r\n]/);
  // No repetition: a pattern that backs off runs out of stack on megabytes.
  return (firstBreak < 0 || firstBreak >= minLineChars) && !/[^A-Za-z0-9+/_=\r\n-]/.test(data);
}

/** Decoded size in bytes of base64 text with or without padding; blanks inside are not counted. */
export function base64Bytes(data: string): number {
  const chars = /\s/.test(data) ? data.replace(/\s+/g, '').length : data.length;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.floor(((chars - padding) * 3) / 4);
}

/** Whether `text` is a data URL, or base64 too long to be a word, a path or an id. Linear. */
export function isData(text: string): boolean {
  return dataUrl.test(text.slice(0, 100)) || isBase64(text);
}

/** A media note from inline base64 data, a data URL, or a reference to a blob that lies elsewhere. */
export function inlineMedia(
  kind: MediaBlock['kind'],
  data: unknown,
  mime: unknown,
  name?: unknown,
): MediaBlock {
  const stated = nameOf(name);
  const isReference = typeof data === 'string' && /^\s*(data|blob|https?|file):/i.test(data.slice(0, 100));
  const note = isReference
    ? linkedMedia(kind, data, mime)
    : defined<MediaBlock>({
        type: 'media',
        kind,
        mime: typeof mime === 'string' ? mime : undefined,
        bytes: typeof data === 'string' ? base64Bytes(data) : undefined,
      });
  return stated === undefined ? note : { ...note, name: stated };
}

/**
 * A media note from a URL: a data URL gives mime and size, any other URL is the name. Nothing is opened. Base64
 * that stands where a URL should is data.
 */
export function linkedMedia(kind: MediaBlock['kind'], url: unknown, mime?: unknown): MediaBlock {
  const stated = typeof mime === 'string' ? mime : undefined;
  if (typeof url === 'string' && isBase64(url)) return inlineMedia(kind, url, mime);
  if (typeof url !== 'string' || !dataUrl.test(url.slice(0, 100))) {
    return defined<MediaBlock>({ type: 'media', kind, mime: stated, name: nameOf(url) });
  }
  const from = url.indexOf(':') + 1;
  const comma = url.indexOf(',');
  const head = url.slice(from, comma < 0 ? from : Math.min(comma, from + 200));
  const data = comma < 0 ? '' : url.slice(comma + 1);
  const bytes = /;\s*base64\s*$/i.test(head) ? base64Bytes(data) : data.length;
  return defined<MediaBlock>({ type: 'media', kind, mime: head.split(';')[0]?.trim() || stated, bytes });
}

/** A file as Claude Code records it beside a message: `{ base64, type, filePath }`. */
export function fileMedia(file: Fields, name?: unknown): MediaBlock {
  const mime = textOf(file['type']);
  const kind = mime?.startsWith('image/') ? 'image' : mime === 'application/pdf' ? 'document' : 'file';
  return inlineMedia(kind, file['base64'], mime, name ?? file['filePath']);
}

/** A block whose content only its writer can read. */
export function encryptedMedia(data: unknown): MediaBlock {
  const bytes = typeof data === 'string' ? base64Bytes(data) : undefined;
  return defined<MediaBlock>({ type: 'media', kind: 'encrypted', bytes });
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxNameChars) : undefined;
}
