/** What a failed call of a token counter is to the caller. */
import { type ErrorCode, interruption, SnapcompactError } from '../errors.js';

/** Code for a counter that gave no answer. */
const noAnswer: ErrorCode = 'model-call-failed';

export interface FailedCall {
  readonly of: string;
  /** The address that was called. */
  readonly where: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The error for whatever the SDK threw: `interrupted` where the signal fired, `usage` where the API refuses this very
 * request (4xx but for timeouts and rate limits), the code above for no answer. Reads the SDK's errors by their
 * fields, so that it loads nothing.
 */
export function countFailure(error: unknown, { of, where, signal }: FailedCall): SnapcompactError {
  if (error instanceof SnapcompactError) return error;
  if (signal?.aborted) return interruption(of, signal);
  const { status, apiMessage, message } = error as { status?: number; apiMessage?: string; message?: string };
  const refused = status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  const said = apiMessage ?? message ?? String(error);
  return new SnapcompactError(refused ? 'usage' : noAnswer, {
    expected: 'an answer of the token counter',
    of,
    got: status === undefined ? said : `status ${status}: ${said}`,
    where,
    ...(status === 401 && { hint: 'check the API key' }),
    ...(status === 404 && { hint: 'check the model id and the base URL' }),
    cause: error,
  });
}
