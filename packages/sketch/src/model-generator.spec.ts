import { describe, expect, it } from 'vitest';
import type { EngineImage, EnginePicture } from '@atelier/engine';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

async function draw(
  body: Record<string, unknown>,
  seed: number,
  inputs: readonly EngineImage[] = [],
): Promise<EnginePicture> {
  const { pictures } = await engine.render(
    { workflow: 'model-generator', body, inputs, seed, displayName: '', testMark: false },
    { signal: new AbortController().signal, garmentKind: () => undefined, onStage: async () => undefined },
  );
  const [picture] = pictures;
  if (!picture) throw new Error('no picture was drawn');
  return picture;
}

const person = ({ meta }: EnginePicture): Record<string, unknown> => {
  const { seed, gender, ethnicity, heritage, body_type, age_range, skin_tone, hair, eye_colour } = meta;
  return { seed, gender, ethnicity, heritage, body_type, age_range, skin_tone, hair, eye_colour };
};

describe('full_body of a portrait', () => {
  it('is the person of the portrait, whatever the seed of the request', async () => {
    const casting = { gender: 'FEMALE', ethnicity: 'indian', heritage: 'south_indian', body_type: 'fuller' };
    const portrait = await draw(casting, 11);
    expect(person(portrait)).toMatchObject({ ...casting, seed: 11 });
    const input = { name: 'portrait_image', bytes: portrait.bytes, meta: portrait.meta };
    const full = await draw({ generation_stage: 'full_body' }, 5, [input]);
    expect(full.kind).toBe('model_full_body');
    expect(person(full)).toEqual(person(portrait));
  });
});
