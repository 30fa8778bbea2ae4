/** `snapcompact shapes` and `snapcompact models`: the registries, and how a model resolves. */
import { type Reader, type ReaderRule, readerRules, resolveReader } from '../page/readers.js';
import { shapes } from '../page/shapes.js';
import { type CommonOptions, type Io, onOneLine, print } from './io.js';
import { readConfig } from './settings.js';

export function shapesCommand(options: CommonOptions, io: Io): void {
  const list = shapes();
  print(io, options, list, () =>
    list
      .map(({ id, cell, fonts, dense, exact }) => {
        const companion = dense === null ? '' : `, dense companion ${dense}`;
        return `${id.padEnd(12)} cell ${cell.advancePx}×${cell.pitchPx} px, fonts ${fonts.join(' → ')}${companion}${exact ? ', exact' : ''}\n`;
      })
      .join(''),
  );
}

export interface ModelsOptions extends CommonOptions {
  readonly api?: string;
  readonly route?: string;
}

/** Explains one resolution; without a model, API family or route, lists the rules. */
export async function modelsCommand(
  model: string | undefined,
  options: ModelsOptions,
  io: Io,
): Promise<void> {
  const { overrides } = await readConfig(io);
  const { api, route } = options;
  if (model === undefined && api === undefined && route === undefined) {
    print(io, options, readerRules(), () => readerRules().map(ruleLine).join(''));
    return;
  }
  const reader = resolveReader(
    {
      ...(model !== undefined && { model }),
      ...(api !== undefined && { api }),
      ...(route !== undefined && { route }),
    },
    overrides,
  );
  print(io, options, reader, () => {
    const rows: [string, string][] = [
      ['shape', reader.shape],
      ['frame', `${reader.frame.widthPx}×${reader.frame.maxHeightPx} pixels at most`],
      ['vision', reader.vision ? 'yes' : 'no: archive refuses, unless --allow no-vision'],
      ['billing', billLine(reader.billing)],
      ['tokenizer', reader.tokenizer],
      ['detail', reader.detail ?? '–'],
      ['route', `${reader.limits.route}, ${reader.limits.images} images at most`],
      ['measured', reader.measured ? 'yes' : 'no'],
      ['evidence', reader.evidence],
    ];
    const why = reader.explanation.map((step) => `  because       ${onOneLine(step)}\n`).join('');
    return `${onOneLine(reader.model)}\n${rows.map(([name, value]) => `  ${name.padEnd(13)} ${value}\n`).join('')}${why}`;
  });
}

function ruleLine({
  id,
  lines = [],
  from,
  to,
  apis = [],
  shape,
  frame,
  vision,
  measured,
}: ReaderRule): string {
  const versions = from === undefined && to === undefined ? '' : ` ${from ?? ''}–${to ?? ''}`;
  const who = [...lines.map((line) => `${line}${versions}`), ...apis.map((api) => `API ${api}`)].join(', ');
  const how = vision ? `${shape} on ${frame.widthPx}×${frame.maxHeightPx}` : 'no vision';
  return `${id.padEnd(20)} ${how.padEnd(24)} ${measured ? '          ' : 'unmeasured'} ${who || 'any other'}\n`;
}

/** Family and parameters; where they come from stands in the data file. */
function billLine({ family, ...parameters }: Reader['billing']): string {
  const figures = Object.entries(parameters).filter(([, value]) => typeof value === 'number');
  return `${family} (${figures.map(([name, value]) => `${name} ${value}`).join(', ')})`;
}
