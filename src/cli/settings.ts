/** What configuration files say, under what the command line says. */
import { type Config, loadConfig } from '../billing/config.js';
import type { Settings } from '../billing/config-schema.js';
import type { CommonOptions, Io } from './io.js';

/** Settings that the schema has and no command heeds yet. */
const withoutEffect: readonly (keyof Settings)[] = [
  'window',
  'maxImages',
  'maxBytes',
  'margin',
  'edge',
  'format',
  'sourceBytes',
];

/**
 * Reads `snapcompact.config.json` of the working folder and of the user; says on stderr which settings have no effect
 * in this version. Throws as `loadConfig` does.
 */
export async function readConfig(io: Io, { quiet = false }: CommonOptions): Promise<Config> {
  const { env, home } = io;
  const config = await loadConfig({ cwd: process.cwd(), home, env, platform: process.platform });
  const idle = withoutEffect.filter((name) => config.settings[name] !== undefined);
  if (idle.length > 0 && !quiet) {
    io.err(`note: ${idle.join(', ')} in ${config.files.join(', ')}: no effect in this version\n`);
  }
  return config;
}
