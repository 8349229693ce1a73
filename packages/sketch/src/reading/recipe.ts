import type { PictureMeta } from '@atelier/engine';
import { floor, hypot, median } from './arithmetic.js';
import { toHex, fromLab } from '../drawing/colour.js';
import type { Raster } from '../drawing/rasterise.js';
import { erode, type Mask } from '../cutout/mask.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import { colourTemperature } from './colour-temperature.js';
import { readFraming, type FramingReading } from './framing.js';
import { readLight, type LightReading } from './light-reading.js';
import type { Reading } from './regions.js';

/** How a photograph was taken, as far as its pixels show it. */
export interface Recipe {
  readonly light: LightReading & { readonly kelvin: number };
  readonly framing: FramingReading;
  /** The worn or laid-out things, by slot, with their main colours. */
  readonly styling: readonly { readonly slot: string; readonly colours: readonly string[] }[];
  /** Main colours of the ground. */
  readonly ground: readonly string[];
  readonly setting: 'plain_studio' | 'location';
}

/** The main colours of the background at its four sides. Similar colours are merged. */
function groundColours({ photograph, subject }: Reading): string[] {
  const { l, a, b, width, height } = photograph.asTaken;
  const { data } = subject.mask;
  const quarters = [0, 1, 2, 3].map((k) => {
    const chosen: number[] = [];
    for (let i = 0; i < data.length; i += 5) {
      const x = i % width < width / 2 ? 0 : 1;
      const y = floor(i / width) < height * 0.66 ? 0 : 2;
      if (!data[i] && x + y === k) chosen.push(i);
    }
    const of = (plane: Float32Array): number => median(chosen.map((i) => plane[i] ?? 0));
    return chosen.length > 20 ? ([of(l), of(a), of(b)] as const) : undefined;
  });
  const kept: (readonly [number, number, number])[] = [];
  for (const colour of quarters) {
    if (!colour) continue;
    const near = kept.some((one) => hypot(one[0] - colour[0], one[1] - colour[1], one[2] - colour[2]) < 9);
    if (!near) kept.push(colour);
  }
  return kept.map((colour) => toHex(fromLab(colour)));
}

/** A picture in which only the masked part, without its rim, is opaque. */
function masked({ data, width, height }: Raster, mask: Mask): Raster {
  const inner = erode(mask, 1).data;
  const out = new Uint8Array(data);
  for (let i = 0; i < inner.length; i++) out[i * 4 + 3] = inner[i] ? 255 : 0;
  return { data: out, width, height };
}

/** Measures everything that a recipe consists of. */
export function readRecipe(reading: Reading): Recipe {
  const { photograph, subject, garments } = reading;
  const styling = garments.map((region) => ({
    slot: region.slot,
    colours: dominantColours(masked(photograph.small, region.mask), 2).map((colour) => colour.hex),
  }));
  return {
    light: { ...readLight(reading), kelvin: colourTemperature(photograph.small, subject.mask) },
    framing: readFraming(reading),
    styling,
    ground: groundColours(reading),
    setting: subject.plainGround ? 'plain_studio' : 'location',
  };
}

/** The recipe as meta, in the words that catalogue shots understand. */
export function recipeFacts(recipe: Recipe): PictureMeta {
  const { light, framing } = recipe;
  return {
    light: {
      direction: light.direction,
      contrast: light.contrast,
      contrast_word: light.contrastWord,
      colour_temperature: light.kelvin,
      slope: light.slope,
    },
    crop: framing.crop,
    placement: { offset: framing.offset, room_above: framing.headroom },
    camera: {
      height: framing.cameraHeight,
      angle: framing.angle,
      ...(framing.headsShown ? { heads_shown: framing.headsShown } : {}),
    },
    ...(framing.pose && { pose: framing.pose }),
    styling: recipe.styling,
    setting: recipe.setting,
    ground: recipe.ground,
  };
}
