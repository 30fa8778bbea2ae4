/**
 * What takes no cell: terminal escape sequences, control and zero-width characters.
 *
 * Every function is linear over a text: a scan ends at the next control character, so scans that start at different
 * introducers never overlap.
 */

const ESC = 0x1b;
const BEL = 0x07;
const ST_8BIT = 0x9c;

/** End of the terminal escape sequence that starts at `at`, or `at` itself when none starts there. */
export function escapeSequenceEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit === ESC) return escapedEnd(text, at + 1);
  if (unit === 0x9b) return controlSequenceEnd(text, at + 1);
  if (isStringIntroducer8Bit(unit)) return controlStringEnd(text, at + 1);
  return unit >= 0x80 && unit <= 0x9f ? at + 1 : at;
}

/** ECMA-48: CSI is `ESC [`; OSC, DCS, SOS, PM and APC open strings; the rest are `ESC` intermediates final. */
function escapedEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit === 0x5b) return controlSequenceEnd(text, at + 1);
  if (unit === 0x5d || unit === 0x50 || unit === 0x58 || unit === 0x5e || unit === 0x5f) {
    return controlStringEnd(text, at + 1);
  }
  let i = at;
  while (isBetween(text.charCodeAt(i), 0x20, 0x2f)) i++;
  return isBetween(text.charCodeAt(i), 0x30, 0x7e) ? i + 1 : at;
}

/**
 * Parameters 30–3F, intermediates 20–2F, one final 40–7E. A broken sequence loses its introducer only; one that the
 * end of the text tears off goes whole.
 */
function controlSequenceEnd(text: string, at: number): number {
  let i = at;
  while (isBetween(text.charCodeAt(i), 0x30, 0x3f)) i++;
  while (isBetween(text.charCodeAt(i), 0x20, 0x2f)) i++;
  if (i >= text.length) return text.length;
  return isBetween(text.charCodeAt(i), 0x40, 0x7e) ? i + 1 : at;
}

/** A string ends at BEL or ST. One that meets another control first is broken: its text stays visible. */
function controlStringEnd(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === BEL || unit === ST_8BIT) return i + 1;
    if (unit === ESC) return text.charCodeAt(i + 1) === 0x5c ? i + 2 : at;
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return at;
  }
  return at;
}

function isStringIntroducer8Bit(unit: number): boolean {
  return unit === 0x9d || unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f;
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}

const ignorable = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]$/u;

/** Whether a character never takes a cell: controls other than white space, format and zero-width characters. */
export function isIgnorable(codePoint: number): boolean {
  return ignorable.test(String.fromCodePoint(codePoint)) && !isBlank(codePoint);
}

const blank = /^\s$/u;

/** White space of any kind; U+0085 NEL is a line break that JavaScript's `\s` leaves out, U+FEFF is no space. */
export function isBlank(codePoint: number): boolean {
  return codePoint === 0x85 || (codePoint !== 0xfeff && blank.test(String.fromCodePoint(codePoint)));
}

/** White space that ends a line. */
export function isLineBreak(codePoint: number): boolean {
  return (
    (codePoint >= 0x0a && codePoint <= 0x0d) ||
    codePoint === 0x85 ||
    codePoint === 0x2028 ||
    codePoint === 0x2029
  );
}
