/**
 * Narrowing of foreign JSON. Records come from other programs and may hold anything anywhere, so nothing is read
 * without one of these checks.
 */
import { jsonText } from '../history/json-text.js';

/** A JSON object whose keys nobody has promised. */
export interface Fields {
  readonly [key: string]: unknown;
}

/** The object, or undefined for anything that is not a plain JSON object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The string, or undefined for anything else and for the empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The string, or an empty one: `String` throws on what a transcript may hold. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The string, or the JSON text of anything else. */
export function printedOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/**
 * JSON text as its value. Models write arguments so, and not always valid: then the text itself is what they said.
 * What is no string is a value already.
 */
export function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The array, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Milliseconds since 1970 of an ISO string (UTC if it names no zone), epoch milliseconds or epoch seconds; undefined for anything else.
 * Seconds and milliseconds are told apart by size: 1e11 ms lies in 1973, 1e11 s in the year 5138.
 */
export function timeMsOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value <= 0) return undefined;
    return Math.round(value < 1e11 ? value * 1000 : value);
  }
  if (typeof value !== 'string' || value.length > 64) return undefined;
  // Without a zone it would be read in the zone of this machine.
  const ms = Date.parse(/T[\d:.]+$/.test(value) ? `${value}Z` : value);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * The same object without the keys that are undefined: optional fields of the model are absent, never undefined.
 * [hot: once per block and message]
 */
export function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  const out: Partial<T> = {};
  for (const key in value) if (value[key] !== undefined) out[key] = value[key] as T[typeof key];
  return out as T;
}
