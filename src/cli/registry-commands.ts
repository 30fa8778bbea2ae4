/** `snapcompact shapes` and `snapcompact models`: the registries, and how a model resolves. */
import { resolveReader } from '../page/readers.js';
import { shapes } from '../page/shapes.js';
import { type CommonOptions, type Io, print } from './io.js';

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

export function modelsCommand(model: string | undefined, options: ModelsOptions, io: Io): void {
  const { api, route } = options;
  const reader = resolveReader({
    ...(model !== undefined && { model }),
    ...(api !== undefined && { api }),
    ...(route !== undefined && { route }),
  });
  print(io, options, reader, () => {
    const rows: [string, string][] = [
      ['shape', reader.shape],
      ['frame', `${reader.frame.widthPx}×${reader.frame.maxHeightPx} pixels at most`],
      ['vision', reader.vision ? 'yes' : 'no: archive refuses, unless --allow no-vision'],
      ['billing', Object.values(reader.billing).join(' ')],
      ['tokenizer', reader.tokenizer],
      ['detail', reader.detail ?? '–'],
      ['route', `${reader.limits.route}, ${reader.limits.images} images at most`],
      ['measured', reader.measured ? 'yes' : 'no'],
      ['evidence', reader.evidence],
    ];
    const why = reader.explanation.map((step) => `  because       ${step}\n`).join('');
    return `${reader.model}\n${rows.map(([name, value]) => `  ${name.padEnd(13)} ${value}\n`).join('')}${why}`;
  });
}
