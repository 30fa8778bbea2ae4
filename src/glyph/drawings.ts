/**
 * Glyphs drawn as text, `#` for ink and `.` for paper, each under a line `U+XXXX NAME`.
 *
 * Our own drawings lie beside a font's file in this form, so that the file stays as its authors published it and a
 * change of ours can be judged in a diff.
 */
import { SnapcompactError } from '../errors.js';
import type { Glyph } from './font.js';

/** Parses drawings of `heightPx` rows; lines that start with `# ` are comments. `of` names the file in errors. */
export function parseDrawings(text: string, heightPx: number, of: string): Map<number, Glyph> {
  const drawings = new Map<number, Glyph>();
  let rows: string[] = [];
  let codePoint = -1;
  const finish = () => {
    if (codePoint >= 0)
      drawings.set(codePoint, toGlyph(rows, heightPx, `${of}, U+${codePoint.toString(16)}`));
    rows = [];
  };
  for (const line of text.split('\n')) {
    const heading = /^U\+([0-9A-F]{4,6})\b/.exec(line);
    if (heading) {
      finish();
      codePoint = Number.parseInt(heading[1]!, 16);
    } else if (/^[#.]+$/.test(line)) {
      rows.push(line);
    }
  }
  finish();
  return drawings;
}

function toGlyph(rows: readonly string[], heightPx: number, of: string): Glyph {
  const widthPx = rows[0]?.length ?? 0;
  if (rows.length !== heightPx || widthPx % 8 !== 0 || rows.some((row) => row.length !== widthPx)) {
    throw new SnapcompactError('bad-data-file', {
      expected: `${heightPx} rows of 8 or 16 signs`,
      of,
      got: `${rows.length} rows of ${[...new Set(rows.map((row) => row.length))].join(', ') || 'none'}`,
    });
  }
  return {
    widthPx,
    rows: rows.map((row) => Number.parseInt(row.replaceAll('#', '1').replaceAll('.', '0'), 2)),
  };
}
