import type { Artifact, Atelier, WorkflowBody } from '@atelier/client';
import dress from '../../../../assets/samples/garment-photograph.jpg';
import jacket from '../../../../assets/samples/jacket.jpg';
import jumper from '../../../../assets/samples/jumper.jpg';
import trousers from '../../../../assets/samples/trousers.jpg';
import { answered, ownClient } from './api.js';
import { firstChoice } from './choices.js';
import { kindOf, resolved, type BodySchema, type OrderBody } from './body-schema.js';

/** Pictures that an example needs and that only a workflow can make. */
export type Made = 'model' | 'background';

const makers = {
  model: {
    workflow: 'model-generator',
    jobType: 'MODEL_GENERATOR',
    body: { gender: 'FEMALE', ethnicity: 'east_african', body_type: 'athletic', age_range: '26-30' },
  },
  background: {
    workflow: 'background-generator',
    jobType: 'BACKGROUND_GENERATOR',
    body: { scene_type: 'rooftop terrace', mood: 'calm' },
  },
} as const;

/** The content of a picture field, by the field's name. The other fields show a garment. */
const shows: Readonly<Record<string, Made>> = {
  user_image: 'model',
  model_image_public_id: 'model',
  portrait_image_public_id: 'model',
  pdp_image_public_id: 'model',
  source_render_public_id: 'model',
  model_spec_public_id: 'model',
  background_image_public_id: 'background',
};

/** Photographs that come with the console. */
export const garmentPhotographs = { dress, jumper, jacket, trousers } as const;

export type Garment = keyof typeof garmentPhotographs;

export const garmentOf = (name: string | null): Garment | undefined =>
  (Object.keys(garmentPhotographs) as Garment[]).find((each) => each === name);

/** By the category that an order names. */
const garments: Readonly<Record<string, Garment>> = {
  bottom: 'trousers',
  outerwear: 'jacket',
  dress: 'dress',
  full_body: 'dress',
};

/** By where they come from: the same photograph is uploaded once. */
const uploads = new Map<string, Promise<string>>();

async function upload(url: string): Promise<string> {
  const file = await (await fetch(url)).blob();
  return (await answered(ownClient().upload(file))).asset_id;
}

function uploaded(url: string): Promise<string> {
  const known = uploads.get(url) ?? upload(url);
  uploads.set(url, known);
  // It is tried again.
  known.catch(() => uploads.delete(url));
  return known;
}

interface Picture {
  readonly jobId: string;
  readonly artifact: Artifact;
}

async function newest(atelier: Atelier, what: Made): Promise<Picture | undefined> {
  const { items } = await atelier.get('/v1/renders', { limit: 50 });
  const found = items.find((each) => each.job_type === makers[what].jobType);
  return found && pictureOf(atelier, found.public_id);
}

async function pictureOf(atelier: Atelier, jobId: string): Promise<Picture | undefined> {
  const { result } = await atelier.get('/v1/jobs/{public_id}', { public_id: jobId });
  const final = result?.artifacts.find(({ role }) => role === 'final');
  return final && { jobId, artifact: final };
}

/** Orders the pictures that an example lacks. That costs credits, and the button shows how many. */
export async function make(what: Made): Promise<void> {
  const { workflow, body } = makers[what];
  await answered(
    ownClient()
      .run(workflow, body as WorkflowBody<typeof workflow>)
      .result(),
  );
}

/**
 * An example that can be ordered in this installation. It uses the console's own photographs, which it uploads,
 * the tenant's pictures, and the ids of this installation.
 * @param garment the photograph for fields that show a garment and name no category
 */
export async function withSamples(
  workflow: string,
  schema: BodySchema,
  example: OrderBody,
  show: (assetId: string, picture: Artifact) => void,
  garment: Garment = 'jumper',
): Promise<{ body: OrderBody; missing: Made[] }> {
  const atelier = ownClient();
  const missing = new Set<Made>();
  const pictures = new Map<Made, Promise<Picture | undefined>>();
  const made = async (what: Made, as: 'asset' | 'job') => {
    const found = pictures.get(what) ?? newest(atelier, what);
    pictures.set(what, found);
    const picture = await found;
    if (!picture) return void missing.add(what);
    const { jobId, artifact } = picture;
    show(artifact.asset_id, artifact);
    return as === 'job' ? jobId : artifact.asset_id;
  };
  const filled = async (
    given: BodySchema,
    value: unknown,
    name: string,
    beside: OrderBody,
  ): Promise<unknown> => {
    const its = resolved(given);
    const { items, properties, 'x-choices': list } = its;
    const kind = kindOf(its);
    const shown = shows[name];
    if (kind === 'picture')
      return shown
        ? made(shown, 'asset')
        : uploaded(garmentPhotographs[garments[String(beside['trial_item_category'])] ?? garment]);
    if (list === '/v1/image-models') return value;
    if (kind === 'choices') return shown ? made(shown, 'job') : firstChoice(list ?? '', atelier, workflow);
    if (Array.isArray(value))
      return items ? Promise.all(value.map((each) => filled(items, each, name, beside))) : value;
    if (typeof value !== 'object' || value === null || !properties) return value;
    // An object that the schema describes.
    const own = value as OrderBody;
    const fields = Object.entries(own).filter(([field]) => field in properties);
    const parts = fields.map(
      async ([field, each]) =>
        [field, await filled(properties[field] as BodySchema, each, field, own)] as const,
    );
    return Object.fromEntries(await Promise.all(parts));
  };
  // An object stays one.
  const body = (await filled(schema, example, '', {})) as OrderBody;
  return { body, missing: [...missing] };
}
