/**
 * Every error this package throws on purpose.
 *
 * One class, a closed list of codes, and one builder whose message always has the same four parts: what was
 * expected, of what, what came instead, and where. Callers and the shell act on `code`, never on the message.
 */

/** Exit code of the shell command for each error code. */
export const exitCodes = {
  usage: 2,
  'unknown-shape': 2,
  'unknown-font': 2,
  'unreadable-input': 3,
  'unrecognised-format': 3,
  'broken-input': 3,
  'newer-schema': 3,
  'no-vision': 4,
  'over-budget': 4,
  'nothing-gained': 4,
  'nothing-kept': 4,
  'target-exists': 4,
  'unwritable-target': 4,
  'archive-in-use': 4,
  'undecodable-frame': 5,
  'model-call-failed': 6,
  'worker-failed': 70,
  'bad-data-file': 70,
  internal: 70,
  interrupted: 130,
} as const;

export type ErrorCode = keyof typeof exitCodes;

/** The four parts of a message, and a hint for the way out. */
export interface Complaint {
  /** What would have been right: "an integer from 1 to 600". */
  readonly expected: string;
  /** Of what: an option, a field, a file. */
  readonly of: string;
  /** What came instead. */
  readonly got: string;
  /** File, line, entry id. */
  readonly where?: string;
  /** What the user can do: the option that overrules, the command that helps. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The only error class of this package; `code` says what happened, `exitCode` what the shell returns. */
export class SnapcompactError extends Error {
  override readonly name = 'SnapcompactError';
  readonly code: ErrorCode;
  readonly complaint: Complaint;

  constructor(code: ErrorCode, complaint: Complaint) {
    super(complaintText(complaint), complaint.cause === undefined ? undefined : { cause: complaint.cause });
    this.code = code;
    this.complaint = complaint;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}

function complaintText({ expected, of, got, where, hint }: Complaint): string {
  const place = where === undefined ? '' : ` (${where})`;
  const advice = hint === undefined ? '' : `; ${hint}`;
  return `expected ${expected} for ${of}, got ${got}${place}${advice}`;
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EISDIR: 'a folder',
  ENOTDIR: 'a path that leads through a file',
  ENAMETOOLONG: 'a name that is too long',
  ENOSPC: 'a full disk',
  EROFS: 'a read-only file system',
  EFBIG: 'a file size limit',
  ELOOP: 'links that lead in a circle',
};

/** What a failed system call says, in words. */
export function systemReason(cause: unknown): string {
  const { code, message } = cause as Partial<NodeJS.ErrnoException>;
  return (code !== undefined && systemReasons[code]) || message || String(cause);
}

/** The error for an abort signal that fired; an error of ours that the caller gave as reason stays as it is. */
export function interruption(of: string, signal: AbortSignal): SnapcompactError {
  if (signal.reason instanceof SnapcompactError) return signal.reason;
  return new SnapcompactError('interrupted', {
    expected: 'to finish',
    of,
    got: 'an abort signal',
    cause: signal.reason,
  });
}
