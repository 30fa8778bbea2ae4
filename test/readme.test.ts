/** The README's picture shows the README's text, and its figures and commands are those of the package. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { archiveHistory } from '../src/archive/archive-history.js';
import { decodeFrame } from '../src/frame/decode.js';
import { readTranscript } from '../src/transcript/read-transcript.js';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const readme = read('README.md');

describe('the README', () => {
  test('shows a frame that decodes to the text above it', () => {
    const png = readFileSync(new URL('fixtures/readme/frame.png', import.meta.url));
    const { text, unread } = decodeFrame(png, { shape: '11on16-bw' });
    expect(unread).toEqual([]);
    const shown = read('test/fixtures/readme/text.txt').trimEnd();
    expect(text.replaceAll('█', '\n')).toBe(shown);
    expect(readme).toContain(shown);
  });

  const rows = [...readme.matchAll(/^\|([^|]+)\|([^|]+)\|([^|]+)\|([^|]+)\|\s*\d+ %\s*\|$/gm)];

  test('has a table of figures', () => {
    expect(rows).toHaveLength(5);
  });

  test.each(rows.map((row) => [row[1]!.trim(), row[0]] as const))(
    'gives the figures of the committed session for %s',
    async (model, row) => {
      const { history } = await readTranscript(
        new URL('fixtures/transcripts/claude-code/session.jsonl', import.meta.url),
      );
      const { cost, counts } = await archiveHistory(history, { model });
      const shown = (value: number) => value.toLocaleString('en-US');
      const share = Math.round((cost.savedTokens / cost.textTokens) * 100);
      const figures = [counts.frames, cost.imageTokens, cost.textTokens].map(shown);
      expect(row.split('|').map((cell) => cell.trim())).toEqual(['', model, ...figures, `${share} %`, '']);
      expect(readme).toContain(`${shown(counts.sourceChars)} characters of source`);
    },
  );

  test('shows the two set-up commands that scripts and users rely on', () => {
    expect(readme).toMatch(/^npm ci && npx snapcompact archive \S+ --model claude-opus-4-8$/m);
    expect(readme).toMatch(/^npm ci && npm test$/m);
  });
});
