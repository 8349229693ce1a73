import { PictureField, TextField } from '#validation/fields.js';
import { exampleId } from '../common-fields.js';
import { defineWorkflow, noName, noProblems } from '../define-workflow.js';

export class PdpExtractionsBody {
  @PictureField({ description: 'The photograph: an uploaded asset.', required: true })
  pdp_image_public_id: string;

  @TextField({ description: 'What the product is called.', min: 1, max: 200, example: 'Linen midi skirt' })
  product_name?: string;
}

export const pdpExtractions = defineWorkflow({
  name: 'pdp-extractions',
  jobType: 'PDP_EXTRACTION',
  opClass: 'extract',
  credits: 4,
  summary: 'Read a product-page photograph back into background, person, garment and photography recipe',
  body: PdpExtractionsBody,
  examples: { photograph: { pdp_image_public_id: exampleId, product_name: 'Linen midi skirt' } },
  references: [{ field: 'pdp_image_public_id', by: 'picture', input: 'pdp_image' }],
  batch: undefined,
  problems: noProblems,
  coinName: noName,
});
