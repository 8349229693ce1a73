export const RESOLUTIONS = { '1K': 1024, '2K': 2048, '4K': 4096 } as const;
export type Resolution = keyof typeof RESOLUTIONS;

export const ASPECT_RATIOS = {
  '1:1': 1,
  '2:3': 2 / 3,
  '3:2': 3 / 2,
  '3:4': 3 / 4,
  '4:3': 4 / 3,
  '4:5': 4 / 5,
  '5:4': 5 / 4,
  '9:16': 9 / 16,
  '16:9': 16 / 9,
} as const;
export type AspectRatio = keyof typeof ASPECT_RATIOS;

export const OUTPUT_PRESETS = {
  square: '1:1',
  portrait: '4:5',
  story: '9:16',
  landscape: '16:9',
} as const satisfies Record<string, AspectRatio>;

const has = <K extends string>(table: Readonly<Record<K, unknown>>, key: unknown): key is K =>
  typeof key === 'string' && Object.hasOwn(table, key);

export interface CanvasSize {
  readonly width: number;
  readonly height: number;
  readonly aspectRatio: AspectRatio;
  readonly resolution: Resolution;
}

/**
 * The picture's size in pixels. `resolution` names the long side (default 1K); `aspect_ratio` wins over
 * `output_preset`; a value that is not known falls back to the default, because the API has refused it before.
 */
export function canvasSize(parameters: Readonly<Record<string, unknown>>, fallback: AspectRatio): CanvasSize {
  const preset = parameters['output_preset'];
  const asked = parameters['aspect_ratio'];
  const aspectRatio = has(ASPECT_RATIOS, asked)
    ? asked
    : has(OUTPUT_PRESETS, preset)
      ? OUTPUT_PRESETS[preset]
      : fallback;
  const wanted = parameters['resolution'];
  const resolution = has(RESOLUTIONS, wanted) ? wanted : '1K';
  const long = RESOLUTIONS[resolution];
  const ratio = ASPECT_RATIOS[aspectRatio];
  return {
    width: ratio >= 1 ? long : Math.round(long * ratio),
    height: ratio >= 1 ? Math.round(long / ratio) : long,
    aspectRatio,
    resolution,
  };
}
