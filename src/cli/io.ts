/** Where a command writes: data to `out`, words for people to `err`. Tests pass their own. */
import { homedir } from 'node:os';
import { SnapcompactError, systemReason } from '../errors.js';

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal that can be redrawn. */
  readonly isTerminal: boolean;
  /** Whether `out` is one, where data must not redraw it. */
  readonly isOutTerminal?: boolean;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Throws what went wrong with `out` so far. */
  check(): void;
}

/**
 * The process's own streams. A reader that has seen enough and closes the pipe (`| head`) stops the output and
 * nothing else; any other failure of stdout is an error at the end.
 */
export function processIo(signal: AbortSignal): Io {
  let failure: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= error;
  });
  process.stderr.on('error', () => undefined);
  return {
    out: (text) => {
      if (failure === undefined) process.stdout.write(text);
    },
    err: (text) => {
      process.stderr.write(text);
    },
    isTerminal: process.stderr.isTTY === true,
    isOutTerminal: process.stdout.isTTY === true,
    signal,
    env: process.env,
    home: homedir(),
    check: () => {
      if (failure === undefined || failure.code === 'EPIPE') return;
      throw new SnapcompactError('unwritable-target', {
        expected: 'to be written',
        of: 'the output',
        got: systemReason(failure),
        where: 'stdout',
      });
    },
  };
}

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Data: as one JSON value with `--json`, or else as text. */
export function print(io: Io, { json }: CommonOptions, data: unknown, text: () => string): void {
  io.out(json ? `${JSON.stringify(data, null, 2)}\n` : text());
}

/** Foreign words on one line of a terminal: control characters, which could redraw it, become spaces. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** `1,234`. */
export function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 frame`, `2 frames`, `1,234 frames`. */
export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}
