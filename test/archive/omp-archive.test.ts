import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { type OmpReadOptions, readOmpArchive } from '../../src/archive/omp-archive.js';
import { findOmpArchives } from '../../src/archive/omp-session.js';
import { pieces } from '../../src/text/note.js';
import { printSegments } from '../../src/text/print.js';
import type { Segment } from '../../src/text/segment.js';
import { coverage } from '../support/text-samples.js';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/omp/${name}`, import.meta.url), 'utf8');
const json = (name: string) => JSON.parse(fixture(name));
const read = (text: string, options?: OmpReadOptions) =>
  readOmpArchive({ text }, 'x.jsonl', options).segments;
/** Segments without what is the same in all of them. */
const brief = (segments: readonly Segment[]) =>
  segments.map((segment) => {
    const { scope, part } = segment;
    if (segment.part !== 'call') return [scope, part, segment.text];
    return [scope, part, segment.name, segment.args.map(({ text }) => text).join('|'), segment.answered];
  });
/** The text as it would be printed, notes without their hidden brackets. */
const shown = (text: string) =>
  pieces(text)
    .map((piece) => piece.text)
    .join('');
const codeAndMessage = (value: unknown) => {
  try {
    readOmpArchive(value, 'x.jsonl');
  } catch (error) {
    return error as { code: string; message: string };
  }
  return { code: 'none', message: '' };
};

describe('the text of an archive', () => {
  test('becomes segments: sections, calls with their outputs, line breaks', () => {
    const { segments, problems, truncatedChars } = readOmpArchive(json('whole-text.json'), 'x.jsonl');
    expect(brief(segments)).toEqual([
      ['ai', 'text', '[Summary of earlier history] The parser was fixed.\n[Recent conversation]'],
      ['user', 'text', 'run the tests\nand say what fails'],
      ['think', 'text', 'run them first'],
      ['call', 'call', 'bash', 'command="npm test"', true],
      ['call', 'output', '2 passed\n1 failed: ¶ai:not a header'],
      ['call', 'call', 'read', 'path="a (1).ts"', true],
      ['call', 'output', 'export {};'],
      ['ai', 'text', 'One test fails.\nIt is `a.ts`.'],
    ]);
    expect(segments.map(({ entryId }) => entryId)).toEqual(segments.map((_, i) => `omp:${i + 1}`));
    expect(segments[0]).toMatchObject({ injected: 'archive' });
    expect(segments[3]).toMatchObject({ intent: 'run all tests' });
    expect([problems, truncatedChars]).toEqual([[], 0]);
  });

  test('holds no thought when none is asked for', () => {
    const { segments } = readOmpArchive(json('whole-text.json'), 'x.jsonl', { reasoning: false });
    expect(segments.map(({ scope }) => scope)).not.toContain('think');
    expect(segments).toHaveLength(7);
  });

  test.each<[string, string, unknown[]]>([
    [
      'a space after the colon',
      '¶user: hi█¶ai: yes',
      [
        ['user', 'text', 'hi'],
        ['ai', 'text', 'yes'],
      ],
    ],
    [
      'plain line breaks',
      '¶user:a\nb\n\n¶ai:c',
      [
        ['user', 'text', 'a\nb'],
        ['ai', 'text', 'c'],
      ],
    ],
    ['a header inside a line', '¶user:say ¶ai: loud', [['user', 'text', 'say ¶ai: loud']]],
    ['empty sections', '¶user:█¶ai:', []],
    [
      'outputs without dim marks',
      '¶call:ls()<out>a█b</out>█ls(x)<out>c</out>',
      [
        ['call', 'call', 'ls', '', true],
        ['call', 'output', 'a\nb'],
        ['call', 'call', 'ls', 'x', true],
        ['call', 'output', 'c'],
      ],
    ],
    [
      'tags outside the dim span',
      '¶call:ls()<out>\x0ea</out>b\x0f</out>█¶ai:c',
      [
        ['call', 'call', 'ls', '', true],
        ['call', 'output', 'a</out>b'],
        ['ai', 'text', 'c'],
      ],
    ],
    [
      'a call without an output, and an output without a call',
      '¶call:a()█b()█¶ai:x█¶call:\x0e<out>y</out>\x0f',
      [
        ['call', 'call', 'a', '', false],
        ['call', 'call', 'b', '', false],
        ['ai', 'text', 'x'],
        ['call', 'output', 'y'],
      ],
    ],
    [
      'lines that are no call',
      '¶call:some words█a(1)█f(x) y█g("█h()',
      [
        ['call', 'text', 'some words'],
        ['call', 'call', 'a', '1', false],
        ['call', 'text', 'f(x) y\ng("\nh()'],
      ],
    ],
    ['dim words that are no output', '¶ai:it \x0eis\x0f so', [['ai', 'text', 'it is so']]],
    [
      'a text that begins inside an output',
      'half</out>\x0f█b()\x0e<out>c</out>\x0f',
      [
        ['call', 'output', 'half'],
        ['call', 'call', 'b', '', true],
        ['call', 'output', 'c'],
      ],
    ],
  ])('is read with %s', (_, text, expected) => {
    expect(brief(read(text))).toEqual(expected);
  });

  test('passes the redactor', () => {
    const segments = read('¶user:KEY=sk-1█¶call:set(k="sk-1")\x0e<out>sk-1</out>\x0f', {
      redact: (text) => text.replaceAll('sk-1', '***'),
    });
    expect(JSON.stringify(segments)).not.toContain('sk-1');
  });

  test('loses no letter and no sign but marks, and never throws', () => {
    const marks = [
      '¶user:',
      '¶ai:',
      '¶think:',
      '¶call:',
      '█',
      '\x0e',
      '\x0f',
      '<out>',
      '</out>',
      'F(',
      ')',
      '//',
      '\n',
    ];
    const part = fc.oneof(
      fc.constantFrom(...marks, '[…9ch elided…]', 'data:a/b;base64,QQ'),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    const letters = (text: string) => text.replace(/[^A-Z0-9\p{Lo}]/gu, '');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const segments = read(text);
        for (const segment of read(text, { reasoning: false })) expect(segment.scope).not.toBe('think');
        expect(new Set(segments.map(({ entryId }) => entryId)).size).toBe(segments.length);
        printSegments(segments, { coverage });
        if (/[\ufdd0\ufdd1]|base64|elided/.test(text)) return;
        const said = segments.map((segment) =>
          segment.part === 'call'
            ? segment.name + segment.args.map((arg) => arg.text).join('') + (segment.intent ?? '')
            : segment.text,
        );
        expect(letters(said.join(''))).toBe(letters(text));
      }),
      { numRuns: 500 },
    );
  });

  test('lets no content of an output out of it', () => {
    const content = fc
      .array(fc.oneof(fc.constantFrom('¶user:', '█', '</out>', '<out>', '█¶ai:', 'x()'), fc.string()), {
        maxLength: 12,
      })
      .map((parts) => parts.join('').replace(/[\x0e\x0f]/g, ''));
    fc.assert(
      fc.property(content, (inside) => {
        const segments = read(`¶call:t()\x0e<out>${inside}</out>\x0f█¶ai:END`);
        expect(segments.map(({ part }) => part)).toEqual(['call', 'output', 'text']);
        expect(segments[2]).toMatchObject({ scope: 'ai', text: 'END' });
      }),
    );
  });

  test('takes linear time on what is hard to match', () => {
    const started = performance.now();
    for (const piece of [
      '█',
      'a(█',
      '<out>',
      '\x0e<out>\x0f',
      '[…1ch elided…]',
      '[…1ch elided…]data:',
      '¶call:',
      ' ',
    ]) {
      read(`¶call:${piece.repeat(60_000)}`);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('data in the text', () => {
  const base64 = createHash('sha512').update('x').digest('base64').slice(0, 80);

  test.each([
    [
      'cut inside its payload',
      `a data:image/png;base64,iVBOR${base64} […5000ch elided…] ${base64} z`,
      /^a \[image: image\/png, cut, about 51\d\d characters\] z$/,
    ],
    [
      'cut right behind its head',
      'a data:image/png;base64, […5000ch elided…] and words',
      /^a \[image: image\/png, cut, about 50\d\d characters\]and words$/,
    ],
    ['cut in its head', `a […5000ch elided…] ${base64} z`, /^a\[data: cut, about 508\d characters\] z$/],
    ['whole', `a data:image/png;base64,${base64} z`, /^a \[image: image\/png, 60 bytes\] z$/],
  ])('becomes a stand-in where it is %s', (_, text, expected) => {
    const [segment] = read(`¶ai:${text}`);
    expect(shown((segment as { text: string }).text)).toMatch(expected);
  });

  test('is not seen in a text that was cut between words', () => {
    const text =
      'see data: above […12ch elided…] and /usr/local/lib/node/modules/some/where/else/index of it';
    expect(read(`¶ai:${text}`)).toMatchObject([{ text }]);
  });
});

describe('an archive with edges only', () => {
  const isThird = (sha256: string) => createHash('sha256').update(third).digest('hex') === sha256;
  const third = Buffer.from(json('whole-text.json').snapcompact.frames[0].data, 'base64');

  test('says what lies between head and tail, and joins nothing over the gap', () => {
    const { segments, truncatedChars } = readOmpArchive(json('edges.json'), 'x.jsonl');
    expect(brief(segments)).toEqual([
      ['user', 'text', 'HEAD'],
      ['call', 'call', 'bash', 'command="ls"', true],
      ['call', 'output', 'a.ts\nb'],
      [
        'ai',
        'note',
        'between head and tail of this archive lie 4 frames of 45 characters whose text exists as pixels only ' +
          '(2 of them missing) and a gap of 300 characters that found no frame',
      ],
      ['call', 'output', 'z.ts'],
      ['call', 'call', 'read', 'path="z.ts"', true],
      ['call', 'output', 'z'],
      ['ai', 'text', 'TAIL'],
    ]);
    expect(segments[4]).toMatchObject({ orphan: true });
    expect(truncatedChars).toBe(300);
  });

  test('keeps head and tail apart even where no frame is left of the middle', () => {
    const { segments } = readOmpArchive({ textHead: 'HEAD', textTail: 'TAIL' }, 'x.jsonl');
    expect(segments.map(({ part }) => part)).toEqual(['text', 'note', 'text']);
    expect(readOmpArchive({ textHead: 'HEAD', frames: [] }, 'x.jsonl').segments).toHaveLength(1);
  });

  test('says where its text was cut when it was stored', () => {
    const cut = '¶user:one[Session persistence truncated large content]';
    const { segments, problems } = readOmpArchive({ text: cut }, 'x.jsonl');
    expect(brief(segments)).toEqual([
      ['user', 'text', 'one'],
      ['ai', 'note', 'the text that went on here was cut when the session was stored'],
    ]);
    expect(problems).toEqual(['text: cut when the session was stored']);
  });

  test('gives whole pictures, repaired where they were encoded twice, and reasons for the others', () => {
    const { frames, problems } = readOmpArchive(json('edges.json'), 'x.jsonl');
    expect(frames.map(({ kind }) => kind)).toEqual(['image', 'image', 'missing', 'missing']);
    for (const frame of frames) {
      if (frame.kind === 'missing') continue;
      const { width, height } = PNG.sync.read(Buffer.from(frame.data));
      expect([frame.widthPx, frame.heightPx]).toEqual([width, height]);
    }
    expect(problems).toEqual([
      'frames[1]: its data was base64 of base64; repaired',
      'frames[2]: its data was cut when the session was stored',
      expect.stringMatching(/^frames\[3\]: blob [0-9a-f]{64} is not at hand$/),
    ]);
  });

  test('resolves references, and takes no blob for another', () => {
    const data = `blob:sha256:${createHash('sha256').update(third).digest('hex')}`;
    const whole = readOmpArchive({ frames: [{ data }] }, 'x', {
      blobs: (id) => (isThird(id) ? third : undefined),
    });
    expect(whole.frames).toMatchObject([{ kind: 'image', data: Uint8Array.from(third) }]);
    const other = readOmpArchive({ frames: [{ data }] }, 'x', { blobs: () => third.subarray(1) });
    expect(other.frames).toMatchObject([
      { kind: 'missing', reason: expect.stringMatching(/holds other bytes/) },
    ]);
  });
});

describe('a stored picture', () => {
  const png = Buffer.from(json('whole-text.json').snapcompact.frames[0].data, 'base64');
  const frameOf = (data: string) => readOmpArchive({ frames: [{ data }] }, 'x.jsonl').frames[0]!;

  test('does not pass with any byte changed or missing', () => {
    expect(frameOf(png.toString('base64'))).toMatchObject({ kind: 'image' });
    for (let at = 0; at < png.length; at++) {
      const changed = Buffer.from(png);
      changed[at]! ^= 0x20;
      expect(frameOf(changed.toString('base64')).kind).toBe('missing');
      expect(frameOf(png.subarray(0, at).toString('base64')).kind).toBe('missing');
    }
  });

  test.each([
    ['no data', ''],
    ['words', 'a picture was here'],
    ['base64 with a line in it', `${png.toString('base64')}\n`],
    ['bytes behind the end', Buffer.concat([png, png]).toString('base64')],
    ['a reference of another kind', 'blob:md5:00'],
    ['base64 thrice', Buffer.from(Buffer.from(png.toString('base64')).toString('base64')).toString('base64')],
  ])('is missing where there is %s', (_, data) => {
    expect(frameOf(data).kind).toBe('missing');
  });

  test('is refused for any other text, without a crash', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (data) => {
        expect(frameOf(data).kind).toBe('missing');
      }),
    );
  });
});

describe('a field of a wrong type', () => {
  test.each<[unknown, RegExp]>([
    [null, /expected an object for \$ .*got null \(x\.jsonl\)/],
    ['text', /\$ .*a value of type string/],
    [[], /\$ .*a list/],
    [{}, /frames or text for \$ .*neither/],
    [{ preserveData: null }, /\$\.preserveData .*null/],
    [{ preserveData: { snapcompact: 7 } }, /\$\.preserveData\.snapcompact .*the number 7/],
    [{ snapcompact: { text: 1 } }, /a string for \$\.snapcompact\.text /],
    [{ frames: {} }, /a list for \$\.frames /],
    [{ frames: [{ data: 'x' }, null] }, /an object for \$\.frames\[1\] /],
    [{ frames: [{}] }, /a string for \$\.frames\[0\]\.data .*nothing/],
    [{ frames: [{ data: 'x', chars: -1 }] }, /\$\.frames\[0\]\.chars .*the number -1/],
    [{ frames: [{ data: 'x', mimeType: [] }] }, /\$\.frames\[0\]\.mimeType .*a list/],
    [{ text: '', truncatedChars: '3' }, /\$\.truncatedChars /],
    [{ text: '', totalChars: 1.5 }, /\$\.totalChars /],
  ])('of %j is named with its path', (value, message) => {
    const error = codeAndMessage(value);
    expect(error.code).toBe('broken-input');
    expect(error.message).toMatch(message);
  });

  test('never makes it crash', () => {
    const shaped = fc.record(
      {
        frames: fc.jsonValue(),
        text: fc.jsonValue(),
        textHead: fc.jsonValue(),
        truncatedChars: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), (value) => {
        expect(['none', 'broken-input']).toContain(codeAndMessage(value).code);
      }),
    );
  });
});

describe('findOmpArchives', () => {
  test('finds those on the path to the last entry, the newest first', () => {
    const found = findOmpArchives(fixture('session.jsonl'));
    expect(found.map(({ entryId, isCleared }) => [entryId, isCleared])).toEqual([
      ['e4', false],
      ['e2', false],
    ]);
    expect(brief(readOmpArchive(found[0]!.entry, 'session.jsonl').segments)).toEqual([
      ['user', 'text', 'oldest'],
      ['ai', 'text', 'newest on the path'],
    ]);
  });

  test('tells which were cleared, and reads lists without ids', () => {
    const preserveData = { snapcompact: { text: 'x' } };
    const entries = [
      { type: 'session' },
      { type: 'compaction', preserveData },
      null,
      7,
      { type: 'reset_boundary' },
      { type: 'compaction', preserveData },
    ];
    expect(findOmpArchives(entries).map(({ entryId, isCleared }) => [entryId, isCleared])).toEqual([
      ['line:6', false],
      ['line:2', true],
    ]);
  });

  test('ends on rings and lost parents, and finds nothing in nothing', () => {
    const preserveData = { snapcompact: { text: 'x' } };
    const ring = [
      { type: 'compaction', id: 'a', parentId: 'b', preserveData },
      { type: 'message', id: 'b', parentId: 'a' },
      { type: 'message', id: 'c', parentId: 'gone' },
    ];
    expect(findOmpArchives(ring).map(({ entryId }) => entryId)).toEqual(['a']);
    expect(findOmpArchives('')).toEqual([]);
    expect(findOmpArchives('no JSON\n[1]\n{"type":"compaction","preserveData":null}')).toEqual([]);
  });
});
