/** One override written on a command line, as `--set limits.bedrock.images=40`. */
import { SnapcompactError } from '../errors.js';
import type { ConfigData } from './config-schema.js';

const steps = /\.?([A-Za-z_$][\w$-]*)|\[("(?:[^"\\]|\\.)*")\]/y;

/**
 * `path=value`: the path reads as error messages print it, without the `$.`; keys with dots are quoted in brackets:
 * `prices["claude-opus-5.5"].inputUsdPerMillion=4`. The value is JSON, and a text where it is none. The result is a
 * layer for `loadConfig`'s `options`, which checks it. Throws `usage` for text without path or value.
 */
export function parseSetting(setting: string): ConfigData {
  const keys: string[] = [];
  steps.lastIndex = 0;
  let end = 0;
  for (let match = steps.exec(setting); match !== null; match = steps.exec(setting)) {
    keys.push(match[1] ?? String(parseValue(match[2]!)));
    end = steps.lastIndex;
  }
  if (keys.length === 0 || setting[end] !== '=') {
    throw new SnapcompactError('usage', {
      expected: 'path=value, such as limits.bedrock.images=40',
      of: 'a setting',
      got: JSON.stringify(setting),
    });
  }
  const value = parseValue(setting.slice(end + 1));
  return keys.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value) as ConfigData;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
