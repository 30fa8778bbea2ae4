/**
 * The configuration of a run: options, then `snapcompact.config.json` in the working folder, then the one in the
 * user's configuration folder; the first that says something wins.
 */
import { posix, win32 } from 'node:path';
import { SnapcompactError } from '../errors.js';
import { readInput } from '../read-input.js';
import { type ConfigData, configCheck } from './config-schema.js';
import type { Check } from './json-check.js';
import { type MergedConfig, mergeConfigs } from './merge-configs.js';

export const configFileName = 'snapcompact.config.json';

/** Everything that is not in the files; nothing is read from the process. */
export interface ConfigSurroundings {
  /** The working folder. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As `process.platform`. */
  readonly platform: string;
  /** What the command line says; `undefined` fields say nothing. */
  readonly options?: ConfigData;
}

export interface Config extends MergedConfig {
  /** The files that were there, the strongest first. */
  readonly files: readonly string[];
}

/**
 * Reads and checks both files. Throws `usage` with file and JSON path for anything that is not of the schema, unknown
 * keys included, and `unreadable-input` for a file that is there and cannot be read.
 */
export async function loadConfig({ options = {}, ...surroundings }: ConfigSurroundings): Promise<Config> {
  // The check reads every table; a run without configuration needs none.
  let check: Check | undefined;
  const checked = (data: unknown, file: string) => {
    check ??= configCheck();
    check(data, { file, path: '$' });
    return data as ConfigData;
  };
  const stated = withoutUndefined(options);
  if (Object.keys(stated).length > 0) checked(stated, 'options');
  const layers: ConfigData[] = [options];
  const files: string[] = [];
  for (const file of configFiles(surroundings)) {
    const data = await readConfig(file);
    if (data === undefined) continue;
    layers.push(checked(data, file));
    files.push(file);
  }
  return { ...mergeConfigs(...layers.reverse()), files };
}

/** Where configuration is looked for, the strongest first. */
export function configFiles({
  cwd,
  home,
  env,
  platform,
}: Omit<ConfigSurroundings, 'options'>): readonly string[] {
  const path = platform === 'win32' ? win32 : posix;
  // A relative path in XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification).
  const stated = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  const fallback = platform === 'win32' ? path.join(home, 'AppData', 'Roaming') : path.join(home, '.config');
  const folder = stated !== undefined && path.isAbsolute(stated) ? stated : fallback;
  return [path.join(cwd, configFileName), path.join(folder, 'snapcompact', configFileName)];
}

async function readConfig(file: string): Promise<unknown> {
  const bytes = await readInput(file, 'the configuration file').catch((error: unknown) => {
    const { code } = ((error as SnapcompactError).cause ?? {}) as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new SnapcompactError('usage', {
      expected: 'JSON',
      of: 'the configuration file',
      got: (cause as Error).message,
      where: file,
      cause,
    });
  }
}

function withoutUndefined(options: ConfigData): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
