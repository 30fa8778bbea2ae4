import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliRunOptions, runCli } from '../support/run-cli.js';
import { useWorkFolder } from '../support/work-folder.js';

const home = useWorkFolder();
beforeEach(() => {
  writeFileSync('note.md', 'some words to archive, again and again. '.repeat(40));
});

const archive = (args: string[], options: CliRunOptions = {}) =>
  runCli(['archive', 'note.md', '--threads', '0', ...args], { home: home(), ...options });
const config = (data: object, file = 'snapcompact.config.json') => writeFileSync(file, JSON.stringify(data));
const reader = (run: { out: string }) => JSON.parse(run.out).reader;

describe('configuration files', () => {
  test('give defaults that options override, the working folder before the user', async () => {
    mkdirSync('.config/snapcompact', { recursive: true });
    config({ model: 'gemini-3-pro', reasoning: 'off' }, '.config/snapcompact/snapcompact.config.json');
    expect(reader(await archive(['--json'])).shape).toBe('8on22-bw');
    config({ model: 'claude-opus-4-8' });
    expect(reader(await archive(['--json'])).shape).toBe('11on16-bw');
    expect(reader(await archive(['--json', '--model', 'grok-4.5'])).shape).toBe('8on16-bw');
  });

  test('override what the tables say of readers and prices', async () => {
    config({
      readers: { unknown: { frame: { widthPx: 640, maxHeightPx: 640 } } },
      prices: { 'my-model': { inputUsdPerMillion: 2, outputUsdPerMillion: 8 } },
    });
    const run = await archive(['--json', '--model', 'my-model']);
    expect(run.err).toBe('');
    const { price, cost } = JSON.parse(run.out);
    expect(reader(run).frame).toEqual({ widthPx: 640, maxHeightPx: 640 });
    expect(price.uncachedUsd).toBeCloseTo((cost.totalTokens * 2) / 1e6, 9);
  });

  test('are refused with file, place and near name when they are wrong', async () => {
    config({ modell: 'x' });
    const { exitCode, err } = await archive([]);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/modell.*snapcompact\.config\.json|snapcompact\.config\.json.*modell/);
    expect(err).toContain('model');
  });

  test('give the limits and the form of an archive, too', async () => {
    config({ window: 200_000, maxFrames: 3, edge: 2, format: 'webp', sourceBytes: 500, maxBytes: 400_000 });
    const run = await archive(['--json', '--only-if-smaller', '--max-frames', '4']);
    expect(run.err).toMatch(/fewer than \d+ tokens/);
    expect(run.exitCode).toBe(4);
    const { folder, mime } = JSON.parse((await archive(['--json'])).out);
    expect(mime).toBe('image/webp');
    const { settings } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(settings).toMatchObject({
      sourceBytes: 500,
      limits: { windowTokens: 200_000, maxFrames: 3, edge: 2, maxBytes: 400_000 },
    });
  });
});

describe('the price', () => {
  test('is told with and without cache where it is known, and never guessed', async () => {
    expect((await archive(['--model', 'claude-opus-4-8'])).out).toMatch(/price +\$0\.\d{4} to send/);
    expect((await archive(['--model', 'who-knows'])).out).toMatch(/price +not known for this model/);
  });
});

describe('--count-tokens', () => {
  let server: Server;
  let status = 200;
  beforeEach(async () => {
    status = 200;
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify(status === 200 ? { input_tokens: 1234 } : { error: { message: 'busy' } }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
  });
  const env = () => ({
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });

  test('reports what the counter says against what was predicted', async () => {
    const { out, exitCode } = await archive(['--model', 'claude-opus-4-8', '--count-tokens'], { env: env() });
    expect(exitCode).toBe(0);
    expect(out).toMatch(/counted +1,234 by the vendor, [\d,]+ predicted/);
  });

  test('needs a key, and exits 6 when the counter gives no answer', async () => {
    const keyless = await archive(['--model', 'claude-opus-4-8', '--count-tokens']);
    expect(keyless.exitCode).toBe(2);
    expect(keyless.err).toContain('ANTHROPIC_API_KEY');
    status = 500;
    const broken = await archive(['--model', 'claude-opus-4-8', '--count-tokens'], { env: env() });
    expect(broken.exitCode).toBe(6);
    expect(broken.out).toContain('note.snapcompact');
    expect(broken.err).not.toContain('test-key');
  });
});
