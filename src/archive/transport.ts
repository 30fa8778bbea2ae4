/**
 * Frames as files at the vendor: each is uploaded once and then sent by its id, so that a request with a hundred frames
 * is a few kilobytes.
 *
 * Goes on the network only when it is called. What is uploaded stays with the vendor until it is deleted or expires.
 */
import { interruption, SnapcompactError } from '../errors.js';
import type { ContextBlock } from './context-blocks.js';

type ImageBlock = Extract<ContextBlock, { type: 'image' }>;

export interface UploadOptions {
  readonly apiKey: string;
  /** Default https://api.anthropic.com. */
  readonly baseUrl?: string;
  /**
   * File ids by digest from earlier calls, for the same workspace; their frames are not sent again and nobody asks
   * whether the files still exist. Default: none.
   */
  readonly known?: ReadonlyMap<string, string>;
  /** Uploads at a time, 1 to 16, default 4. */
  readonly concurrency?: number;
  /** Tries after the first for each frame, on 408, 409, 429, 5xx, a broken connection and a timeout; 0 to 10, default 2. */
  readonly maxRetries?: number;
  /** For each try, in milliseconds, up to 600,000; default 60,000. */
  readonly timeoutMs?: number;
  /** Seconds until the vendor drops the files, 3,600 to 7,776,000 (ninety days). Default: they stay until deleted. */
  readonly expiresInSeconds?: number;
  /** Told of every file as it arrives: a call that fails then leaves behind what to pass as `known` to the next. */
  readonly onUpload?: (sha256: string, fileId: string) => void;
  readonly signal?: AbortSignal;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface FrameFiles {
  /** File id of every image among the blocks, by digest, in the order of the blocks; for `toAnthropic`. */
  readonly files: Map<string, string>;
  /** Files sent by this call. */
  readonly uploaded: number;
  /** Distinct frames that were known already. */
  readonly reused: number;
  /** Bytes of the files sent. */
  readonly bytes: number;
}

const vendorUrl = 'https://api.anthropic.com';

const job = 'the upload of the frames';

const ranges = {
  concurrency: [1, 16],
  maxRetries: [0, 10],
  timeoutMs: [1, 600_000],
  expiresInSeconds: [3600, 7_776_000],
} as const;

/**
 * Uploads each distinct image of the blocks through Anthropic's Files API; equal digests are one file. Amazon Bedrock
 * and Google Cloud have no such API.
 *
 * Throws `usage` for no key and a number out of its range, `interrupted` for the signal, and `model-call-failed` with
 * the vendor's words for everything else. After a failure no further upload starts, and those under way are waited for.
 * The key appears in no error.
 */
export async function uploadFrames(
  blocks: readonly ContextBlock[],
  options: UploadOptions,
): Promise<FrameFiles> {
  const { known = new Map<string, string>(), concurrency = 4 } = options;
  checkOptions(options);
  const frames = distinctFrames(blocks);
  const fresh = frames.filter(({ sha256 }) => !known.get(sha256));
  const ids = fresh.length === 0 ? [] : await mapLimited(fresh, concurrency, await createUploader(options));
  const sent = new Map(fresh.map(({ sha256 }, index) => [sha256, ids[index]!]));
  return {
    files: new Map(frames.map(({ sha256 }) => [sha256, sent.get(sha256) ?? known.get(sha256)!])),
    uploaded: fresh.length,
    reused: frames.length - fresh.length,
    bytes: fresh.reduce((sum, { data }) => sum + data.length, 0),
  };
}

function distinctFrames(blocks: readonly ContextBlock[]): ImageBlock[] {
  const byDigest = new Map<string, ImageBlock>();
  for (const block of blocks) {
    if (block.type === 'image' && !byDigest.has(block.sha256)) byDigest.set(block.sha256, block);
  }
  return [...byDigest.values()];
}

/** One upload: frame in, file id out. */
async function createUploader(options: UploadOptions): Promise<(frame: ImageBlock) => Promise<string>> {
  const { expiresInSeconds, signal, onUpload } = options;
  const files = await openFiles(options);
  return async ({ data, mime, sha256 }) => {
    // Named by its digest, so that a listing of the workspace tells which frame a file is.
    const file = new File([data], `${sha256}.${mime.slice('image/'.length)}`, { type: mime });
    const { id } = await files
      .upload(
        { file, ...(expiresInSeconds !== undefined && { expires_in_seconds: expiresInSeconds }) },
        signal === undefined ? {} : { signal },
      )
      .then(checkAnswer)
      .catch((error: unknown) => {
        throw uploadFailure(error, options);
      });
    onUpload?.(sha256, id);
    return id;
  };
}

async function openFiles({ apiKey, baseUrl = vendorUrl, maxRetries, timeoutMs, fetch }: UploadOptions) {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey,
    // Only what the caller gives is sent; the SDK would look for tokens and addresses in the environment.
    authToken: null,
    baseURL: baseUrl,
    maxRetries: maxRetries ?? 2,
    timeout: timeoutMs ?? 60_000,
    logLevel: 'off',
    ...(fetch !== undefined && { fetch }),
  });
  return client.files;
}

function checkAnswer(answer: { readonly id?: unknown } | null | undefined): { readonly id: string } {
  const id = answer?.id;
  if (typeof id !== 'string' || id === '') throw new TypeError('an answer without a file id');
  return { id };
}

/** `run` over all items, at most `limit` at a time and none after a failure; results in the order of the items. */
async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length && failures.length === 0) {
      const at = next++;
      try {
        results[at] = await run(items[at]!);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

const hints: Readonly<Record<number, string>> = {
  401: 'check the API key',
  403: 'check what the API key may do',
  404: 'check the base URL: only the vendor itself stores files; without `files` frames go inline',
  429: 'wait, or lower the concurrency',
};

/**
 * The error for whatever the SDK threw. Carries no cause: the SDK's errors hold the answer's headers and body, and a
 * refused header is quoted in them, key and all.
 */
function uploadFailure(error: unknown, { apiKey, baseUrl = vendorUrl, signal }: UploadOptions) {
  if (signal?.aborted) return interruption(job, signal);
  const { status } = error as { status?: number };
  const said = wordsOf(error);
  const hint = status === undefined ? undefined : hints[status];
  return new SnapcompactError('model-call-failed', {
    expected: 'a file id',
    of: 'a frame uploaded to the Files API',
    got: withoutKey(status === undefined ? said : `status ${status}: ${said}`, apiKey),
    where: withoutKey(baseUrl, apiKey),
    ...(hint !== undefined && { hint }),
  });
}

/** What the vendor said, or what the connection died of. */
function wordsOf(error: unknown): string {
  const { apiMessage, message, cause } = error as { apiMessage?: string; message?: string; cause?: unknown };
  if (apiMessage) return apiMessage;
  // The SDK puts the status before a body that it cannot read.
  const said = message?.replace(/^\d{3} /, '') || (error as { code?: string }).code || String(error);
  return cause === undefined ? said : `${said.replace(/\.$/, '')}: ${wordsOf(cause)}`;
}

/** The key as it is, as a header carries it, and as JSON spells both. */
function withoutKey(text: string, apiKey: string): string {
  const keys = [apiKey, apiKey.trim()];
  const spellings = [...keys, ...keys.map((key) => JSON.stringify(key).slice(1, -1))];
  return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '[key]'), text);
}

function checkOptions(options: UploadOptions): void {
  const { apiKey, signal } = options;
  if (signal?.aborted) throw interruption(job, signal);
  if (apiKey.trim() === '') {
    throw new SnapcompactError('usage', { expected: 'an API key of Anthropic', of: job, got: 'none' });
  }
  for (const name of Object.keys(ranges) as (keyof typeof ranges)[]) {
    const value = options[name];
    const [least, most] = ranges[name];
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) continue;
    throw new SnapcompactError('usage', {
      expected: `an integer from ${least} to ${most}`,
      of: name,
      got: String(value),
    });
  }
}
