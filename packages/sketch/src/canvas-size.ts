export const RESOLUTIONS = { '1K': 1024, '2K': 2048, '4K': 4096 } as const;
type Resolution = keyof typeof RESOLUTIONS;

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

const OUTPUT_PRESETS = {
  square: '1:1',
  portrait: '4:5',
  story: '9:16',
  landscape: '16:9',
} as const satisfies Record<string, AspectRatio>;

/** The fields of a body that decide its picture's size. */
export interface CanvasOrder {
  readonly aspect_ratio?: AspectRatio;
  readonly output_preset?: keyof typeof OUTPUT_PRESETS;
  readonly resolution?: Resolution;
}

export interface CanvasSize {
  readonly width: number;
  readonly height: number;
  readonly aspectRatio: AspectRatio;
  readonly resolution: Resolution;
}

/** The picture's size in pixels. `resolution` names the long side; `aspect_ratio` wins over `output_preset`. */
export function canvasSize(order: CanvasOrder, fallback: AspectRatio): CanvasSize {
  const { aspect_ratio: ratio, output_preset: preset, resolution = '1K' } = order;
  const aspectRatio = ratio ?? (preset ? OUTPUT_PRESETS[preset] : fallback);
  return { ...pixels(RESOLUTIONS[resolution], ASPECT_RATIOS[aspectRatio]), aspectRatio, resolution };
}

/** The aspect ratio of the list nearest to a picture's own. */
export function nearestRatio({ width, height }: Pick<CanvasSize, 'width' | 'height'>): AspectRatio {
  const off = (name: AspectRatio): number => Math.abs(Math.log((ASPECT_RATIOS[name] * height) / width));
  return (Object.keys(ASPECT_RATIOS) as AspectRatio[]).reduce((best, name) =>
    off(name) < off(best) ? name : best,
  );
}

const pixels = (long: number, ratio: number): { width: number; height: number } => ({
  width: ratio >= 1 ? long : Math.round(long * ratio),
  height: ratio >= 1 ? Math.round(long / ratio) : long,
});

/**
 * Longest side that is drawn stroke by stroke. A picture should take a second; at twice the side it would take
 * four.
 */
const DRAWN_SIDE = 2048;

/** The size that a picture is drawn at; a 4K picture is enlarged from it. */
export const drawnSize = (size: CanvasSize): CanvasSize => ({
  ...size,
  ...pixels(Math.min(DRAWN_SIDE, RESOLUTIONS[size.resolution]), ASPECT_RATIOS[size.aspectRatio]),
});

/** Intermediate pictures show progress: 1K is enough for them. */
export const previewSize = (size: CanvasSize): CanvasSize => ({
  ...size,
  ...pixels(RESOLUTIONS['1K'], ASPECT_RATIOS[size.aspectRatio]),
});
