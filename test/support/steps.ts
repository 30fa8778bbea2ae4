/** Counts how often a piece of code looks at a character, to show linear cost without a clock. */
const looks = ['charCodeAt', 'codePointAt'] as const;

/** Calls of `charCodeAt` and `codePointAt` while `run` runs. */
export function countLooks(run: () => void): number {
  let count = 0;
  const originals = looks.map((name) => String.prototype[name]);
  looks.forEach((name, i) => {
    const original = originals[i] as (this: string, at: number) => number;
    // biome-ignore lint/suspicious/noExplicitAny: replaces a built-in for the length of one run
    (String.prototype as any)[name] = function (this: string, at: number) {
      count++;
      return original.call(this, at);
    };
  });
  try {
    run();
  } finally {
    looks.forEach((name, i) => {
      // biome-ignore lint/suspicious/noExplicitAny: puts the built-in back
      (String.prototype as any)[name] = originals[i];
    });
  }
  return count;
}
