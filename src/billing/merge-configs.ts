/** Layers of configuration laid over each other. */
import { type ConfigData, type Settings, settingChecks } from './config-schema.js';
import type { BillingOverrides } from './overrides.js';

/** One configuration, ready to use. */
export interface MergedConfig {
  readonly settings: Settings;
  /** For the last argument of the functions of this folder, and of `resolveReader`. */
  readonly overrides: BillingOverrides;
}

/** Pure; the last layer wins, object by object; lists and single values replace, `undefined` says nothing. */
export function mergeConfigs(...layers: readonly ConfigData[]): MergedConfig {
  const { $schema: _, ...merged } = layers.reduce<Record<string, unknown>>(
    (below, above) => laidOver(below, above as Record<string, unknown>),
    {},
  );
  const isSetting = ([key]: [string, unknown]) => Object.hasOwn(settingChecks, key);
  const all = Object.entries(merged);
  return {
    settings: Object.fromEntries(all.filter(isSetting)) as Settings,
    overrides: Object.fromEntries(all.filter((entry) => !isSetting(entry))) as BillingOverrides,
  };
}

function laidOver(below: Record<string, unknown>, above: Record<string, unknown>): Record<string, unknown> {
  const stated = Object.entries(above).filter(([, value]) => value !== undefined);
  return {
    ...below,
    ...Object.fromEntries(
      stated.map(([key, value]) => {
        const under = Object.hasOwn(below, key) ? below[key] : undefined;
        return [key, isObject(under) && isObject(value) ? laidOver(under, value) : value];
      }),
    ),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
