import type { Brief } from '@atelier/engine';
import { ChoiceField, IdField, ListField, pictureId, TextField } from '#validation/fields.js';
import { mostInputs } from '#platform/image-models.js';
import {
  garmentFidelity,
  garmentInput,
  input,
  metaOf,
  naturalCloth,
  neverAdded,
  noForeignGarments,
  onePicture,
  onlyTheGarment,
  photograph,
  sentences,
  type BriefFacts,
} from '../briefing.js';
import { personInput } from '../casting-words.js';
import { DispatchBody, exampleId, ImageModelField } from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';
import { sceneInput } from '../scene-words.js';
import { shotWords } from '../shot-words.js';

const qualities = ['medium', 'high'] as const;

export class CatalogShotsBody extends DispatchBody {
  @ListField({
    description:
      'The garments: uploaded assets, catalogue entries, or jobs that made a picture. At most as many as the image ' +
      'model takes: 8 for `sketch-1`.',
    required: true,
    min: 1,
    max: mostInputs,
    items: pictureId,
    example: [exampleId],
  })
  garment_image_asset_refs: string[];

  @TextField({
    description: 'The name of the product.',
    required: true,
    min: 1,
    max: 256,
    example: 'Linen midi skirt',
  })
  product_title: string;

  @IdField({
    description: 'A preset of `GET /v1/presets?kind=model`.',
    required: true,
    choices: '/v1/presets?kind=model',
  })
  model_preset_id: string;

  @IdField({
    description: 'A preset of `GET /v1/presets?kind=background`.',
    required: true,
    choices: '/v1/presets?kind=background',
  })
  background_preset_id: string;

  @IdField({
    description: 'A preset of `GET /v1/presets?kind=shot`.',
    required: true,
    choices: '/v1/presets?kind=shot',
  })
  shot_preset_id: string;

  @ImageModelField()
  model?: string;

  @ChoiceField({
    description:
      'For image models that support it. For others, it is dropped. With `sketch-1`, `high` is 2K.',
    values: qualities,
    name: 'Quality',
  })
  quality?: (typeof qualities)[number];
}

export const catalogShots = defineWorkflow({
  name: 'catalog-shots',
  jobType: 'CATALOG_SHOT',
  opClass: 'compose',
  credits: 10,
  summary: 'Compose garments onto a preset model, background and shot, in 2:3',
  body: CatalogShotsBody,
  examples: {
    shot: {
      garment_image_asset_refs: [exampleId],
      product_title: 'Linen midi skirt',
      model_preset_id: exampleId,
      background_preset_id: exampleId,
      shot_preset_id: exampleId,
      quality: 'high',
    },
  },
  references: [
    { field: 'garment_image_asset_refs[]', by: 'picture', input: 'garment' },
    { field: 'model_preset_id', by: 'preset', kind: 'model', input: 'model' },
    { field: 'background_preset_id', by: 'preset', kind: 'background', input: 'background' },
    { field: 'shot_preset_id', by: 'preset', kind: 'shot', input: 'shot' },
  ],
  brief: shotBrief,
});

/**
 * The presets of model and place may be illustrations: they say who and where, but the result is a photograph. A shot
 * with a known recipe needs no picture, which leaves room for more garments.
 */
function shotBrief({ body, pictures, displayName }: BriefFacts<CatalogShotsBody>): Brief {
  const { garment_image_asset_refs: garments, product_title: title, quality } = body;
  const count = garments.length;
  const recipe = shotWords(metaOf(pictures, 'shot'));
  const [person, scene, shot] = [count + 1, count + 2, count + 3];
  const worn = count === 1 ? 'the garment of image 1' : `all the garments of images 1 to ${count} together`;
  return onePicture({
    name: 'catalog_shot',
    task: 'catalog_shot',
    instruction: sentences(
      `Photograph "${title}" for a fashion catalogue: the person of image ${person} wears ${worn}, in the place of image ${scene}.`,
      count > 1 ? 'Images that show the same garment from several sides are one garment.' : '',
      recipe || `Take framing, camera, pose and light from image ${shot}, and nothing else.`,
      'The person stands on the ground of the place in a plausible size, lit as the place is lit, with a contact shadow.',
      'Where an image is an illustration, show the real person or place that it depicts.',
      naturalCloth,
      photograph,
    ),
    inputs: [
      ...garments.map((_, index) => garmentInput(pictures, `garment-${index}`, 'a garment to wear.')),
      personInput(
        pictures,
        'model',
        'the person. Take face, hair, skin and body from here, and not the clothes.',
      ),
      sceneInput(pictures, 'background'),
      ...(recipe ? [] : [input('shot', 'shot', 'how the photograph is taken.')]),
    ],
    keep: [
      garmentFidelity,
      `the identity, face, skin tone, hair and build of the person of image ${person}`,
      `the architecture, materials and colours of the place of image ${scene}`,
    ],
    avoid: [noForeignGarments, onlyTheGarment, ...neverAdded],
    ratio: '2:3',
    longSide: quality === 'high' ? 2048 : 1024,
    quality,
    gives: { kind: 'catalog_image', label: displayName || title, role: 'final', meta: refsOf(body) },
  });
}

/** The interface promises these with the result. */
function refsOf({ model: _, quality: __, product_title: ___, ...refs }: CatalogShotsBody) {
  return { ...refs };
}
