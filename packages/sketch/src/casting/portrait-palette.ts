import sharp from 'sharp';
import type { EngineImage } from '@atelier/engine';
import { toHex, toLab, type Rgb } from '../drawing/colour.js';
import { decode } from '../cutout/decode.js';
import type { FigureSpec } from './figure-spec.js';

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

const middle = (colours: readonly Rgb[]): Rgb => [
  median(colours.map((c) => c[0])),
  median(colours.map((c) => c[1])),
  median(colours.map((c) => c[2])),
];

/** Hues between red and yellow, moderate chroma: what skin of any tone is made of. */
function looksLikeSkin(rgb: Rgb): boolean {
  const [l, a, b] = toLab(rgb);
  const chroma = Math.hypot(a, b);
  const hue = (Math.atan2(b, a) * 180) / Math.PI;
  return l > 18 && l < 93 && chroma > 9 && chroma < 48 && hue > 22 && hue < 82;
}

/**
 * Gives a figure the skin and hair colour of a picture of a person: skin is the commonest skin-like colour in the upper
 * middle, hair the commonest dark or saturated colour above it. What cannot be told stays as it was cast.
 * @throws EngineError `bad_input` when the picture cannot be read
 */
export async function takeAfter(spec: FigureSpec, image: EngineImage): Promise<FigureSpec> {
  const { data, width, height } = await decode(image.bytes, 220, image.name);
  const { data: soft } = await sharp(data, { raw: { width, height, channels: 4 } })
    .blur(1.2)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const skin: Rgb[] = [];
  let crown = height;
  for (let y = 0; y < height * 0.72; y++) {
    for (let x = Math.floor(width * 0.3); x < width * 0.7; x++) {
      const i = (y * width + x) * 4;
      const rgb: Rgb = [soft[i] ?? 0, soft[i + 1] ?? 0, soft[i + 2] ?? 0];
      if ((soft[i + 3] ?? 0) < 200 || !looksLikeSkin(rgb)) continue;
      skin.push(rgb);
    }
  }
  const corner: Rgb = [soft[0] ?? 0, soft[1] ?? 0, soft[2] ?? 0];
  const paper = toLab(corner);
  const hair: Rgb[] = [];
  for (let y = 0; y < height * 0.5; y++) {
    const i = (y * width + (width >> 1)) * 4;
    const rgb: Rgb = [soft[i] ?? 0, soft[i + 1] ?? 0, soft[i + 2] ?? 0];
    const lab = toLab(rgb);
    const off = Math.hypot(lab[0] - paper[0], lab[1] - paper[1], lab[2] - paper[2]);
    if (off > 26 && crown === height) crown = y;
    if (crown < height && y < crown + height * 0.05) hair.push(rgb);
  }
  return {
    ...spec,
    ...(skin.length > width * height * 0.03 ? { skin: toHex(middle(skin)) } : {}),
    ...(hair.length > 4 ? { hair: { ...spec.hair, colour: toHex(middle(hair)) } } : {}),
  };
}
