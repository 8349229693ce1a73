import { beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { asInput, garment, make, shareOf, type Made } from './garments/sheet.fixture.js';

let person: Made;
let dress: Made;

beforeAll(async () => {
  person = await make('model-generator', { generation_stage: 'full_body', gender: 'FEMALE' }, [], {
    seed: 2,
  });
  dress = await garment('maxi_dress', '#2438c8');
});

const items = [{ trial_item_category: 'one_piece' }];

describe('look', () => {
  it('stands the dressed model, full length, before the background that is given', async () => {
    const wall = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#20a080' } })
      .png()
      .toBuffer();
    const { picture } = await make('look', { items }, [
      asInput('model_image', person.picture),
      asInput('item-0', dress.picture),
      { name: 'background_image', bytes: wall },
    ]);
    expect(picture).toMatchObject({ kind: 'look_render', width: 819, height: 1024 });
    expect(await shareOf(picture.bytes, [0.02, 0.2, 0.1, 0.4], '#20a080', 40)).toBeGreaterThan(0.95);
    expect(await shareOf(picture.bytes, [0.44, 0.55, 0.56, 0.75], '#2438c8', 110)).toBeGreaterThan(0.6);
  });

  it('stands in the studio without one', async () => {
    const { picture } = await make('look', { items }, [
      asInput('model_image', person.picture),
      asInput('item-0', dress.picture),
    ]);
    expect(picture.meta['backdrop']).toMatchObject({ studio_seed: 7 });
  });

  it('says that the model is missing', async () => {
    await expect(make('look', { items }, [asInput('item-0', dress.picture)])).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('model_image'),
    });
  });
});
