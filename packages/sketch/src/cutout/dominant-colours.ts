import { toHex, toLab, type Lab } from '../drawing/colour.js';
import type { Raster } from '../drawing/rasterise.js';

export interface DominantColour {
  readonly hex: string;
  /** Share of the garment, 0–1. */
  readonly share: number;
}

interface Bin {
  count: number;
  r: number;
  g: number;
  b: number;
}

/**
 * The garment's main colours, most frequent first. They come from a coarse histogram in which colours that are
 * close in Lab are merged.
 */
export function dominantColours({ data }: Raster, most = 4): DominantColour[] {
  const bins = new Map<number, Bin>();
  let total = 0;
  for (let i = 0; i < data.length; i += 4 * 5) {
    if ((data[i + 3] ?? 0) < 200) continue;
    const [r, g, b] = [data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0];
    const key = ((r >> 5) << 6) | ((g >> 5) << 3) | (b >> 5);
    const bin = bins.get(key) ?? { count: 0, r: 0, g: 0, b: 0 };
    bins.set(key, { count: bin.count + 1, r: bin.r + r, g: bin.g + g, b: bin.b + b });
    total++;
  }
  const merged: { lab: Lab; hex: string; count: number }[] = [];
  for (const bin of [...bins.values()].sort((a, b) => b.count - a.count)) {
    const mean = [bin.r / bin.count, bin.g / bin.count, bin.b / bin.count] as const;
    const lab = toLab(mean);
    const near = merged.find((m) => Math.hypot(m.lab[0] - lab[0], m.lab[1] - lab[1], m.lab[2] - lab[2]) < 20);
    if (near) near.count += bin.count;
    else merged.push({ lab, hex: toHex(mean), count: bin.count });
  }
  return merged
    .sort((a, b) => b.count - a.count)
    .slice(0, most)
    .map(({ hex, count }) => ({ hex, share: Math.round((100 * count) / Math.max(1, total)) / 100 }));
}
