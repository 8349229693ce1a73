import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unattended, describeEngine, type Order } from '@atelier/engine/conformance';
import type { EngineImage } from '@atelier/engine';
import { PhotoEngine } from '@atelier/photo';
import { grounds } from '@atelier/sketch/grounds';
import { SandboxEngine } from '#adapters/engines.module.js';
import { categoryById } from '#domain/garment/garment-categories.js';

const read = (path: string): Buffer => readFileSync(new URL(`../../${path}`, import.meta.url));
const photograph = (name: string): EngineImage => ({
  name: 'source_image',
  bytes: read(`packages/photo/photographs/${name}.jpg`),
});

const brief = (): never => {
  throw new Error('this engine has no use for a brief');
};
const withWords = (source: EngineImage): Order => ({
  body: { source_image_s3_key: 'x', scene_type: 'studio', output_preset: 'portrait' },
  inputs: [source],
  brief,
});

describeEngine('photo', {
  engine: new PhotoEngine(grounds),
  orders: {
    'background-swap-with-spec': withWords(photograph('bow-tie')),
    'background-swap-with-image': {
      body: { source_image_s3_key: 'x', background_image_public_id: 'y' },
      inputs: [
        photograph('brimmed-hat'),
        { name: 'background_image', bytes: read('packages/photo/photographs/nobody-office.jpg') },
      ],
      brief,
    },
  },
  repeatable: true,
  marks: true,
  garmentKind: categoryById,
});

describe('the engine of an installation without a vendor', () => {
  const engine = new SandboxEngine();
  const render = (order: Order) =>
    engine.render(
      { workflow: 'background-swap-with-spec', ...order, seed: 7, displayName: '', testMark: false },
      {
        ...unattended(),
        signal: new AbortController().signal,
        garmentKind: categoryById,
        onStage: () => Promise.resolve(),
      },
    );

  it('swaps the background of a photograph of a person with photo', async () => {
    const { model, pictures } = await render(withWords(photograph('bow-tie')));
    expect(model).toBe('photo-1');
    expect(pictures[0]).toMatchObject({ contentType: 'image/jpeg', meta: { subject: 'person' } });
  });

  it('leaves a product to sketch', async () => {
    const jumper = { name: 'source_image', bytes: read('assets/samples/jumper.jpg') };
    const { model, pictures } = await render(withWords(jumper));
    expect(model).toBe('sketch-1');
    expect(pictures[0]?.meta).toMatchObject({ subject: 'product' });
  });

  it('refuses a person whom it cannot tell from the background, and does not draw instead', async () => {
    await expect(render(withWords(photograph('blue-wig')))).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('well enough'),
    });
  });
});
