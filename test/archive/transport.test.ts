import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ContextBlock } from '../../src/archive/context-blocks.js';
import { type UploadOptions, uploadFrames } from '../../src/archive/transport.js';
import { toAnthropic } from '../../src/archive/wire-forms.js';

const key = 'sk-ant-secret-0123456789';

function frame(content: string, mime: 'image/png' | 'image/webp' = 'image/png') {
  const data = new TextEncoder().encode(content);
  const sha256 = createHash('sha256').update(data).digest('hex');
  return { type: 'image', mime, data, sha256 } as const;
}

const [first, second, third] = [frame('first'), frame('second frame', 'image/webp'), frame('third')];
const blocks: readonly ContextBlock[] = [
  { type: 'text', text: 'guide' },
  first,
  second,
  frame('first'),
  { type: 'text', text: 'facts' },
  third,
];

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly expires: string | null;
}

let server: Server | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
});

type Answer = (response: ServerResponse, seen: Seen, request: number) => void;

/** A store of files on this machine; `answer` gets the number of the request from 1. */
async function serve(answer: Answer = (response, { name }) => reply(response, 200, { id: `file_${name}` })) {
  const seen: Seen[] = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'content-type': request.headers['content-type']! };
    const form = await new Response(Buffer.concat(chunks), { headers }).formData();
    const file = form.get('file') as File;
    const one: Seen = {
      url: request.url!,
      headers: request.headers,
      name: file.name,
      type: file.type,
      content: await file.text(),
      expires: form.get('expires_in_seconds') as string | null,
    };
    seen.push(one);
    answer(response, one, seen.length);
  });
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  return { seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (!response.hasHeader('retry-after')) response.setHeader('retry-after-ms', '1');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
const refuse = (response: ServerResponse, status: number, message: string) =>
  reply(response, status, { type: 'error', error: { type: 'x_error', message } });

const upload = (baseUrl: string, more: Partial<UploadOptions> = {}) =>
  uploadFrames(blocks, { apiKey: key, baseUrl, timeoutMs: 5000, ...more });

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('uploadFrames', () => {
  test('sends each distinct frame once, as a file named by its digest', async () => {
    const { seen, baseUrl } = await serve();
    const result = await upload(baseUrl, { concurrency: 1 });
    expect(seen.map(({ name, type, content }) => [name, type, content])).toEqual([
      [`${first.sha256}.png`, 'image/png', 'first'],
      [`${second.sha256}.webp`, 'image/webp', 'second frame'],
      [`${third.sha256}.png`, 'image/png', 'third'],
    ]);
    expect(result).toEqual({ files: expect.any(Map), uploaded: 3, reused: 0, bytes: 5 + 12 + 5 });
    expect([...result.files]).toEqual([
      [first.sha256, `file_${first.sha256}.png`],
      [second.sha256, `file_${second.sha256}.webp`],
      [third.sha256, `file_${third.sha256}.png`],
    ]);
  });

  test('needs no beta header and takes nothing from the environment', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-environment');
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-the-environment');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
    const { seen, baseUrl } = await serve();
    await upload(baseUrl, { expiresInSeconds: 3600 });
    expect(seen[0]).toMatchObject({ url: '/v1/files', expires: '3600' });
    const { authorization, 'x-api-key': plain } = seen[0]!.headers;
    expect(plain ?? authorization?.replace('Bearer ', '')).toBe(key);
    expect(seen[0]!.headers).not.toHaveProperty('anthropic-beta');
  });

  test('gives files in the order of the blocks, whichever upload ends first', async () => {
    let open = 0;
    let most = 0;
    const { baseUrl } = await serve((response, { name, content }) => {
      most = Math.max(most, ++open);
      setTimeout(
        () => {
          open--;
          reply(response, 200, { id: `file_${name}` });
        },
        content === 'first' ? 60 : 5,
      );
    });
    const { files } = await upload(baseUrl, { concurrency: 2 });
    expect([...files.keys()]).toEqual([first.sha256, second.sha256, third.sha256]);
    expect(most).toBe(2);
  });

  test('does not send what is known', async () => {
    const { seen, baseUrl } = await serve();
    const known = new Map([
      [first.sha256, 'file_old'],
      ['of another archive', 'file_other'],
    ]);
    const result = await upload(baseUrl, { known });
    expect(seen.map(({ content }) => content).sort()).toEqual(['second frame', 'third']);
    expect(result).toMatchObject({ uploaded: 2, reused: 1, bytes: 17 });
    expect([...result.files]).toEqual([
      [first.sha256, 'file_old'],
      [second.sha256, `file_${second.sha256}.webp`],
      [third.sha256, `file_${third.sha256}.png`],
    ]);
    const again = await upload('http://127.0.0.1:9', { known: result.files });
    expect(again).toEqual({ files: result.files, uploaded: 0, reused: 3, bytes: 0 });
  });

  test('makes content that refers to every frame', async () => {
    const { baseUrl } = await serve();
    const { files } = await upload(baseUrl);
    const sources = toAnthropic(blocks, { files }).flatMap((block) =>
      block.type === 'image' ? [block.source] : [],
    );
    expect(sources).toEqual(
      [first, second, first, third].map(({ sha256 }) => ({ type: 'file', file_id: files.get(sha256) })),
    );
  });

  test('tries again on overload, as often as it is told', async () => {
    const { seen, baseUrl } = await serve((response, { name }, request) =>
      request < 3 ? refuse(response, 500, 'overloaded') : reply(response, 200, { id: name }),
    );
    expect((await upload(baseUrl, { concurrency: 1 })).uploaded).toBe(3);
    expect(seen.map(({ content }) => content)).toEqual(['first', 'first', 'first', 'second frame', 'third']);
  });

  test.each([
    [400, 'the storage quota is used up', 1, /status 400: the storage quota is used up/],
    [401, 'invalid x-api-key', 1, /status 401: invalid x-api-key.*check the API key/],
    [404, 'Not Found', 1, /base URL/],
    [429, 'slow down', 2, /status 429: slow down.*concurrency/],
    [500, 'it broke', 2, /status 500: it broke/],
  ])('fails on %d %s after its tries and sends nothing more', async (status, said, tries, message) => {
    const { seen, baseUrl } = await serve((response) => refuse(response, status, said));
    const error = await failureOf(upload(baseUrl, { maxRetries: 1, concurrency: 1 }));
    expect(error).toMatchObject({
      name: 'SnapcompactError',
      code: 'model-call-failed',
      message: expect.stringMatching(message),
      complaint: { where: baseUrl },
    });
    expect(error.exitCode).toBe(6);
    expect(seen).toHaveLength(tries);
  });

  test('tells of every file that arrived, those under way at a failure included', async () => {
    const { seen, baseUrl } = await serve((response, { name, content }) =>
      content === 'first'
        ? refuse(response, 400, 'no')
        : setTimeout(() => reply(response, 200, { id: name }), 50),
    );
    const arrived: string[][] = [];
    const onUpload = (...file: string[]) => arrived.push(file);
    await failureOf(upload(baseUrl, { concurrency: 2, onUpload }));
    expect(seen).toHaveLength(2);
    expect(arrived).toEqual([[second.sha256, `${second.sha256}.webp`]]);
  });

  test('fails clearly on an answer that is none, on silence and on a closed door', async () => {
    const wrong = await serve((response) => reply(response, 200, { name: 'file' }));
    expect(await failureOf(upload(wrong.baseUrl))).toMatchObject({
      code: 'model-call-failed',
      message: expect.stringMatching(/without a file id/),
    });
    server!.close();
    const silent = await serve(() => {});
    expect(await failureOf(upload(silent.baseUrl, { timeoutMs: 100, maxRetries: 0 }))).toMatchObject({
      code: 'model-call-failed',
      message: expect.stringMatching(/timed out/i),
    });
    expect(await failureOf(upload('http://127.0.0.1:9', { maxRetries: 0 }))).toMatchObject({
      code: 'model-call-failed',
    });
  });

  test('stops when the signal fires, before, during and between two tries', async () => {
    const controller = new AbortController();
    const { seen, baseUrl } = await serve(() => controller.abort());
    const { signal } = controller;
    expect(await failureOf(upload(baseUrl, { signal, concurrency: 1 }))).toMatchObject({
      code: 'interrupted',
    });
    expect(await failureOf(upload(baseUrl, { signal }))).toMatchObject({ code: 'interrupted' });
    expect(seen).toHaveLength(1);
    server!.close();
    const later = new AbortController();
    const busy = await serve((response) => {
      response.setHeader('retry-after', '30');
      refuse(response, 429, 'wait');
      setTimeout(() => later.abort(), 50);
    });
    expect(await failureOf(upload(busy.baseUrl, { signal: later.signal, concurrency: 1 }))).toMatchObject({
      code: 'interrupted',
    });
  });

  test.each<[string, Answer]>([
    ['the message', (response) => refuse(response, 401, `no such key: ${key}`)],
    ['a body of another form', (response) => reply(response, 403, { key, nested: { key } })],
    [
      'a header',
      (response) => {
        response.setHeader('request-id', key);
        refuse(response, 400, 'no');
      },
    ],
    ['a page', (response) => response.writeHead(502, { 'retry-after-ms': '1' }).end(`<p>${key}</p>`)],
  ])('shows the key nowhere when the server repeats it in %s', async (_, answer) => {
    const { baseUrl } = await serve(answer);
    const error = await failureOf(upload(baseUrl, { maxRetries: 0 }));
    expect(error.code).toBe('model-call-failed');
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(key);
  });

  test.each([
    ['no header takes', `${key}\n${key}`],
    ['has a quote', `${key}"\n`],
  ])('shows a key that %s nowhere', async (_, apiKey) => {
    const { baseUrl } = await serve((response) => reply(response, 401, { echo: apiKey.trim() }));
    const error = await failureOf(upload(baseUrl, { apiKey, maxRetries: 0 }));
    expect(error.code).toBe('model-call-failed');
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(key);
  });

  test.each<[Partial<UploadOptions>, RegExp]>([
    [{ apiKey: ' ' }, /API key/],
    [{ concurrency: 0 }, /1 to 16 for concurrency, got 0/],
    [{ concurrency: 2.5 }, /concurrency, got 2.5/],
    [{ maxRetries: -1 }, /0 to 10 for maxRetries/],
    [{ expiresInSeconds: 60 }, /3600 to 7776000 for expiresInSeconds/],
  ])('refuses %j before it sends anything', async (wrong, message) => {
    const { seen, baseUrl } = await serve();
    expect(await failureOf(upload(baseUrl, wrong))).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
    expect(seen).toEqual([]);
  });

  test('asks nothing for blocks without images', async () => {
    const none = await uploadFrames([{ type: 'text', text: 'a' }], {
      apiKey: key,
      baseUrl: 'http://127.0.0.1:9',
    });
    expect(none).toEqual({ files: new Map(), uploaded: 0, reused: 0, bytes: 0 });
  });

  test('goes through the fetch it is given', async () => {
    const urls: string[] = [];
    await upload('https://gateway.example/anthropic', {
      concurrency: 1,
      fetch: async (url: unknown) => {
        urls.push(String(url));
        return new Response('{"id":"f"}', { headers: { 'content-type': 'application/json' } });
      },
    });
    expect([...new Set(urls)].filter((url) => url !== 'data:,')).toEqual([
      'https://gateway.example/anthropic/v1/files',
    ]);
  });
});
