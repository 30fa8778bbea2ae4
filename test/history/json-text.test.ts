import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, wholeJsonText } from '../../src/history/json-text.js';

function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('foreign values as JSON text', () => {
  it('is what JSON.stringify gives, for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonText(value)).toBe(JSON.stringify(value));
        expect(wholeJsonText(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('cuts what lies deeper than 200 brackets', () => {
    expect(jsonText(nested(200))).toBe(JSON.stringify(nested(200)));
    const text = jsonText(nested(100_000));
    expect(text).toContain('"…"');
    expect(text.length).toBeLessThan(1000);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it('gives the whole of any depth where texts stand for values, and the same text on either way', () => {
    const deep = wholeJsonText(nested(100_000));
    expect(deep).toContain('"core"');
    expect(deep).toBe(wholeJsonText(nested(100_000)));
    expect(deep.endsWith('}]}]')).toBe(false);
    expect(wholeJsonText([[], {}, nested(3)])).toBe('[[],{},[{"a":["core"]}]]');
  });

  it('never throws on what JSON has no form for', () => {
    const ring: Record<string, unknown> = { a: [1] };
    ring['self'] = ring;
    const trap = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(jsonText(ring)).toBe('{"a":[1],"self":"…"}');
    expect(jsonText(12n)).toBe('12');
    expect(jsonText({ a: undefined, b: () => 1, c: [undefined, 2n] })).toBe('{"c":[null,2]}');
    expect(jsonText(undefined)).toBe('null');
    expect(jsonText(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
    expect(jsonText(trap)).toBe('"…"');
  });
});
