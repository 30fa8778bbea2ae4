import { describe, expect, test } from 'vitest';
import { standInForData } from '../../src/text/stand-ins.js';
import { countLooks } from '../support/steps.js';

const bare = (text: string) => standInForData(text).replace(/[\ufdd0\ufdd1]/g, '');
const mixed = (chars: number) => 'aGVsbG8gV29ybGQ3'.repeat(Math.ceil(chars / 16)).slice(0, chars);

describe('standInForData', () => {
  test('swaps a data URL whole, whatever its letter case, parameters and wrapper', () => {
    const payload = mixed(400);
    expect(bare(`see data:image/png;base64,${payload}== end`)).toBe('see [image: image/png, 300 bytes] end');
    expect(bare(`see DATA:Image/PNG;name="a.png";BASE64,${payload} end`)).toBe(
      'see [image: image/png, 300 bytes] end',
    );
    expect(bare(`![a chart](data:image/png;base64,${payload})!`)).toBe(
      '[image: image/png, 300 bytes, a chart]!',
    );
    expect(bare(`{"audio":"data:audio/wav;base64,${payload}"}`)).toBe(
      '{"audio":"[audio: audio/wav, 300 bytes]"}',
    );
  });

  test('swaps a long payload of one repeated character: B01', () => {
    expect(bare(`before data:image/png;base64,${'Q'.repeat(9000)} after`)).toBe(
      'before [image: image/png, 6750 bytes] after',
    );
  });

  test('swaps percent-encoded data URLs', () => {
    expect(bare(`url("data:image/svg+xml,${'%3Csvg'.repeat(60)}")`)).toBe(
      'url("[image: image/svg+xml, 360 bytes]")',
    );
  });

  test('swaps base64 blocks outside URLs, broken into lines or not', () => {
    expect(bare(`x ${mixed(500)} y`)).toBe('x [data: 500 base64 characters] y');
    const lines = `${`${mixed(76)}\n`.repeat(5)}${mixed(22)}==`;
    expect(bare(`-----BEGIN-----\n${lines}\n-----END-----`)).toBe(
      '-----BEGIN-----\n[data: 409 base64 characters]\n-----END-----',
    );
  });

  test.each([
    ['JSON that escapes the slash', `{"x":"${`${mixed(30)}\\/`.repeat(20)}"}`],
    ['a field named data, whatever its payload', `{"type":"base64","data":"${'QUFB'.repeat(600)}"}`],
    ['white space after the comma', `data:image/png;base64,\r\n  ${mixed(400)}`],
    ['an overlap of a block and a URL', `${mixed(300)}data:image/png;base64,${mixed(4000)}`],
    ['a percent-encoded base64 URL', `data:image/png;base64,${`${mixed(40)}%2B`.repeat(40)}`],
    ['indented lines', `key: |\n${`    ${mixed(76)}\n`.repeat(6)}`],
    ['numbered lines', Array.from({ length: 6 }, (_, i) => `     ${i + 1}\t${mixed(76)}`).join('\n')],
    ['lines of a JSON string', `"${Array(6).fill(mixed(76)).join('\\n')}"`],
  ])('leaves no long run of base64 in %s', (_, text) => {
    const once = bare(text);
    expect(once).not.toMatch(/[A-Za-z0-9+/=]{77}/);
    expect(once.length).toBeLessThan(200);
    expect(standInForData(standInForData(text))).toBe(standInForData(text));
  });

  test('never swallows text that follows a block', () => {
    expect(bare(`${mixed(300)}\n12345\nnext`)).toMatch(/\]\n12345\nnext$/);
    expect(bare(`${`${mixed(76)}\n`.repeat(4)}Step2\nnext`)).toMatch(/\]\nStep2\nnext$/);
  });

  test.each([
    ['a list of digests', `${'0123456789abcdef'.repeat(4)}\n`.repeat(6)],
    ['a protein sequence', `${'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVK'}AA\n`.repeat(6)],
    ['lines of zeros', `${'0'.repeat(64)}\n`.repeat(50)],
    ['prose with a colon', `metadata:yes/no,${'漢'.repeat(240)}`],
    ['a short example in prose', 'write data:image/png;base64,abc here'],
    ['a sha256 digest', `sha256 ${'0123456789abcdef'.repeat(4)}`],
    ['a ruler', '-'.repeat(400)],
    ['a row of one letter', 'x'.repeat(700)],
    ['a number', '1234567890'.repeat(40)],
    ['a long path', `/${'usr/lib/node/'.repeat(40)}`],
  ])('leaves %s alone', (_, text) => {
    expect(standInForData(text)).toBe(text);
  });

  test('changes nothing on a second pass', () => {
    const once = standInForData(`a data:image/png;base64,${mixed(900)} b ${mixed(300)}`);
    expect(standInForData(once)).toBe(once);
  });

  test.each([
    ['runs just too short', `${'a'.repeat(59)} `],
    ['URL heads without payload', 'data:image/png;base64,'],
    ['unterminated percent URLs', 'data:a/b;c=d,'],
    ['one endless run of signs', '-'],
    ['lines of zeros', `${'0'.repeat(64)}\n`],
    ['rulers', `${'-'.repeat(80)}\n`],
    ['wrapped base64 that is hex', `${'0123456789abcdef'.repeat(4)}\n`],
  ])('costs no more than linear time on %s', (_, unit) => {
    const steps = (chars: number) =>
      countLooks(() => standInForData(unit.repeat(Math.ceil(chars / unit.length))));
    const small = steps(100_000);
    expect(steps(400_000)).toBeLessThan(small * 4.5 + 100);
  });
});
