import type { EngineImage, EnginePicture, PictureMeta } from '@atelier/engine';
import { GARMENT_CLASSES, classFromWords, classify, type GarmentClass } from '../cutout/classify.js';
import { cutOut, type CutOut } from '../cutout/cut-out.js';
import { dominantColours, type DominantColour } from '../cutout/dominant-colours.js';
import { Silhouette } from '../cutout/silhouette.js';
import { encode } from '../encode.js';

/** A garment that can be worn: cut out, with its outline and its kind. */
export interface Garment {
  /** The input's name, for example `garment-0`. */
  readonly name: string;
  readonly cut: CutOut;
  readonly shape: Silhouette;
  readonly garmentClass: GarmentClass;
  readonly colours: readonly DominantColour[];
}

/** Cut-outs are sampled through a mesh, so they need somewhat more pixels than the canvas to keep the weave. */
export const garmentSide = (resolution: string): number => (resolution === '1K' ? 1400 : 2200);

/**
 * @param words the caller's name for it; a class in the picture's own meta wins
 * @throws EngineError `bad_input` when the picture cannot be read or no garment stands out from its background
 */
export async function readGarment(input: EngineImage, longSide: number, words = ''): Promise<Garment> {
  const cut = await cutOut(input.bytes, longSide, input.name);
  const shape = new Silhouette(cut.mask);
  const told = GARMENT_CLASSES.find((one) => one === input.meta?.['garment_class']);
  const garmentClass = told ?? classFromWords(words) ?? classify(shape, cut.raster);
  return { name: input.name, cut, shape, garmentClass, colours: dominantColours(cut.raster) };
}

export const garmentFacts = ({ cut, garmentClass, colours }: Garment): PictureMeta => ({
  garment_class: garmentClass,
  dominant_colours: colours,
  coverage: Math.round(cut.coverage * 1000) / 1000,
});

/** The cut-out as a picture with a transparent ground. */
export const pictureOfCutOut = (garment: Garment): Promise<EnginePicture> =>
  encode(
    garment.cut.raster,
    { kind: 'garment_cutout', label: 'The garment, cut out', meta: garmentFacts(garment) },
    { keepAlpha: true },
  );
