import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Things } from '../api/bodies/things.js';
import type { Client, Finished, Uploaded } from './client.js';

const samples = join(process.cwd(), 'assets', 'samples');

export type Sample = 'garment-photograph' | 'jacket' | 'jumper' | 'trousers';

/** Things that several journeys need. The first journey that needs one makes it, and the others reuse it. */
export class Library {
  private readonly made = new Map<string, Promise<unknown>>();

  constructor(readonly client: Client) {}

  sample(name: Sample): Promise<Uploaded> {
    return this.once(`sample ${name}`, () => this.client.upload(readFileSync(join(samples, `${name}.jpg`))));
  }

  /** A model from head to shoulders. */
  portrait(): Promise<Finished> {
    return this.once('portrait', () =>
      this.client.run('model-generator', {
        gender: 'FEMALE',
        ethnicity: 'indian',
        heritage: 'south_indian',
        age_range: '22-26',
        body_type: 'balanced',
        seed: 11,
      }),
    );
  }

  /** The same model from head to toe. */
  fullBody(): Promise<Finished> {
    return this.once('full body', async () =>
      this.client.run('model-generator', {
        generation_stage: 'full_body',
        portrait_image_public_id: (await this.portrait()).job.public_id,
        seed: 11,
      }),
    );
  }

  /** Another model, who looks clearly different from the first one. */
  otherModel(): Promise<Finished> {
    return this.once('other model', () =>
      this.client.run('model-generator', { gender: 'MALE', ethnicity: 'northern_european', seed: 5 }),
    );
  }

  background(): Promise<Finished> {
    return this.once('background', () =>
      this.client.run('background-generator', {
        authoring: {
          display_name: 'Olive courtyard',
          setting: 'outdoor_location',
          photographic_register: 'film_photo',
          topology: { preset: 'courtyard_veranda' },
          subject_zone: { preset: 'central_open' },
          supported_crops: ['full', 'three_quarter'],
          ground: { preset: 'stone_paving' },
          light: { preset: 'warm_directional_sun' },
          palette: ['terracotta', 'ivory', 'sage'],
          scene_anchors: ['stone arch', 'olive tree'],
          surface_character: 'sun-bleached plaster with soft cracks',
        },
        aspect_ratio: '2:3',
        seed: 3,
      }),
    );
  }

  /** A garment on a model before a background: the picture of a product page. */
  dressed(sample: Sample): Promise<Finished> {
    return this.once(`dressed ${sample}`, async () =>
      this.client.run('product-to-model-direct', {
        product_image_s3_key: (await this.sample(sample)).upload_key,
        model_image_public_id: (await this.fullBody()).job.public_id,
        seed: 21,
      }),
    );
  }

  /** The same picture as an uploaded file, like a photograph from elsewhere. */
  photograph(sample: Sample): Promise<Uploaded> {
    return this.once(`photograph ${sample}`, async () => {
      const { job } = await this.dressed(sample);
      return this.client.upload(await this.client.download(job.result?.artifacts[0]?.image_url ?? ''));
    });
  }

  /** One of each thing that an example of a workflow may refer to. */
  async things(): Promise<Things> {
    const { asset_id: assetId, upload_key: uploadKey } = await this.sample('garment-photograph');
    const product = await this.once('product', () =>
      this.client.post<{ public_id: string }>('/v1/products', {
        upload_asset_public_id: assetId,
        title: 'Marea dress',
      }),
    );
    return {
      assetId,
      uploadKey,
      productId: product.public_id,
      renderId: (await this.dressed('garment-photograph')).job.public_id,
      categoryId: await this.category('dress'),
      presets: {
        model: await this.preset('model'),
        background: await this.preset('background'),
        shot: await this.preset('shot'),
      },
    };
  }

  async category(key: string): Promise<string> {
    const { items } = await this.once('categories', () =>
      this.client.get<{ items: { public_id: string; key: string }[] }>('/v1/garment-categories?limit=200'),
    );
    const found = items.find((item) => item.key === key);
    if (!found) throw new Error(`there is no garment category ${key}`);
    return found.public_id;
  }

  async preset(kind: 'model' | 'background' | 'shot', place = 0): Promise<string> {
    const tiles = await this.once(`presets ${kind}`, () =>
      this.client.get<{ id: string }[]>(`/v1/presets?kind=${kind}`),
    );
    const tile = tiles[place];
    if (!tile) throw new Error(`there is no preset ${place} of kind ${kind}`);
    return tile.id;
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.made.get(name) ?? make()) as Promise<T>;
    this.made.set(name, made);
    return made;
  }
}
