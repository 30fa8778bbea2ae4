/** How much of a text to send where not all of it fits. */

/** How far a cut may move to find a line break or a space. */
const REACH = 200;

/**
 * The largest whole number up to `max` that fits, where 0 does. Takes what is larger not to fit where something smaller
 * does not, and asks for `max` itself first: nothing is missing then, which makes it smaller than the one below may be.
 */
export function most(max: number, fits: (count: number) => boolean): number {
  if (fits(max)) return max;
  let low = 0;
  let high = max;
  while (high - low > 1) {
    const between = Math.floor((low + high) / 2);
    if (fits(between)) low = between;
    else high = between;
  }
  return low;
}

/** At most `units` units from the start of a text: up to a line break or a space where one is near, else all of them. */
export function firstUnits(text: string, units: number): number {
  if (units === text.length) return units;
  for (const blank of ['\n', ' ']) {
    const at = text.lastIndexOf(blank, units);
    if (at > units - reach(units)) return at;
  }
  return splitsPair(text, units) ? units - 1 : units;
}

/** The same from its end: from behind a line break or a space on. */
export function lastUnits(text: string, units: number): number {
  if (units === text.length) return units;
  const start = text.length - units;
  for (const blank of ['\n', ' ']) {
    const behind = text.indexOf(blank, start - 1) + 1;
    if (behind > 0 && behind < start + reach(units)) return text.length - behind;
  }
  return splitsPair(text, start) ? units - 1 : units;
}

/** Of little no more than half goes. */
function reach(units: number): number {
  return Math.min(REACH, units / 2);
}

function splitsPair(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) >> 10 === 0xd800 >> 10 && text.charCodeAt(at) >> 10 === 0xdc00 >> 10;
}
