import { EngineError, type Renderer } from '@atelier/engine';
import { breathe } from './abort.js';
import { garmentPicture, namedGarment } from './reading/garment-picture.js';
import { readPhotograph, requiredInput, type Reading } from './reading/reading.js';
import { regionMap } from './reading/region-map.js';
import { MODEL } from './model.js';

export interface ExtractOrder {
  readonly extraction_context?: {
    readonly max_items?: number;
    readonly product_name?: string;
    readonly product_description?: string;
  };
}

/** Says what to do rather than what the code did not find. */
function nothingFound(reading: Reading): EngineError {
  if (reading.subject.share > 0.9) {
    return new EngineError(
      'bad_input',
      'trial_image is filled by one surface: no garment can be told from what is around it. Send a photograph that shows the whole garment or the person who wears it.',
    );
  }
  return new EngineError(
    'bad_input',
    'No garment was found in trial_image. Send a photograph of a person who wears it, or of the garment on a plain ground.',
  );
}

/**
 * Finds what is worn, or laid out, in `trial_image` and lifts each garment out, largest first.
 * @throws EngineError `bad_input` when there is no picture, or no garment in it
 */
export const extract: Renderer<ExtractOrder> = async (request, context) => {
  const bytes = requiredInput(request.inputs, 'trial_image', 'one photograph of a model or of a garment');
  const {
    max_items: maxItems = 4,
    product_name: name,
    product_description: about,
  } = request.body.extraction_context ?? {};
  const productName = name?.trim();
  const reading = await readPhotograph(bytes, 'trial_image');
  await breathe(context.signal);
  if (reading.garments.length === 0) throw nothingFound(reading);
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
