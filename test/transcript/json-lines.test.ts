import { describe, expect, it } from 'vitest';
import { JsonLines } from '../../src/transcript/json-lines.js';
import { readLines } from './support.js';

/** Input, and what the reader must tell of it whatever the chunks. */
const cases: readonly (readonly [title: string, input: string | Uint8Array, told: readonly string[]])[] = [
  ['one value per line', '{"a":1}\n{"a":2}\n', ['1 {"a":1}', '2 {"a":2}']],
  ['a last line without its end', '{"a":1}\n{"a":2}', ['1 {"a":1}', '2 {"a":2}']],
  ['CRLF and blank lines', '{"a":1}\r\n\r\n  \n{"a":2}\r\n', ['1 {"a":1}', '4 {"a":2}']],
  ['a byte order mark', '\ufeff{"a":1}\n\ufeff{"a":2}\n', ['1 {"a":1}', '2 {"a":2}']],
  ['NUL padding', '\0\0\0{"a":1}\0\0\n\0\0\n', ['1 {"a":1}']],
  ['several values on a line', '{"a":1}{"a":2} [3]\n', ['1 {"a":1}', '1 {"a":2}', '1 [3]']],
  [
    'a value over several lines',
    '{\n  "a": [\n    1,\n    {}\n  ]\n}\n{"b":2}\n',
    ['1 {"a":[1,{}]}', '7 {"b":2}'],
  ],
  ['pretty-printed values end to end', '{\n"a":1\n}{\n"a":2\n}\n', ['1 {"a":1}', '3 {"a":2}']],
  ['an array with one object per line', '[\n{"a":1},\n{"a":2}\n]\n', ['1 [{"a":1},{"a":2}]']],
  [
    'separators of Unicode inside strings',
    '{"a":"x\u2028y\u2029z\u0085"}\n',
    ['1 {"a":"x\u2028y\u2029z\u0085"}'],
  ],
  [
    'escapes and brackets inside strings',
    '{"a":"}\\"{["} {"b":"\\\\"}\n',
    ['1 {"a":"}\\"{["}', '1 {"b":"\\\\"}'],
  ],
  ['a lone surrogate', '{"a":"\\ud83d"}\n', ['1 {"a":"\\ud83d"}']],
  ['words between records', 'npm warn\n{"a":1}\n42\n"s"\n', ['1 noise', '2 {"a":1}', '3 noise', '4 noise']],
  [
    'a broken line in the middle',
    '{"a":\n{"b":2}\n{"c":3}\n',
    ['1 broken: cut inside a value', '2 {"b":2}', '3 {"c":3}'],
  ],
  ['a line cut after a comma', '{"a":1,\n{"b":2}\n', ['1 broken: cut inside a value', '2 {"b":2}']],
  ['a line cut inside a string', '{"a":"x\n{"b":2}\n', ['1 broken: cut inside a string', '2 {"b":2}']],
  [
    'a line cut inside an array, then the end',
    '{"a":[\n{"b":2}\n',
    ['1 broken: cut inside a value', '2 {"b":2}'],
  ],
  ['a last line cut inside a string', '{"a":1}\n{"b":"x', ['1 {"a":1}', '2 torn: cut inside a string']],
  ['a last line cut after a bracket', '{"a":1}\n{"b":[', ['1 {"a":1}', '2 torn: cut inside a value']],
  ['a last line cut inside a literal', '{"a":1}\n{"b":tr', ['1 {"a":1}', '2 torn: cut inside a value']],
  ['a cut document', '{\n  "a": {\n    "b": 1\n  },\n', ['1 torn: cut inside a value']],
  [
    'text after a value',
    '{"a":1} tail\n{"b":2}\n',
    ['1 {"a":1}', '1 broken: text after a complete value', '2 {"b":2}'],
  ],
  ['a raw tab in a string', '{"a":"x\ty"}\n{"b":2}\n', ['1 broken: not valid JSON', '2 {"b":2}']],
  ['brackets that do not match', '{"a":1]\n{"b":2}\n', ['1 broken: byte 7 cannot stand there', '2 {"b":2}']],
  ['a log line that starts like an array', '[INFO] go\n{"b":2}\n', ['1 noise', '2 {"b":2}']],
  [
    'lines of words that start like JSON',
    '[1/4] go\n[1] one\n{ x }\n[2026-01-01 10:00] up "x"\n{"b":2}\n',
    ['1 noise', '2 noise', '3 noise', '4 noise', '5 {"b":2}'],
  ],
  ['an object in the spelling of a console', '{\n  level: 1,\n}\n{"b":2}\n', ['1 noise', '4 {"b":2}']],
  [
    'a record cut short, NULs and the next record on one line',
    '{"a":"x\0\0{"b":2}\0\0{"c":[\0{"d":4}\n',
    ['1 broken: byte 12 cannot stand there', '1 {"b":2}', '1 broken: cut inside a value', '1 {"d":4}'],
  ],
  ['nothing', '', []],
  [
    'a broken pretty-printed value between others',
    '{\n  "a": {\n    "x": 1\n    "y": 2\n  }\n}\n{\n  "b": 2\n}\n',
    ['1 broken: cut inside a value', '7 {"b":2}'],
  ],
];

describe('the reader of JSON lines', () => {
  for (const [title, input, told] of cases) {
    it(`reads ${title}, in one piece and in pieces of 1 to 7 bytes`, () => {
      expect(readLines(input)).toEqual(told);
      for (let size = 1; size <= 7; size++) expect(readLines(input, size)).toEqual(told);
    });
  }

  it('joins half a character that was cut between two chunks', () => {
    expect(readLines('{"a":"臺北 👩‍💻"}\n', 1)).toEqual(['1 {"a":"臺北 👩‍💻"}']);
  });

  it('keeps a line whose last character was cut in half as a torn line', () => {
    const bytes = Buffer.from('{"a":1}\n{"b":"臺').subarray(0, -1);
    expect(readLines(bytes)).toEqual(['1 {"a":1}', '2 torn: cut inside a string']);
  });

  it('does not rely on the caller to leave a buffer alone', () => {
    const told: unknown[] = [];
    const reader = new JsonLines({
      value: (value) => told.push(value),
      passed: () => {},
      broken: () => told.push('broken'),
      noise: () => told.push('noise'),
    });
    const shared = Buffer.alloc(4);
    for (const piece of ['{"a"', ':"bc', '"}\n{', '\n"d"', ':1}\n']) {
      shared.fill(0x20);
      shared.write(piece);
      reader.push(shared.subarray(0, piece.length));
    }
    reader.end();
    expect(told).toEqual([{ a: 'bc' }, { d: 1 }]);
  });

  it('says which kind of line was passed over, and never passes over a last line without its end', () => {
    const told: string[] = [];
    const reader = new JsonLines({
      value: (value, line) => told.push(`${line} ${JSON.stringify(value)}`),
      passed: (kind, line) => told.push(`${line} ${kind}`),
      broken: () => {},
      noise: () => {},
    });
    reader.passOver = (line) => (line[1] === 0x22 ? 'quoted' : undefined);
    reader.push(Buffer.from('{"a":1}\n{}\n{"b":2}'));
    reader.end();
    expect(told).toEqual(['1 quoted', '2 {}', '3 {"b":2}']);
  });
});

describe('the reader of JSON lines under load', () => {
  it('reads a record of 64 MB that comes in small pieces', () => {
    const text = 'x'.repeat(64 * 2 ** 20);
    const seen: number[] = [];
    const reader = new JsonLines({
      value: (value) => seen.push((value as { a: string }).a.length),
      passed: () => {},
      broken: () => seen.push(-1),
      noise: () => seen.push(-2),
    });
    const bytes = Buffer.from(`{"a":"${text}"}\n{"a":"y"}\n`);
    for (let at = 0; at < bytes.length; at += 65536) reader.push(bytes.subarray(at, at + 65536));
    reader.end();
    expect(seen).toEqual([text.length, 1]);
  }, 60_000);

  it('takes linear time over brackets that never close', () => {
    const lines = 40_000;
    const told = readLines('[\n'.repeat(lines));
    expect(told.length).toBeLessThanOrEqual(lines);
    expect(told[0]).toBe('1 broken: cut inside a value');
  }, 30_000);

  it('throws no good line away, however many values before it were cut', () => {
    const block = `{"a":[\n${'{"b":1},\n'.repeat(3)}{"c":\n`;
    const told = readLines(`${block.repeat(20_000)}${'{"good":1}\n'.repeat(1000)}`);
    expect(told.filter((line) => line.endsWith('{"good":1}'))).toHaveLength(1000);
    const open = `${'[\n'.repeat(30_000)}${'{"good":1}\n'.repeat(1000)}`;
    expect(readLines(open).filter((line) => line.endsWith('{"good":1}'))).toHaveLength(1000);
  }, 30_000);

  it('takes linear time over a line of 8 MB of brackets and over many cut lines', () => {
    expect(readLines(`${'['.repeat(8 * 2 ** 20)}\n{"a":1}\n`).at(-1)).toBe('2 {"a":1}');
    expect(readLines(`{"a":{"b":\n`.repeat(50_000))).toHaveLength(50_000);
  }, 30_000);
});
