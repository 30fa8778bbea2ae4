import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PNG } from 'pngjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countWithAnthropic } from '../../src/billing/count-with-anthropic.js';
import { type CountedBlock, predictTokens } from '../../src/billing/predict-tokens.js';
import { resolveReader } from '../../src/page/readers.js';

const png = new Uint8Array(PNG.sync.write(new PNG({ width: 56, height: 28 })));
const blocks: CountedBlock[] = [
  { type: 'text', text: 'a guide' },
  { type: 'image', mime: 'image/png', data: png },
];

interface Seen {
  readonly url: string;
  /** The SDK sends the key in one of two headers. */
  readonly key: string | undefined;
  readonly body: { model: string; messages: { role: string; content: unknown[] }[] };
}

let server: Server | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
});

/** A counter on this machine; `answer` gets the number of the request from 1. */
async function serve(answer: (response: ServerResponse, request: number) => void) {
  const seen: Seen[] = [];
  server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen.push({
      url: request.url!,
      key: request.headers.authorization?.replace('Bearer ', '') ?? String(request.headers['x-api-key']),
      body: JSON.parse(body),
    });
    answer(response, seen.length);
  });
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, baseUrl };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
  response.end(JSON.stringify(body));
}
const failure = (response: ServerResponse, status: number, message: string) =>
  reply(response, status, { type: 'error', error: { type: 'x_error', message } });

const ask = (baseUrl: string, more: object = {}) =>
  countWithAnthropic({
    model: 'claude-opus-5',
    blocks,
    predictedTokens: 10,
    apiKey: 'sk-test',
    baseUrl,
    timeoutMs: 5000,
    ...more,
  });

describe('countWithAnthropic', () => {
  it('sends no text without a word, which the API refuses', async () => {
    const { seen, baseUrl } = await serve((response) => reply(response, 200, { input_tokens: 16 }));
    await ask(baseUrl, { blocks: [{ type: 'text', text: ' \n' }, blocks[0], { type: 'text', text: '' }] });
    expect(seen[0]!.body.messages[0]!.content).toEqual([{ type: 'text', text: 'a guide' }]);
  });

  it('sends the blocks as one user message and holds the answer against the prediction', async () => {
    const { seen, baseUrl } = await serve((response) => reply(response, 200, { input_tokens: 16 }));
    expect(await ask(baseUrl)).toEqual({
      model: 'claude-opus-5',
      countedTokens: 16,
      predictedTokens: 10,
      differenceTokens: 6,
      differenceShare: 0.375,
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ url: '/v1/messages/count_tokens', key: 'sk-test' });
    expect(seen[0]!.body).toEqual({
      model: 'claude-opus-5',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a guide' },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: Buffer.from(png).toString('base64') },
            },
          ],
        },
      ],
    });
  });

  it('tries again on overload, as often as it is told', async () => {
    const { seen, baseUrl } = await serve((response, request) =>
      request < 3 ? failure(response, 529, 'overloaded') : reply(response, 200, { input_tokens: 1 }),
    );
    expect((await ask(baseUrl)).countedTokens).toBe(1);
    expect(seen).toHaveLength(3);
  });

  it('gives up after its tries, with the status and what the API said', async () => {
    const { seen, baseUrl } = await serve((response) => failure(response, 529, 'overloaded today'));
    const error = await ask(baseUrl, { maxRetries: 1 }).catch((thrown) => thrown);
    expect(error).toMatchObject({
      name: 'SnapcompactError',
      message: expect.stringMatching(/status 529: overloaded today/),
      complaint: { where: baseUrl },
    });
    expect(error.code).not.toBe('internal');
    expect(error.message).not.toContain('sk-test');
    expect(seen).toHaveLength(2);
  });

  it.each([
    [401, 'invalid x-api-key', /check the API key/],
    [404, 'model: nobody', /check the model id/],
    [400, 'image exceeds the maximum', /status 400: image exceeds/],
    [413, 'request_too_large', /status 413/],
  ])('does not try again on %d %s', async (status, said, message) => {
    const { seen, baseUrl } = await serve((response) => failure(response, status, said));
    await expect(ask(baseUrl)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
    expect(seen).toHaveLength(1);
  });

  it('fails clearly on an answer that is none, on silence and on a closed door', async () => {
    const wrong = await serve((response) => reply(response, 200, { tokens: 1 }));
    await expect(ask(wrong.baseUrl)).rejects.toMatchObject({
      message: expect.stringMatching(/input_tokens is undefined/),
    });
    server!.close();
    const silent = await serve(() => {});
    await expect(ask(silent.baseUrl, { timeoutMs: 100, maxRetries: 0 })).rejects.toMatchObject({
      name: 'SnapcompactError',
      message: expect.stringMatching(/timed out/i),
    });
    await expect(ask('http://127.0.0.1:9', { maxRetries: 0 })).rejects.toMatchObject({
      name: 'SnapcompactError',
    });
  });

  it('stops when the signal fires', async () => {
    const { baseUrl } = await serve(() => controller.abort());
    const controller = new AbortController();
    await expect(ask(baseUrl, { signal: controller.signal })).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('takes neither key nor address from the environment', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-environment');
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-the-environment');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
    const { seen, baseUrl } = await serve((response) => reply(response, 200, { input_tokens: 1 }));
    await ask(baseUrl);
    expect(seen[0]!.key).toBe('sk-test');
  });

  it('refuses to ask without a key', async () => {
    await expect(ask('http://127.0.0.1:9', { apiKey: ' ' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('goes through the fetch it is given', async () => {
    const urls: string[] = [];
    const report = await ask('https://gateway.example/anthropic', {
      fetch: async (url: unknown) => {
        urls.push(String(url));
        return new Response('{"input_tokens":2}', { headers: { 'content-type': 'application/json' } });
      },
    });
    expect(report.countedTokens).toBe(2);
    expect(urls).toEqual(['https://gateway.example/anthropic/v1/messages/count_tokens']);
  });
});

describe('predictTokens', () => {
  it('adds the bill of each image, surcharge included, and the estimate of each text', () => {
    const reader = resolveReader({ model: 'claude-opus-5' });
    expect(predictTokens(blocks, reader)).toEqual({ tokens: 3 + 6, imageTokens: 2 + 4, textTokens: 3 });
  });

  it('needs the size of an image that is no PNG', () => {
    const reader = resolveReader({ model: 'claude-opus-5' });
    const webp = { type: 'image' as const, mime: 'image/webp', data: new Uint8Array(30) };
    expect(() => predictTokens([webp], reader)).toThrowError(expect.objectContaining({ code: 'usage' }));
    expect(predictTokens([{ ...webp, size: { widthPx: 28, heightPx: 28 } }], reader).imageTokens).toBe(5);
  });
});
