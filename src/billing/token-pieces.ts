/**
 * Cuts a text so that a byte-pair tokenizer counts it in time that grows with its length.
 *
 * Such a tokenizer first splits the text by a pattern and then merges the bytes of each part, which takes time by the
 * square of the part: a megabyte of one letter is one part. Here the text goes through the pattern in windows, cut
 * where the pattern would cut, and a part longer than `maxPartUnits` is handed on in pieces. The counts of the pieces
 * add up to that of the text but for such parts, which may come out about one token too dear for each piece, and for
 * a window without any space in its second half.
 */

/** Longest part that is counted whole; the longest word, path or rule line in ordinary text is shorter. */
export const maxPartUnits = 128;

const windowUnits = 65_536;

/** Pieces of `text` in order; put together they are the text. `pattern` is global and matches every character. */
export function* tokenPieces(text: string, pattern: RegExp): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = windowEnd(text, start);
    const window = text.slice(start, end);
    let from = 0;
    for (const { 0: part, index } of window.matchAll(pattern)) {
      if (part.length <= maxPartUnits) continue;
      if (index > from) yield window.slice(from, index);
      yield* cutPart(part);
      from = index + part.length;
    }
    if (from < window.length) yield window.slice(from);
    start = end;
  }
}

/** The last place in the window between a visible character and a space, where every pattern cuts; else its end. */
function windowEnd(text: string, start: number): number {
  const end = start + windowUnits;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - windowUnits / 2; at--) {
    if (text.charCodeAt(at) === 0x20 && text.charCodeAt(at - 1) > 0x20 && text.charCodeAt(at - 1) < 0x7f)
      return at;
  }
  return wholeCharacter(text, end);
}

function* cutPart(part: string): Generator<string, void, undefined> {
  for (let start = 0; start < part.length; ) {
    const end = wholeCharacter(part, Math.min(part.length, start + maxPartUnits));
    yield part.slice(start, end);
    start = end;
  }
}

/** `end`, or one before it where a surrogate pair would be cut. */
function wholeCharacter(text: string, end: number): number {
  const isHigh = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHigh && (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end;
}
