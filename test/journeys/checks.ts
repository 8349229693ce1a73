import { expect } from 'vitest';
import type { Client, Finished, JobDetail } from './client.js';
import type { Library } from './library.js';
import type { WrittenJourney } from './journeys.js';
import { distance, Picture, places, type Colour } from './picture.js';

/** The end of a journey: its final pictures are those of the job's result, in the same order. */
interface Ending {
  readonly library: Library;
  readonly finished: Finished;
  readonly pictures: readonly Picture[];
}

/** The final pictures, each one decoded. */
export const downloaded = (client: Client, { job }: Finished): Promise<Picture[]> =>
  Promise.all((job.result?.artifacts ?? []).map((artifact) => Picture.download(client, artifact)));

const rust = (colour: Colour): boolean => colour.r - colour.b > 50;
const denim = (colour: Colour): boolean => colour.b > colour.r;
const legs = { left: 0.42, top: 0.72, width: 0.05, height: 0.08 };

/** Expects exactly one picture, of this kind and size, that is not blank. */
function onePicture({ pictures }: Ending, kind: string, width: number, height: number): Picture {
  expect(pictures).toHaveLength(1);
  const picture = pictures[0] as Picture;
  expect({ kind: picture.artifact.kind, role: picture.artifact.role }).toEqual({ kind, role: 'final' });
  expect({ width: picture.width, height: picture.height }).toEqual({ width, height });
  expect(picture.contrast).toBeGreaterThan(15);
  return picture;
}

async function expectInCatalogue({ library, finished }: Ending, resource: string): Promise<void> {
  const { items } = await library.client.get<{ items: { public_id: string; job_id: string }[] }>(
    `/v1/catalog/${resource}`,
  );
  const assetIds = finished.job.result?.artifacts.map((artifact) => artifact.asset_id) ?? [];
  const found = items.filter((item) => item.job_id === finished.job.public_id);
  expect(found.map((item) => item.public_id)).toEqual(expect.arrayContaining(assetIds));
}

async function pictureOf({ client }: Library, job: JobDetail): Promise<Picture> {
  const [artifact] = job.result?.artifacts ?? [];
  if (!artifact) throw new Error(`job ${job.public_id} has made no picture`);
  return Picture.download(client, artifact);
}

type Check = (ending: Ending) => Promise<void> | void;

/** The check that a workflow adds to a finished job. Without a check of its own: its pictures are not blank. */
export function checkOf(workflow: string): Check {
  const own: Partial<Record<string, Check>> = checks;
  return own[workflow] ?? somethingToSee;
}

function somethingToSee({ pictures }: Ending): void {
  for (const { artifact, contrast } of pictures) {
    expect(artifact.role).toBe('final');
    expect(contrast).toBeGreaterThan(5);
  }
}

const checks: Readonly<Record<WrittenJourney, Check>> = {
  'try-on': async (ending) => {
    const picture = onePicture(ending, 'try_on_render', 683, 1024);
    expect(rust(await picture.colour(places.chest))).toBe(true);
    expect(denim(await picture.colour(legs))).toBe(true);
  },

  'model-generator': async (ending) => {
    const { meta } = onePicture(ending, 'model_portrait', 819, 1024).artifact;
    const casting = { gender: 'FEMALE', ethnicity: 'indian', heritage: 'south_indian', age_range: '22-26' };
    expect(meta).toMatchObject(casting);
    await expectInCatalogue(ending, 'models');
    const full = await pictureOf(ending.library, (await ending.library.fullBody()).job);
    const { skin_tone, hair } = meta;
    expect(full.artifact).toMatchObject({ kind: 'model_full_body', meta: { ...casting, skin_tone, hair } });
  },

  'background-generator': async (ending) => {
    const picture = onePicture(ending, 'background', 683, 1024);
    expect(picture.artifact.label).toBe('Olive courtyard');
    await expectInCatalogue(ending, 'backgrounds');
  },

  'complementary-garment-generator': async (ending) => {
    const picture = onePicture(ending, 'complementary_garment', 819, 1024);
    expect(rust(await picture.colour(places.chest))).toBe(true);
    await expectInCatalogue(ending, 'garments');
    const id = picture.artifact.asset_id;
    const category = await ending.library.category('skirt');
    const { results } = await ending.library.client.post<{ results: object[] }>('/v1/compatibility/check', {
      product_garment_category_public_id: await ending.library.category('shirt'),
      candidate_complementary_image_public_ids: [id, category],
    });
    expect(results).toMatchObject([
      { public_id: id, compatible: true, reasons: [] },
      { public_id: category, compatible: false, reasons: [{ code: 'catalog_ref_missing' }] },
    ]);
  },

  'product-to-model-direct': async (ending) => {
    const picture = onePicture(ending, 'on_model_render', 819, 1024);
    const id = ending.finished.job.public_id;
    const render = await ending.library.client.get<{ image_url: string }>(`/v1/renders/${id}`);
    expect(render).toMatchObject({ public_id: id, width: 819, height: 1024, kind: 'on_model_render' });
    expect((await ending.library.client.download(render.image_url)).equals(picture.bytes)).toBe(true);
    const gallery = await ending.library.client.get<{ items: object[] }>('/v1/renders?limit=200');
    expect(gallery.items).toContainEqual(expect.objectContaining({ public_id: id }));
  },

  'product-to-model-phased': async (ending) => {
    onePicture(ending, 'on_model_render', 819, 1024);
    const stages = ending.finished.events.filter((event) => event.event_type === 'stage');
    expect(stages.map(({ stage }) => stage)).toEqual(['garment_cutout', 'figure_posed', 'dressed', 'placed']);
    for (const { artifacts } of stages) {
      expect(artifacts).toContainEqual(expect.objectContaining({ role: 'intermediate' }));
      for (const artifact of artifacts) await Picture.download(ending.library.client, artifact);
    }
  },

  'background-swap-with-image': async (ending) => {
    const picture = onePicture(ending, 'background_swap', 819, 1024);
    const source = await pictureOf(ending.library, (await ending.library.dressed('jumper')).job);
    // The light of the courtyard falls on the same jumper.
    expect(rust(await source.colour(places.chest))).toBe(true);
    expect(rust(await picture.colour(places.chest))).toBe(true);
    const plain = await source.colour(places.upperCorner);
    expect(distance(await picture.colour(places.upperCorner), plain)).toBeGreaterThan(25);
  },

  'background-swap-with-spec': async (ending) => {
    const picture = onePicture(ending, 'background_swap', 819, 1024);
    const sea = await picture.colour({ left: 0.02, top: 0.48, width: 0.12, height: 0.04 });
    expect(denim(sea)).toBe(true);
    const chest = await picture.colour(places.chest);
    expect(chest.g).toBeGreaterThan(chest.r);
  },

  'model-swap-with-image': async (ending) => {
    const picture = onePicture(ending, 'model_swap', 819, 1024);
    const source = await pictureOf(ending.library, (await ending.library.dressed('jumper')).job);
    expect(rust(await picture.colour(places.chest))).toBe(true);
    const face = { left: 0.47, top: 0.17, width: 0.06, height: 0.04 };
    expect(distance(await picture.colour(face), await source.colour(face))).toBeGreaterThan(25);
    const other = (await ending.library.otherModel()).job.result?.artifacts[0]?.meta;
    expect(picture.artifact.meta['skin_tone']).toBe(other?.['skin_tone']);
  },

  extract: async ({ pictures, library }) => {
    const photograph = await pictureOf(library, (await library.dressed('garment-photograph')).job);
    expect(pictures.length).toBeLessThanOrEqual(3);
    for (const { artifact, width, height, contrast } of pictures) {
      expect(artifact).toMatchObject({ kind: 'extracted_garment', role: 'final' });
      expect(width * height).toBeLessThan(photograph.width * photograph.height);
      expect(contrast).toBeGreaterThan(15);
    }
    const dress = pictures.find(({ artifact }) => artifact.label === 'Marea dress');
    const middle = (await dress?.colour(places.chest)) as Colour;
    expect(middle.g).toBeGreaterThan(middle.r);
  },

  look: async (ending) => {
    const picture = onePicture(ending, 'look_render', 819, 1024);
    expect(denim(await picture.colour({ ...legs, left: 0.44 }))).toBe(true);
    expect(picture.artifact.meta['items']).toMatchObject([
      { category: 'bottom' },
      { category: 'top' },
      { category: 'outerwear' },
    ]);
  },

  'catalog-shots': async (ending) => {
    const { artifact } = onePicture(ending, 'catalog_image', 683, 1024);
    const { library } = ending;
    expect(artifact.meta).toMatchObject({
      garment_image_asset_refs: [(await library.sample('garment-photograph')).asset_id],
      model_preset_id: await library.preset('model', 1),
      background_preset_id: await library.preset('background', 2),
      shot_preset_id: await library.preset('shot'),
    });
  },

  'pdp-extractions': async ({ library, finished, pictures }) => {
    const kinds = pictures.map(({ artifact }) => artifact.kind);
    expect(kinds).toEqual(['garment', 'person', 'background_plate', 'photography_recipe']);
    expect(finished.events.at(-1)?.extra['failures']).toEqual([]);
    const assetOf = (kind: string): string | undefined =>
      pictures.find(({ artifact }) => artifact.kind === kind)?.artifact.asset_id;
    const again = await library.client.run('catalog-shots', {
      garment_image_asset_refs: [assetOf('garment')],
      product_title: 'Marea dress, once more',
      model_preset_id: assetOf('person'),
      background_preset_id: assetOf('background_plate'),
      shot_preset_id: assetOf('photography_recipe'),
    });
    const picture = await pictureOf(library, again.job);
    expect({ width: picture.width, height: picture.height }).toEqual({ width: 683, height: 1024 });
    expect(picture.contrast).toBeGreaterThan(15);
  },

  'pdp-batch-extractions': async ({ library, finished }) => {
    const { accepted, job } = finished;
    expect(accepted.credits_cost).toBe(12);
    expect(job.children).toHaveLength(3);
    for (const child of job.children) {
      expect(child).toMatchObject({ job_type: 'PDP_EXTRACTION', status: 'SUCCESS' });
      const detail = await library.client.get<JobDetail>(`/v1/jobs/${child.public_id}`);
      const kinds = detail.result?.artifacts.map(({ kind }) => kind);
      expect(kinds).toContain('garment');
    }
    const zip = await library.client.bytes(`/v1/jobs/${job.public_id}/pictures`);
    for (const { public_id: id } of job.children) expect(zip.includes(`${id}/`)).toBe(true);
  },
};
