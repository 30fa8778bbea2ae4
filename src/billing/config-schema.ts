/** What a configuration file may hold: default settings of the commands, and overrides of every billing table. */
import { type ModelName, readModelName } from '../model-name.js';
import { readPackageJson } from '../package-files.js';
import { imageBills } from './image-bill.js';
import { imageFamilies } from './image-families.js';
import {
  type Check,
  choice,
  fields,
  flag,
  integer,
  list,
  named,
  nullable,
  number,
  text,
} from './json-check.js';
import { findModelRecord, type ModelRecord } from './model-records.js';
import { windowRecords } from './model-window.js';
import type { BillingOverrides } from './overrides.js';
import { priceTable } from './prices.js';
import { allRequestLimits } from './request-limits.js';
import { contentClasses } from './text-classes.js';
import { vocabularyNames } from './text-tokens.js';

/** Defaults of the commands' options of the same names; an option on the command line wins. */
export interface Settings {
  readonly model?: string;
  readonly api?: string;
  readonly route?: string;
  readonly shape?: string;
  /** 1 to 600. */
  readonly maxFrames?: number;
  /** 0 to 64; 0 paints in-process. */
  readonly threads?: number;
  readonly reasoning?: 'on' | 'off';
  /** Context window in tokens. */
  readonly window?: number;
  readonly maxImages?: number;
  readonly maxBytes?: number;
  /** Share by which frames must be cheaper than the text they replace, 0 to 1. */
  readonly margin?: number;
  /** Capacities of one frame that stay text at each edge. */
  readonly edge?: number;
  readonly format?: 'png' | 'webp';
  /** Bytes of source that an archive keeps. */
  readonly sourceBytes?: number;
}

/** The whole of a file: settings and overrides side by side. */
export type ConfigData = Settings & BillingOverrides;

export const settingChecks: Readonly<Record<keyof Settings, Check>> = {
  model: text,
  api: text,
  route: text,
  shape: text,
  maxFrames: integer(1, 600),
  threads: integer(0, 64),
  reasoning: choice('on', 'off'),
  window: integer(1),
  maxImages: integer(1),
  maxBytes: integer(1),
  margin: number(0, 1),
  edge: number(0),
  format: choice('png', 'webp'),
  sourceBytes: integer(0),
};

const oneOf = (names: readonly string[], check: Check) =>
  named((key) => (names.includes(key) ? check : { expected: `one of ${names.join(', ')}`, near: names }));

/** Keys that may name a record, or a model that one covers; any other is a new model and needs the `required`. */
const models = (
  records: readonly ModelRecord[],
  checks: Readonly<Record<string, Check>>,
  required: readonly string[],
) =>
  named((key) => {
    const name: ModelName = readModelName(key);
    const isKnown = records.some(({ id }) => id === key) || findModelRecord(records, name) !== undefined;
    return fields(checks, isKnown ? [] : required);
  });

const usd = number(0);
const rates = {
  inputUsdPerMillion: usd,
  outputUsdPerMillion: usd,
  cacheReadUsdPerMillion: nullable(usd),
  cacheWriteUsdPerMillion: usd,
  longCacheWriteUsdPerMillion: usd,
};
const origin = { source: text, date: text, note: text };

const priceFields = {
  ...rates,
  cacheMinimumTokens: nullable(integer(0)),
  cacheMinutes: nullable(number(0)),
  longCacheMinutes: number(0),
  above: list(
    fields({ contextTokens: integer(0), ...rates }, [
      'contextTokens',
      'inputUsdPerMillion',
      'outputUsdPerMillion',
      'cacheReadUsdPerMillion',
      'cacheWriteUsdPerMillion',
    ]),
  ),
  ...origin,
};

const limitFields = {
  images: integer(1),
  imageBytes: nullable(integer(1)),
  requestBytes: nullable(integer(1)),
  sidePx: nullable(integer(1)),
  manyImages: nullable(fields({ above: integer(0), sidePx: integer(1) }, ['above', 'sidePx'])),
  patchesPerImage: nullable(integer(1)),
};

/** The parameters of every formula; which of them a bill needs is checked when it is used. */
function billFields(): Record<string, Check> {
  const families = Object.keys(imageFamilies);
  const parameters = Object.values(imageFamilies).flatMap((family) => family.parameters);
  const checks = Object.fromEntries([...parameters, 'perImageTokens'].map((name) => [name, number(0)]));
  return { family: choice(...families), ...checks, ...origin };
}

/** The check of a whole file. Built on use, since it reads the tables that it names. */
export function configCheck(): Check {
  const columns = Object.fromEntries(contentClasses.map((name) => [name, number(0.01)]));
  const rules = (readPackageJson('shapes/readers.json') as { rules: { id: string }[] }).rules;
  const routes = allRequestLimits().flatMap(({ route, aliases }) => [route, ...aliases]);
  const side = integer(1, 16_384);
  return fields({
    $schema: text,
    ...settingChecks,
    images: oneOf(Object.keys(imageBills()), fields(billFields())),
    charsPerToken: oneOf(vocabularyNames(), fields(columns)),
    prices: models(priceTable().records, priceFields, ['inputUsdPerMillion', 'outputUsdPerMillion']),
    windows: models(
      windowRecords(),
      { contextTokens: integer(1), maxOutputTokens: nullable(integer(1)), ...origin },
      ['contextTokens'],
    ),
    limits: named((key) => fields(limitFields, routes.includes(key.trim().toLowerCase()) ? [] : ['images'])),
    readers: oneOf(
      rules.map(({ id }) => id),
      fields({ shape: text, frame: fields({ widthPx: side, maxHeightPx: side }), vision: flag }),
    ),
  });
}
