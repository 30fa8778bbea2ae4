import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findModelRecord, type ModelRecord } from '../../src/billing/model-records.js';
import { coversVersion, readModelName } from '../../src/model-name.js';

const record = (id: string, more: Partial<ModelRecord>): ModelRecord => ({
  id,
  lines: ['gpt'],
  source: 'a test',
  date: '2026-11-30',
  ...more,
});

describe('readModelName', () => {
  it.each([
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet', 4, undefined, '', 'bedrock'],
    ['gpt-5.6-sol', 'gpt', 5, 6, '-sol', undefined],
    ['google/gemini-3.5-flash-lite', 'gemini', 3, 5, '-flash-lite', undefined],
    ['groq/qwen/qwen3.8-27b', 'qwen', 3, 8, '-27b', 'groq'],
    ['grok-4.20-0309-reasoning', 'grok', 4, 20, '-0309-reasoning', undefined],
  ])('reads line, version, rest and route off %s', (id, line, major, minor, rest, route) => {
    const name = readModelName(id);
    expect({ ...name, version: { ...name.version } }).toMatchObject({ line, version: { major }, rest });
    expect(name.version!.minor).toBe(minor);
    expect(name.route).toBe(route);
  });

  it('finds no line in a name nobody knows, and never throws', () => {
    expect(readModelName('House/Some-Model')).toMatchObject({ cleaned: 'some-model' });
    expect(readModelName('some-model').line).toBeUndefined();
    assert(
      property(string(), (id) => {
        expect(readModelName(id).cleaned.length).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('orders versions by number, 4.20 after 4.7', () => {
    expect(coversVersion({ from: '4.7' }, { major: 4, minor: 20 })).toBe(true);
    expect(coversVersion({ from: '4.7', to: '4' }, { major: 4, minor: 20 })).toBe(true);
    expect(coversVersion({ from: '4.7', to: '4.9' }, { major: 4, minor: 20 })).toBe(false);
    expect(coversVersion({ from: '4.0' }, undefined)).toBe(true);
  });
});

describe('findModelRecord', () => {
  const records = [
    record('range', { from: '5.0', to: '5.2' }),
    record('pro', { from: '5.0', to: '5.2', variant: '-pro' }),
    record('alias', { lines: ['gpt-4o'] }),
  ];
  it.each([
    ['gpt-5.1', 'range'],
    ['gpt-5', 'range'],
    ['gpt-5.2-latest', 'range'],
    ['gpt-5.2-pro', 'pro'],
    ['gpt-4o', 'alias'],
    ['gpt-5.3', undefined],
    ['gpt-5.2-prosaic', undefined],
    ['gpt-5.2-pro-max', undefined],
    ['grok-5', undefined],
    ['nobody', undefined],
  ])('%s finds %s', (model, id) => {
    expect(findModelRecord(records, readModelName(model))?.id).toBe(id);
  });
});
