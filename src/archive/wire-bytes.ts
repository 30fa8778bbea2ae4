/** Bytes of a block in the body of a request: one figure for planner, builder and sender. */
import { base64Bytes } from '../billing/base64-bytes.js';

/** What any wire form puts around a block: its fields, the head of a data URL, a mark for the cache. */
export const BLOCK_BYTES = 170;

/** Of a text, escaped as JSON has it. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

export function textBlockBytes(text: string): number {
  return jsonBytes(text) + BLOCK_BYTES;
}

export function imageBlockBytes(fileBytes: number): number {
  return base64Bytes(fileBytes) + BLOCK_BYTES;
}
