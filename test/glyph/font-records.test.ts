import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadFont } from '../../src/glyph/load-font.js';
import { packageFile, readPackageJson } from '../../src/package-files.js';

interface Record {
  readonly name: string;
  readonly file: string;
  readonly overrides: string | null;
  readonly heightPx: number;
  readonly ascentPx: number;
  readonly source: { readonly package: string; readonly version: string };
  readonly licence: string;
  readonly licenceFile: string;
  readonly sha256: string;
  readonly textSha256: string;
  readonly overridesSha256: string | null;
  readonly glyphs: number;
  readonly coverage: { readonly [block: string]: number };
}

const { fonts } = readPackageJson('fonts/fonts.json') as { fonts: Record[] };
const read = (file: string) => readFileSync(packageFile(`fonts/${file}`));
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.each(fonts)('the record of $name', (record) => {
  it('holds the digests of the files', () => {
    const raw = read(record.file);
    expect(sha256(raw)).toBe(record.sha256);
    expect(sha256(record.file.endsWith('.gz') ? gunzipSync(raw) : raw)).toBe(record.textSha256);
    expect(record.overrides === null ? null : sha256(read(record.overrides))).toBe(record.overridesSha256);
  });

  it('names a source, a version, a licence and a licence text that is there', () => {
    expect(record.source.package).not.toBe('');
    expect(record.source.version).toMatch(/^\d/);
    expect(record.licence).toMatch(/Public domain|OFL-1\.1/);
    expect(existsSync(packageFile(`fonts/${record.licenceFile}`))).toBe(true);
  });

  it('counts the glyphs that the font loads', () => {
    const font = loadFont(record.name);
    const codePoints = [...font.codePoints()];
    expect(codePoints).toHaveLength(record.glyphs);
    expect([font.heightPx, font.ascentPx]).toEqual([record.heightPx, record.ascentPx]);
    const ascii = codePoints.filter((codePoint) => codePoint >= 0x20 && codePoint < 0x7f).length;
    expect(record.coverage['Basic Latin'] ?? 0).toBe(ascii);
  });
});

it('keeps all font data below 1.6 MB', () => {
  const files = readdirSync(packageFile('fonts/')).filter((file) => /\.(hex|gz|json|txt)$/.test(file));
  expect(files.reduce((bytes, file) => bytes + read(file).length, 0)).toBeLessThan(1_600_000);
});
