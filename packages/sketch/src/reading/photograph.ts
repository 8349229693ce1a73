import { imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';
import { decode } from '@atelier/engine/decode';
import { clamp } from '../drawing/geometry.js';
import { labPlanes, type LabPlanes } from '../cutout/lab-planes.js';
import { illuminantOf } from './colour-temperature.js';

/** The long side at which pictures are cut out, and the long side at which shapes and colours are read. */
const FULL_SIDE = 1400;
const READ_SIDE = 320;

/** One photograph at the two sizes that it is worked on. */
export interface Photograph {
  readonly full: Raster;
  /** Small and a little soft, so that grain and JPEG noise do not look like edges. */
  readonly small: Raster;
  /** The colours, corrected to neutral light and the usual contrast, so that skin looks like skin. */
  readonly planes: LabPlanes;
  /** The colours as they are, to measure the light by. */
  readonly asTaken: LabPlanes;
}

/** Scales a picture down to a long side. `blur` softens it: a Gaussian's sigma, in the new pixels. */
export function shrunk(raster: Raster, longSide: number, blur?: number): Promise<Raster> {
  const fit = { fit: 'inside', withoutEnlargement: blur === undefined } as const;
  const small = imageOf(raster).resize(longSide, longSide, fit);
  return rasterOf(blur === undefined ? small : small.blur(blur));
}

const percentile = (counts: Float64Array, share: number): number => {
  const total = counts.reduce((sum, v) => sum + v, 0);
  let seen = 0;
  for (let v = 0; v < counts.length; v++) {
    seen += counts[v] ?? 0;
    if (seen >= total * share) return v;
  }
  return counts.length - 1;
};

/** A weaker tint may just as well be the wall's paint, so it stays. */
const SLIGHT_CAST = 0.06;

/** Removes the tint of the light, and stretches a foggy picture to the usual range of tones. */
function balanced(raster: Raster): Raster {
  const light = illuminantOf(raster);
  const cast = Math.max(Math.abs(light[0] - 1), Math.abs(light[2] - 1));
  const strength = clamp((cast - SLIGHT_CAST) / 0.12, 0, 0.9);
  // The encoding is close enough to a power of 2.2 that encoded values can be corrected directly.
  const gains = light.map((v) => clamp((1 + (1 / v - 1) * strength) ** (1 / 2.2), 0.7, 1.6));
  const counts = new Float64Array(256);
  const { data } = raster;
  for (let i = 0; i < data.length; i += 20) {
    const tone = 0.3 * (data[i] ?? 0) + 0.6 * (data[i + 1] ?? 0) + 0.1 * (data[i + 2] ?? 0);
    counts[Math.round(tone)] = (counts[Math.round(tone)] ?? 0) + 1;
  }
  const [low, high] = [percentile(counts, 0.0015), percentile(counts, 0.998)];
  const foggy = low > 60 && high - low > 30 && high - low < 135;
  const [from, scale] = foggy ? [low - 25, Math.min(2.6, 225 / (high - low + 25))] : [0, 1];
  const tables = gains.map((gain) =>
    Uint8Array.from({ length: 256 }, (_, value) => clamp((value * gain - from) * scale, 0, 255)),
  );
  const out = new Uint8Array(data);
  for (const [channel, table] of tables.entries())
    for (let i = channel; i < data.length; i += 4) out[i] = table[data[i] ?? 0] ?? 0;
  return { ...raster, data: out };
}

/**
 * Decodes a photograph. Transparent pixels stay transparent, so a picture may bring its own cut-out.
 * @throws EngineError `bad_input` when the bytes are no picture
 */
export const openPhotograph = async (bytes: Buffer, name: string): Promise<Photograph> =>
  photographOf(await decode(bytes, FULL_SIDE, name));

/** A picture as it is judged. */
export async function photographOf(full: Raster): Promise<Photograph> {
  const small = await shrunk(full, READ_SIDE, 0.7);
  const planes = labPlanes(balanced(small));
  return { full, small, planes, asTaken: labPlanes(small) };
}
