/** Options of the commands that plan or make archives → options of the engine. */
import type { ArchiveSettings } from '../archive/archive.js';
import type { ArchiveOptions } from '../archive/archive-history.js';
import type { Config } from '../billing/config.js';
import type { BillingOverrides } from '../billing/overrides.js';
import { SnapcompactError } from '../errors.js';
import { nearNames } from '../near-names.js';
import { carrierNames, isKnownCarrier } from '../page/readers.js';
import type { CommonOptions } from './io.js';

export interface EngineCommandOptions extends CommonOptions {
  readonly model?: string;
  readonly api?: string;
  readonly route?: string;
  readonly shape?: string;
  readonly reasoning?: 'on' | 'off';
  readonly allow?: 'no-vision';
  readonly maxFrames?: number;
  readonly maxImages?: number;
  readonly maxBytes?: number;
  readonly window?: number;
  readonly usedTokens?: number;
  readonly reserveTokens?: number;
  readonly margin?: number;
  readonly edge?: number;
  readonly pin?: readonly string[];
  readonly pinTokens?: number;
  readonly sourceBytes?: number;
  readonly onlyIfSmaller?: boolean;
  readonly format?: 'png' | 'webp';
  readonly threads?: number;
}

const sameNames = [
  'model',
  'api',
  'route',
  'shape',
  'maxFrames',
  'maxImages',
  'maxBytes',
  'usedTokens',
  'reserveTokens',
  'margin',
  'edge',
  'pinTokens',
  'sourceBytes',
  'onlyIfSmaller',
  'format',
  'threads',
] as const satisfies readonly (keyof ArchiveOptions & keyof EngineCommandOptions)[];

/** What the command line says, over what the configuration files say, over what an archive was told before. */
export function engineOptions(
  given: EngineCommandOptions,
  { settings, overrides }: Config,
  before?: ArchiveSettings,
): ArchiveOptions {
  const options: EngineCommandOptions = { ...settings, ...withoutUndefined(given) };
  const { window, reasoning, pin, allow } = options;
  for (const name of ['route', 'api'] as const) checkCarrier(name, options[name], overrides);
  const known = window ?? before?.limits.windowTokens;
  if (options.usedTokens !== undefined && known === undefined) throw needsWindow();
  return {
    ...pick(options, sameNames),
    ...(window !== undefined && { windowTokens: window }),
    ...(reasoning !== undefined && { reasoning: reasoning === 'on' }),
    ...(pin !== undefined && { pins: pin }),
    ...(allow !== undefined && { allowNoVision: true }),
    overrides,
  };
}

/** A mistyped name would be an endpoint that nothing is known of, with other limits. */
function checkCarrier(option: 'route' | 'api', name: string | undefined, overrides: BillingOverrides): void {
  if (name === undefined || isKnownCarrier(name, overrides)) return;
  const near = nearNames(name, carrierNames());
  throw new SnapcompactError('usage', {
    expected: option === 'route' ? 'a route' : 'an API family',
    of: `--${option}`,
    got: name,
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : 'state its limits in snapcompact.config.json, or leave the option away',
  });
}

function needsWindow(): SnapcompactError {
  return new SnapcompactError('usage', {
    expected: 'the window they are used in',
    of: '--used-tokens',
    got: 'no --window',
  });
}

/** The named fields that are set. */
export function pick<T extends object, K extends keyof T>(
  from: T,
  keys: readonly K[],
): { [P in K]?: Exclude<T[P], undefined> } {
  const entries = keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]);
  return Object.fromEntries(entries) as { [P in K]?: Exclude<T[P], undefined> };
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
