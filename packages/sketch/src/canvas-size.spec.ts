import { describe, expect, it } from 'vitest';
import { ASPECT_RATIOS, canvasSize, RESOLUTIONS } from './canvas-size.js';

const keys = <K extends string>(table: Readonly<Record<K, unknown>>): K[] =>
  // The cast is safe although Object.keys returns strings: the tables have no other keys.
  Object.keys(table) as K[];

describe('canvasSize', () => {
  const pairs = keys(RESOLUTIONS).flatMap((r) => keys(ASPECT_RATIOS).map((a) => [r, a] as const));

  it.each(pairs)('gives %s at %s its long side and its ratio', (resolution, aspect) => {
    const { width, height } = canvasSize({ resolution, aspect_ratio: aspect }, '1:1');
    expect(Math.max(width, height)).toBe(RESOLUTIONS[resolution]);
    expect(Math.abs(width / height - ASPECT_RATIOS[aspect])).toBeLessThan(0.002);
  });

  it('lets aspect_ratio win over output_preset', () => {
    expect(canvasSize({ output_preset: 'story', aspect_ratio: '3:2' }, '1:1').aspectRatio).toBe('3:2');
  });

  it.each([
    ['square', 1024, 1024],
    ['portrait', 819, 1024],
    ['story', 576, 1024],
    ['landscape', 1024, 576],
  ] as const)('knows the preset %s', (preset, width, height) => {
    expect(canvasSize({ output_preset: preset }, '2:3')).toMatchObject({ width, height });
  });

  it('falls back where nothing is asked', () => {
    expect(canvasSize({}, '2:3')).toMatchObject({ width: 683, height: 1024 });
  });
});
