/**
 * Which characters a TrueType or OpenType file has a glyph for, from its `cmap` table.
 *
 * The canvas draws a character that the font lacks in some other font of the machine, so it must not be asked for one.
 * Reads subtables of format 4 and 12, which hold the Unicode map of practically every font
 * (OpenType 1.9 specification, cmap). Bytes come from a user's file: DataView checks every offset, and
 * segments are walked in ascending order only, so that overlapping ones cost no more than all of Unicode once.
 */
import { SnapcompactError } from '../errors.js';

/** The code points the font maps to a glyph, ascending; throws `broken-input` for what is no such font. */
export function readCharacterMap(file: Uint8Array, of: string): number[] {
  try {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const codePoints = new Set<number>();
    for (const subtable of unicodeSubtables(view)) {
      const format = view.getUint16(subtable);
      if (format === 4) readFormat4(view, subtable, codePoints);
      if (format === 12) readFormat12(view, subtable, codePoints);
    }
    if (codePoints.size > 0) return [...codePoints].sort((a, b) => a - b);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw notAFont(of, 'a file that ends inside a table', cause);
  }
  throw notAFont(of, 'a file without one');
}

function* unicodeSubtables(view: DataView): Iterable<number> {
  const tables = view.getUint16(4);
  for (let table = 0; table < tables; table++) {
    const record = 12 + table * 16;
    if (view.getUint32(record) !== 0x636d6170) continue; // 'cmap'
    const cmap = view.getUint32(record + 8);
    const subtables = view.getUint16(cmap + 2);
    for (let at = cmap + 4; at < cmap + 4 + subtables * 8; at += 8) {
      const [platform, encoding] = [view.getUint16(at), view.getUint16(at + 2)];
      const unicode = platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
      if (unicode) yield cmap + view.getUint32(at + 4);
    }
  }
}

/** Segments of the Basic Multilingual Plane: four parallel arrays of end, start, delta and offset. */
function readFormat4(view: DataView, at: number, into: Set<number>): void {
  const bytes = view.getUint16(at + 6);
  let next = 0;
  for (let segment = 0; segment < bytes; segment += 2) {
    const last = view.getUint16(at + 14 + segment);
    const first = view.getUint16(at + 16 + bytes + segment);
    const delta = view.getUint16(at + 16 + 2 * bytes + segment);
    const offsetAt = at + 16 + 3 * bytes + segment;
    const offset = view.getUint16(offsetAt);
    for (let code = Math.max(first, next); code <= Math.min(last, 0xfffe); code++) {
      const raw = offset === 0 ? code : view.getUint16(offsetAt + offset + 2 * (code - first));
      const glyph = raw === 0 && offset !== 0 ? 0 : (raw + delta) & 0xffff;
      if (glyph !== 0) into.add(code);
    }
    next = Math.max(next, last + 1);
  }
}

/** Groups of consecutive characters with consecutive glyphs, over all planes. */
function readFormat12(view: DataView, at: number, into: Set<number>): void {
  const groups = view.getUint32(at + 12);
  let next = 0;
  for (let group = 0; group < groups; group++) {
    const record = at + 16 + group * 12;
    const first = view.getUint32(record);
    const last = Math.min(view.getUint32(record + 4), 0x10ffff);
    const glyph = view.getUint32(record + 8);
    for (let code = Math.max(first, next); code <= last; code++) {
      if (glyph + code - first !== 0) into.add(code);
    }
    next = Math.max(next, last + 1);
  }
}

function notAFont(of: string, got: string, cause?: unknown): SnapcompactError {
  return new SnapcompactError('broken-input', {
    expected: 'a TrueType or OpenType font with a Unicode map',
    of,
    got,
    cause,
  });
}
