import { categoryById, categoryByKey } from '../../../../libs/domain/src/garment/garment-categories.js';
import sharp from 'sharp';
import type { EngineImage, EnginePicture, EngineStage, RenderRequest } from '@atelier/engine';
import { SketchEngine } from '../sketch-engine.js';

const engine = new SketchEngine();

export const categoryId = (key: string): string => {
  const found = categoryByKey(key);
  if (!found) throw new RangeError(`no category ${key}`);
  return found.publicId;
};

export interface Made {
  readonly picture: EnginePicture;
  readonly stages: readonly EngineStage[];
}

export async function make(
  workflow: string,
  body: Record<string, unknown>,
  inputs: readonly EngineImage[] = [],
  more: Partial<RenderRequest> = {},
): Promise<Made> {
  const stages: EngineStage[] = [];
  const request = { workflow, body, inputs, seed: 7, displayName: '', testMark: false, ...more };
  const { pictures } = await engine.render(request, {
    signal: new AbortController().signal,
    garmentKind: categoryById,
    onStage: async (stage) => void stages.push(stage),
  });
  const [picture] = pictures;
  if (!picture) throw new Error('no picture');
  return { picture, stages };
}

/** A product picture of a plain garment. */
export const garment = (key: string, colour: string, material = 'cotton'): Promise<Made> =>
  make('complementary-garment-generator', {
    garment_category_public_id: categoryId(key),
    authoring: { primary_colour: colour, material },
  });

export const asInput = (name: string, { bytes, meta }: EnginePicture, known = true): EngineImage => ({
  name,
  bytes,
  ...(known ? { meta } : {}),
});

/** Share of a rectangle (in shares of the picture) whose pixels are near a colour, 0–1. */
export async function shareOf(
  bytes: Buffer,
  [left, top, right, bottom]: readonly [number, number, number, number],
  hex: string,
  within = 60,
): Promise<number> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const wanted = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
  let [near, count] = [0, 0];
  for (let y = Math.round(top * info.height); y < bottom * info.height; y++) {
    for (let x = Math.round(left * info.width); x < right * info.width; x++) {
      const at = (y * info.width + x) * 3;
      const off = Math.hypot(...[0, 1, 2].map((c) => (data[at + c] ?? 0) - (wanted[c] ?? 0)));
      if (off < within) near++;
      count++;
    }
  }
  return near / Math.max(1, count);
}
