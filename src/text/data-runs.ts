/**
 * Long runs of base64 characters in a text, found in linear time.
 *
 * A run of at least n characters must hold one at every n-th place, so the scan probes those places and walks back
 * only from a hit: on ordinary text it looks at a few characters in a hundred.
 */

/** Units `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const LETTER = 1;
const DIGIT = 2;
const SIGN = 4;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const kindOf = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[A-Za-z]/.test(char)) kindOf[code] = LETTER;
  else if (/[0-9]/.test(char)) kindOf[code] = DIGIT;
  else if ('+/-_'.includes(char)) kindOf[code] = SIGN;
}

/** The first maximal run, from `start` on, of at least `minChars` base64 or base64url characters, padding included. */
export function nextBase64Run(text: string, minChars: number, start: number): Range | undefined {
  let searched = start;
  for (let probe = start + minChars - 1; probe < text.length; probe = searched + minChars - 1) {
    if (!isBase64At(text, probe)) {
      searched = probe + 1;
      continue;
    }
    let from = probe;
    while (from > searched && isBase64At(text, from - 1)) from--;
    let to = probe + 1;
    while (to < text.length && isBase64At(text, to)) to++;
    if (to - from >= minChars) return { from, to: to + paddingAt(text, to) };
    searched = to;
  }
  return undefined;
}

/** Also the backslash of `\/`, as JSON may write the sign. */
function isBase64At(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit < 128 && (kindOf[unit]! > 0 || (unit === BACKSLASH && text.charCodeAt(at + 1) === SLASH));
}

function paddingAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x3d) return 0;
  return text.charCodeAt(at + 1) === 0x3d ? 2 : 1;
}

/** Signs are two of 64 values in base64 and far more frequent in paths, rulers and option lists. */
const MAX_SIGN_SHARE = 0.1;
/** Encoded data of any length worth replacing has more; a row of one letter has not. */
const MIN_DISTINCT = 12;

/** Whether a run looks like encoded data rather than a path, a ruler, a number or a row of letters. */
export function isEncodedData(text: string, { from, to }: Range): boolean {
  const { signs, distinct, hasPlus, upper, lower, digits } = statisticsOf(text, from, to);
  if (distinct < MIN_DISTINCT || digits === 0 || upper + lower === 0) return false;
  const isMixed = upper > 0 && lower > 0;
  return signs <= (to - from) * MAX_SIGN_SHARE || (hasPlus && isMixed);
}

/** Whether lines of one length are encoded data rather than a list of hex digests or of sequences. */
export function isMixedCase(text: string, { from, to }: Range): boolean {
  const { upper, lower, digits } = statisticsOf(text, from, to);
  return upper > 0 && lower > 0 && digits > 0;
}

function statisticsOf(text: string, from: number, to: number) {
  const seen = new Uint8Array(128);
  const counts = { signs: 0, distinct: 0, hasPlus: false, upper: 0, lower: 0, digits: 0 };
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    const kind = kindOf[unit] ?? 0;
    if (kind === SIGN) counts.signs++;
    else if (kind === DIGIT) counts.digits++;
    else if (kind === LETTER) counts[unit < 0x60 ? 'upper' : 'lower']++;
    if (kind > 0 && seen[unit] === 0) {
      seen[unit] = 1;
      counts.distinct++;
    }
    if (unit === 0x2b) counts.hasPlus = true;
  }
  return counts;
}
