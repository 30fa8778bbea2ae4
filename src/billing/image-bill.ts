/** The image bill under a name of `image-billing.json`, a caller's overrides worked in. */
import { SnapcompactError } from '../errors.js';
import { readPackageJson } from '../package-files.js';
import type { ImageBillingRecord } from './image-tokens.js';
import type { BillingOverrides } from './overrides.js';

let loaded: Readonly<Record<string, ImageBillingRecord>> | undefined;

/** Every bill by its name. */
export function imageBills(): Readonly<Record<string, ImageBillingRecord>> {
  loaded ??= (
    readPackageJson('src/billing/image-billing.json') as { records: Record<string, ImageBillingRecord> }
  ).records;
  return loaded;
}

/** One bill, to hand to `estimateImageTokens`. Throws `usage` for a name that is not there. */
export function imageBill(id: string, overrides?: BillingOverrides): ImageBillingRecord {
  const bills = imageBills();
  if (!Object.hasOwn(bills, id)) {
    throw new SnapcompactError('usage', {
      expected: `one of ${Object.keys(bills).join(', ')}`,
      of: 'the image bill',
      got: JSON.stringify(id),
    });
  }
  const images = overrides?.images ?? {};
  return Object.hasOwn(images, id) ? { ...bills[id]!, ...images[id] } : bills[id]!;
}
