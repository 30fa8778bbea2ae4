/**
 * Rebuilds the font files of this folder and fonts.json from Debian's packages; the same bytes on every run.
 *
 *   apt-get install --no-install-recommends xfonts-base unifont fonts-unifont pcf2bdf python3-freetype
 *   node fonts/build.mjs [folder]      # default: this folder
 *
 * lookalikes.json follows from these files and the shapes: fonts/build-lookalikes.mjs.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const target = resolve(process.argv[2] ?? here);

/** What the packages do not say themselves. Licences: as recorded inside each font, see LICENSES/. */
const fonts = [
  {
    name: '8x13',
    file: '8x13.hex',
    overrides: '8x13-overrides.txt',
    package: 'xfonts-base',
    source: /\/8x13\.pcf\.gz$/,
    licence: 'Public domain ("Public domain font.  Share and enjoy.")',
    licenceFile: 'LICENSES/misc-fixed.txt',
    heightPx: 13,
    ascentPx: 11,
    make: pcfToHex,
  },
  {
    name: 'unifont',
    file: 'unifont.hex.gz',
    overrides: null,
    package: 'unifont',
    source: /\/unifont\.hex$/,
    licence: 'OFL-1.1 (dual-licensed; the alternative is GPL-2.0-or-later with the font embedding exception)',
    licenceFile: 'LICENSES/unifont.txt',
    heightPx: 16,
    ascentPx: 14,
    make: (path) => readFileSync(path, 'latin1'),
  },
  {
    name: 'unifont-upper',
    file: 'unifont_upper.hex.gz',
    overrides: null,
    package: 'fonts-unifont',
    source: /\/unifont_upper\.otf$/,
    licence: 'OFL-1.1 (dual-licensed; the alternative is GPL-2.0-or-later with the font embedding exception)',
    licenceFile: 'LICENSES/unifont.txt',
    heightPx: 16,
    ascentPx: 14,
    make: otfToHex,
  },
];

/** Unicode blocks that the coverage summary counts. */
const blocks = {
  'Basic Latin': [0x20, 0x7e],
  'Latin-1 Supplement': [0xa0, 0xff],
  'Latin Extended-A': [0x100, 0x17f],
  'Latin Extended-B': [0x180, 0x24f],
  'IPA Extensions': [0x250, 0x2af],
  'Greek and Coptic': [0x370, 0x3ff],
  Cyrillic: [0x400, 0x4ff],
  Hebrew: [0x590, 0x5ff],
  Arabic: [0x600, 0x6ff],
  Devanagari: [0x900, 0x97f],
  Thai: [0xe00, 0xe7f],
  'General Punctuation': [0x2000, 0x206f],
  Arrows: [0x2190, 0x21ff],
  'Mathematical Operators': [0x2200, 0x22ff],
  'Box Drawing': [0x2500, 0x257f],
  'Block Elements': [0x2580, 0x259f],
  'Geometric Shapes': [0x25a0, 0x25ff],
  'Miscellaneous Symbols': [0x2600, 0x26ff],
  Dingbats: [0x2700, 0x27bf],
  'Braille Patterns': [0x2800, 0x28ff],
  'CJK Symbols and Punctuation': [0x3000, 0x303f],
  'Hiragana and Katakana': [0x3040, 0x30ff],
  'CJK Unified Ideographs': [0x4e00, 0x9fff],
  'Hangul Syllables': [0xac00, 0xd7af],
  'Halfwidth and Fullwidth Forms': [0xff00, 0xffef],
  'Plane 1': [0x10000, 0x1ffff],
  'Plane 2': [0x20000, 0x2ffff],
  'Plane 14': [0xe0000, 0xeffff],
};

function run(command, args, options = {}) {
  return execFileSync(command, args, { maxBuffer: 64 << 20, ...options });
}

/** Debian's file and version behind a font. */
function debianSource(name, pattern) {
  const version = run('dpkg-query', ['-W', '-f=${Version}', name]).toString();
  const path = run('dpkg', ['-L', name]).toString().split('\n').find((line) => pattern.test(line));
  if (path === undefined || !existsSync(path)) throw new Error(`${name} holds no file like ${pattern}`);
  return { version, path };
}

/** X's compiled form back to BDF, then each glyph's rows as one line; the bitmaps stay as they are. */
function pcfToHex(path) {
  const bdf = run('pcf2bdf', [], { input: gunzipSync(readFileSync(path)) }).toString('latin1');
  const lines = [];
  for (const [, code, box, rows] of bdf.matchAll(/^ENCODING (\d+)$[^]*?^BBX (.*)$\n^BITMAP$\n([^]*?)^ENDCHAR$/gm)) {
    if (box !== '8 13 0 -2') throw new Error(`U+${Number(code).toString(16)} has the box ${box}`);
    lines.push([Number(code), rows.replaceAll('\n', '').toUpperCase()]);
  }
  lines.sort(([a], [b]) => a - b);
  return lines.map(([code, rows]) => `${code.toString(16).toUpperCase().padStart(4, '0')}:${rows}\n`).join('');
}

function otfToHex(path) {
  // Debian's own Python, which has python3-freetype.
  return run('/usr/bin/python3', [join(here, 'raster-upper.py'), path]).toString('latin1');
}

function coverage(text) {
  const codes = text.trimEnd().split('\n').map((line) => Number.parseInt(line, 16));
  const counts = Object.entries(blocks).map(([block, [first, last]]) => {
    return [block, codes.filter((code) => code >= first && code <= last).length];
  });
  return { glyphs: codes.length, coverage: Object.fromEntries(counts.filter(([, count]) => count > 0)) };
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

function buildFont({ source: pattern, make, ...font }) {
  const { version, path } = debianSource(font.package, pattern);
  const text = make(path);
  const plain = Buffer.from(text, 'latin1');
  // gzip itself rather than node:zlib, whose output changes with the zlib of a Node build; -n leaves out name and time.
  const bytes = font.file.endsWith('.gz') ? run('gzip', ['-9', '-n'], { input: plain }) : plain;
  writeFileSync(join(target, font.file), bytes);
  if (font.overrides !== null && target !== resolve(here)) {
    copyFileSync(join(here, font.overrides), join(target, font.overrides));
  }
  return {
    name: font.name,
    file: font.file,
    overrides: font.overrides,
    heightPx: font.heightPx,
    ascentPx: font.ascentPx,
    source: { package: font.package, version, file: path.split('/').at(-1) },
    licence: font.licence,
    licenceFile: font.licenceFile,
    sha256: sha256(bytes),
    textSha256: sha256(plain),
    overridesSha256: font.overrides === null ? null : sha256(readFileSync(join(here, font.overrides))),
    ...coverage(text),
  };
}

mkdirSync(target, { recursive: true });
const records = { fonts: fonts.map(buildFont) };
writeFileSync(join(target, 'fonts.json'), `${JSON.stringify(records, null, 2)}\n`);
for (const { file, glyphs, sha256: digest } of records.fonts) console.log(`${digest}  ${file}  ${glyphs} glyphs`);
