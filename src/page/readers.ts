/**
 * Who will read the frames: from a model id, an API family and a route to shape, frame, bill and limits.
 *
 * Everything known of a model is data in `shapes/readers.json`; this file and `model-name.ts` only interpret it:
 *
 * 1. `model-name.ts` cleans the id and finds the model line, the version and, in some ids, the route.
 * 2. The first of `rules` wins that names the line and whose `from`–`to` holds the version. A line without a
 *    version, and a version newer than any rule's `from`, get the line's newest rule.
 * 3. Without a line: the first rule whose `apis` match the API family, then the route. Last: the rule `unknown`.
 *
 * The bill is looked up in `src/billing/image-billing.json` and passed on as plain data.
 */
import { SnapcompactError } from '../errors.js';
import { coversVersion, type ModelName, maxModelIdChars, readModelName } from '../model-name.js';
import { readPackageJson } from '../package-files.js';
import { type FrameSize, shapeGeometry } from './geometry.js';
import { getShape } from './shapes.js';

/** Parameters of one image bill; which fields there are depends on `family`. Interpreted in `billing/`. */
export type ImageBilling = Readonly<Record<string, string | number>> & { readonly family: string };

/** The limits a request to this reader stays within: the safe figures of the route; `null` where none is known. */
export interface ReaderLimits {
  /** Key for the full record of the route, with documented and measured figures. */
  readonly route: string;
  readonly images: number;
  /** Bytes of one image as base64. */
  readonly imageBytes: number | null;
  /** Bytes of the whole request body, images as base64. */
  readonly requestBytes: number | null;
  /** Longest side of an image that is safe however many images the history comes to hold. */
  readonly sidePx: number | null;
}

export interface Reader {
  /** The model as it was asked for; `unknown` where none was named. */
  readonly model: string;
  /** Id of the rule that decided. */
  readonly rule: string;
  /** Id of the shape. */
  readonly shape: string;
  readonly frame: FrameSize;
  /** `false` only where a source says that the model takes no images. */
  readonly vision: boolean;
  readonly billing: ImageBilling;
  /** Key of the table of characters per token. */
  readonly tokenizer: string;
  /** Value of the image's `detail` field; absent where the route takes none or it makes no difference. */
  readonly detail?: string;
  readonly limits: ReaderLimits;
  /** Whether somebody published how models of this line read such frames, or are billed for them; else a guess. */
  readonly measured: boolean;
  /** What is known, with source and date. */
  readonly evidence: string;
  /** How the reader was found, one step a line. */
  readonly explanation: readonly string[];
}

export interface ReaderTarget {
  /** Any spelling: `anthropic/claude-opus-5`, `us.anthropic.claude-sonnet-4-20250514-v1:0`, `gpt-5.5:free`. */
  readonly model?: string;
  /** API family as agents name it: `anthropic-messages`, `openai-responses`, `google-generative-ai`, … */
  readonly api?: string;
  /** Who carries the request: `bedrock`, `copilot`, `openrouter`, …; default: what the id tells, then the vendor. */
  readonly route?: string;
  /** Shape to use instead of the rule's. */
  readonly shape?: string;
  /** Sides to use instead of the rule's, integers from 1 to 16384. */
  readonly frame?: Partial<FrameSize>;
}

/** What a user says against the tables; as `loadConfig` reads it from a configuration file. */
export interface ReaderOverrides {
  /** By id of the rule that decides. */
  readonly readers?: Readonly<
    Record<
      string,
      { readonly shape?: string; readonly frame?: Partial<FrameSize>; readonly vision?: boolean }
    >
  >;
  /** Fields of bills, by name of the bill. */
  readonly images?: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  /** By route or alias; a name that is none makes a new route out of `unknown`. */
  readonly limits?: Readonly<
    Record<
      string,
      {
        readonly images?: number;
        readonly imageBytes?: number | null;
        readonly requestBytes?: number | null;
        readonly sidePx?: number | null;
      }
    >
  >;
}

/** One rule of `shapes/readers.json`. */
export interface ReaderRule {
  readonly id: string;
  /** Model lines it speaks of. */
  readonly lines?: readonly string[];
  /** Versions it speaks of, both included; without `to`, every later one. */
  readonly from?: string;
  readonly to?: string;
  readonly apis?: readonly string[];
  readonly vision: boolean;
  readonly shape: string;
  readonly frame: FrameSize;
  /** Either one bill, or one per value of `detail`, the preferred first and the one for no detail last. */
  readonly billing?: string;
  readonly details?: readonly { readonly detail: string; readonly billing: string }[];
  readonly tokenizer: string;
  readonly limits: string;
  /** Routes that mean another one for these models. */
  readonly routes?: Readonly<Record<string, string>>;
  readonly measured: boolean;
  readonly evidence: string;
  readonly source: string;
  readonly date: string;
}

interface Route {
  readonly route: string;
  readonly aliases: readonly string[];
  readonly images: { readonly safe: number };
  readonly imageBytes: { readonly safe: number | null };
  readonly requestBytes: { readonly safe: number | null };
  readonly sidePx: { readonly safe: number | null };
  /** Values of the image's `detail` field that the route takes; `null`: not known, send none. */
  readonly details: readonly string[] | null;
}

interface Tables {
  readonly rules: readonly ReaderRule[];
  readonly bills: Readonly<Record<string, ImageBilling>>;
  readonly routes: readonly Route[];
}

/**
 * The reader for a target. Never throws for a model, API or route it does not know: they fall to the API family,
 * then to an unmeasured default. Throws `usage` for a frame that is no frame or too small for one cell, and
 * `unknown-shape` for a shape that does not exist. What `target` asks for wins over `overrides`, they over the tables.
 */
export function resolveReader(target: ReaderTarget, overrides: ReaderOverrides = {}): Reader {
  const tables = loadTables();
  const name = readModelName(target.model ?? '');
  const { rule, step } = findRule(name, target, tables);
  const route = findRoute(rule, name, target, tables, overrides);
  const { detail, billing } = findBill(rule, route);
  const stated = own(overrides.readers, rule.id) ?? {};
  const shape = getShape(target.shape ?? stated.shape ?? rule.shape);
  const frame = { ...rule.frame, ...defined(stated.frame), ...defined(target.frame) };
  shapeGeometry(shape, frame);
  const sameShape = shape.id === rule.shape;
  const vision = stated.vision ?? rule.vision;
  const limits = readerLimits(route, overrides);
  return {
    model: target.model?.trim() || 'unknown',
    rule: rule.id,
    shape: shape.id,
    frame,
    vision,
    billing: { ...tables.bills[billing]!, ...own(overrides.images, billing) },
    tokenizer: rule.tokenizer,
    ...(detail !== undefined && { detail }),
    limits,
    measured: rule.measured && sameShape,
    evidence: `${rule.evidence} [${rule.source}; ${rule.date}]`,
    explanation: [
      ...name.steps,
      step,
      ...(vision ? [] : ['takes no images by the sources of this rule']),
      `shape ${shape.id}, ${sameShape ? "the rule's" : `asked for instead of ${rule.shape}`}`,
      `frame ${size(frame)}, ${size(frame) === size(rule.frame) ? "the rule's" : `asked for instead of ${size(rule.frame)}`}`,
      `bill ${billing}${detail === undefined ? '' : `, image detail ${detail}`}`,
      `limits of route ${limits.route}: ${limits.images} images are safe`,
    ],
  };
}

/** Whether a route or an API family is one that a rule or a limit speaks of; another is taken for an unknown endpoint. */
export function isKnownCarrier(name: string, { limits = {} }: ReaderOverrides = {}): boolean {
  const key = name.trim().toLowerCase();
  const { routes, rules } = loadTables();
  return (
    carrierNames().includes(key) ||
    Object.keys(limits).some((stated) => stated.trim().toLowerCase() === key) ||
    routes.some(({ aliases }) => aliases.includes(key)) ||
    rules.some(({ apis = [] }) => apis.some((api) => whole(api).test(key)))
  );
}

/** Routes by their names in the table of limits. */
export function carrierNames(): readonly string[] {
  return loadTables().routes.map(({ route }) => route);
}

/** Every rule, in the order in which they are tried. */
export function readerRules(): readonly ReaderRule[] {
  return loadTables().rules;
}

const size = (frame: FrameSize) => `${frame.widthPx}×${frame.maxHeightPx}`;

function findRule(
  name: ModelName,
  target: ReaderTarget,
  { rules }: Tables,
): { rule: ReaderRule; step: string } {
  const { line, version, cleaned } = name;
  if (line !== undefined) {
    const rule = rules.find(
      (candidate) => candidate.lines?.includes(line) && coversVersion(candidate, version),
    );
    const which =
      version === undefined ? 'no version, so its newest' : `version ${version.major}.${version.minor ?? 0}`;
    if (rule !== undefined) return { rule, step: `line ${line}, ${which}: rule ${rule.id}` };
  }
  const unknown = cleaned === '' ? 'no model named' : `no line known for "${cleaned}"`;
  for (const [kind, value] of [
    ['API family', target.api] as const,
    ['route', target.route ?? name.route] as const,
  ]) {
    if (value === undefined) continue;
    const rule = rules.find(({ apis }) =>
      apis?.some((api) => whole(api).test(value.trim().slice(0, maxModelIdChars))),
    );
    if (rule !== undefined) return { rule, step: `${unknown}; ${kind} "${value}": rule ${rule.id}` };
  }
  return { rule: rules.at(-1)!, step: `${unknown}, nor by API family or route: the unmeasured default` };
}

/** The limits: of the route that was named, else of the one the id or the API tells, else of the rule. */
function findRoute(
  rule: ReaderRule,
  name: ModelName,
  target: ReaderTarget,
  { routes }: Tables,
  { limits }: ReaderOverrides,
): Route {
  const byName = (wanted: string | undefined) => {
    const key = wanted?.trim().toLowerCase();
    return routes.find(({ route, aliases }) => key !== undefined && (route === key || aliases.includes(key)));
  };
  const wanted = target.route?.trim().toLowerCase();
  const isStated = Object.keys(limits ?? {}).some((key) => key.trim().toLowerCase() === wanted);
  const unknown = byName('unknown')!;
  const named =
    wanted === undefined
      ? undefined
      : (byName(wanted) ?? (isStated ? { ...unknown, route: wanted, aliases: [] } : unknown));
  const found = named ?? byName(name.route) ?? byName(target.api) ?? byName(rule.limits)!;
  return byName(rule.routes?.[found.route]) ?? found;
}

/** The safe figures of a route, with what the user states of it. */
function readerLimits({ route, aliases, ...table }: Route, { limits }: ReaderOverrides): ReaderLimits {
  const [, stated = {}] =
    Object.entries(limits ?? {}).find(([key]) => [route, ...aliases].includes(key.trim().toLowerCase())) ??
    [];
  const { images, imageBytes, requestBytes, sidePx } = stated;
  return {
    route,
    images: images ?? table.images.safe,
    imageBytes: imageBytes === undefined ? table.imageBytes.safe : imageBytes,
    requestBytes: requestBytes === undefined ? table.requestBytes.safe : requestBytes,
    sidePx: sidePx === undefined ? table.sidePx.safe : sidePx,
  };
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Without the fields that are `undefined`, so that a spread of it leaves the others alone. */
function defined(frame: Partial<FrameSize> | undefined): Partial<FrameSize> {
  const { widthPx, maxHeightPx } = frame ?? {};
  return { ...(widthPx !== undefined && { widthPx }), ...(maxHeightPx !== undefined && { maxHeightPx }) };
}

function findBill({ billing, details }: ReaderRule, route: Route): { detail?: string; billing: string } {
  if (billing !== undefined) return { billing };
  const taken = details!.find(({ detail }) => route.details?.includes(detail));
  return taken ?? { billing: details!.at(-1)!.billing };
}

let loaded: Tables | undefined;

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'i');

/** The data files, compiled once per process. The tests hold that every name in them leads somewhere. */
function loadTables(): Tables {
  if (loaded !== undefined) return loaded;
  const file = 'shapes/readers.json';
  const data = readPackageJson(file);
  loaded = {
    rules: member<ReaderRule[]>(data, 'rules', file),
    bills: member(
      readPackageJson('src/billing/image-billing.json'),
      'records',
      'src/billing/image-billing.json',
    ),
    routes: member(
      readPackageJson('src/billing/request-limits.json'),
      'routes',
      'src/billing/request-limits.json',
    ),
  };
  return loaded;
}

function member<T>(data: unknown, key: string, where: string): T {
  const value =
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[key] : undefined;
  if (typeof value === 'object' && value !== null) return value as T;
  throw new SnapcompactError('bad-data-file', { expected: 'a table', of: key, got: String(value), where });
}
