import { EngineError, type Renderer } from '@atelier/engine';
import { breathe } from './abort.js';
import { garmentPicture, namedGarment } from './reading/garment-picture.js';
import { readPhotograph, requiredInput } from './reading/reading.js';
import { regionMap } from './reading/region-map.js';
import { MODEL } from './model.js';

export interface ExtractOrder {
  readonly extraction_context?: {
    readonly max_items?: number;
    readonly product_name?: string;
    readonly product_description?: string;
  };
}

/**
 * Finds the garments laid out in `trial_image`, or worn by a figure that this engine drew, and cuts each out,
 * largest first.
 * @throws EngineError `bad_input` when there is no picture, or no garment that stands out from a person and
 * from the background
 */
export const extract: Renderer<ExtractOrder> = async (request, context) => {
  const input = requiredInput(request.inputs, 'trial_image', 'one photograph of a garment');
  const {
    max_items: maxItems = 4,
    product_name: name,
    product_description: about,
  } = request.body.extraction_context ?? {};
  const productName = name?.trim();
  const reading = await readPhotograph(input);
  await breathe(context.signal);
  if (reading.garments.length === 0) throw new EngineError('bad_input', reading.refusal);
  const found = reading.garments.length;
  await context.onStage({
    stage: 'regions',
    message: found === 1 ? 'One garment was found' : `${found} garments were found`,
    pictures: [await regionMap(reading, request.testMark)],
  });
  await breathe(context.signal);
  const wanted = reading.garments.slice(0, maxItems);
  const product = namedGarment(
    productName,
    about,
    wanted.map((region) => region.slot),
  );
  const pictures = [];
  for (const [index, region] of wanted.entries()) {
    const label = index === product ? productName : undefined;
    pictures.push(
      await garmentPicture(reading, region, {
        kind: 'extracted_garment',
        ground: 'transparent',
        label,
        testMark: request.testMark,
      }),
    );
    await breathe(context.signal);
  }
  const names = pictures.map((picture) => picture.label.toLowerCase()).join(', ');
  return { pictures, message: `Extracted: ${names}`, model: MODEL };
};
