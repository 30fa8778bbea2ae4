/** What configuration files say, under what the command line says. */
import { type Config, loadConfig } from '../billing/config.js';
import type { Io } from './io.js';

/** Reads `snapcompact.config.json` of the working folder and of the user. Throws as `loadConfig` does. */
export function readConfig({ env, home }: Io): Promise<Config> {
  return loadConfig({ cwd: process.cwd(), home, env, platform: process.platform });
}
