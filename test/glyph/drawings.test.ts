import { expect, it } from 'vitest';
import { parseDrawings } from '../../src/glyph/drawings.js';

const dot = ['........', '...##...', '........'].join('\n');

it('reads each drawing under its heading and skips comments', () => {
  const drawings = parseDrawings(`# a comment\n\nU+0041 A DOT\n${dot}\n\nU+1F600\n${dot}\n`, 3, 'a file');
  expect([...drawings.keys()]).toEqual([0x41, 0x1f600]);
  expect(drawings.get(0x41)).toEqual({ widthPx: 8, rows: [0, 0b00011000, 0] });
});

it('names the drawing that has a row too few or too short', () => {
  expect(() => parseDrawings(`U+0041\n${dot}`, 4, 'a file')).toThrow(
    '4 rows of 8 or 16 signs for a file, U+41, got 3 rows',
  );
  expect(() => parseDrawings(`U+0041\n${dot.slice(0, -1)}`, 3, 'a file')).toThrow('got 3 rows of 8, 7');
});
