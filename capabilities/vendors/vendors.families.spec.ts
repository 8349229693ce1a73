import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ModelList } from '#platform/image-models.js';
import { modelsSchemaPath, readModelRegistry } from '#platform/model-registry.js';
import { vendorFamilies } from './vendors.families.js';

const folder = mkdtempSync(join(tmpdir(), 'atelier-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fashn = { id: 'fashn', family: 'fashn', model: 'tryon-v1.6' };
const fal = { id: 'fal', family: 'fal', model: 'fal-ai/pen', workflows: ['try-on'] };

/** The models, or what is wrong with them. */
function read(...models: object[]) {
  const path = join(folder, 'models.yaml');
  writeFileSync(path, stringify({ models }));
  return readModelRegistry(path);
}

describe('an entry of the registry', () => {
  it.each([
    [
      [{ ...fashn, model: 'video' }],
      '/models/0/model must be an endpoint of FASHN: tryon-v1.6, tryon-max, product-to-model, model-swap, edit',
    ],
    [[fashn, { id: 'pen', family: 'fashn' }], '/models/1/model must be an endpoint of FASHN: '],
    [
      [{ ...fashn, workflows: ['try-on', 'look'] }],
      '/models/0/workflows must be left out, or hold only what tryon-v1.6 makes: try-on',
    ],
    [[fashn, { ...fal, id: 'f', workflows: undefined }], '/models/1/workflows is missing: list the'],
    [[{ ...fal, model: undefined }], '/models/0/model is missing: give the name of the model at fal'],
    [
      [{ ...fal, options: { fields: { person: 'a', wearer: 'b' } } }],
      '/models/0/options/fields may have prompt, images, seed, count, aspect_ratio, width, height, person, garment, ' +
        'scene, shot, photograph, subject, and not wearer',
    ],
    [
      [{ id: 'ink', family: 'package', package: 'ink' }],
      '/models/0/workflows is missing: list the workflows that this package makes',
    ],
    [
      [{ ...fashn, transparent: true, vision_model: 'eye' }],
      '/models/0/transparent must be false: fashn draws none; /models/0/vision_model must be left out: fashn reads no',
    ],
  ])('%j is refused, with the reason', (models, reason) => {
    expect(read(...models)).toMatch(`names a file with mistakes: ${reason}`);
  });

  it('takes what a family makes at most where the file does not say, or says more', () => {
    const edit = {
      ...fashn,
      id: 'edit',
      model: 'edit',
      workflows: ['background-swap-with-spec'],
      max_inputs: 9,
    };
    const own = {
      id: 'own',
      family: 'comfyui',
      max_inputs: 9,
      options: { graphs: { try_on: '/graph.json' } },
    };
    const comfy = { id: 'comfy', family: 'comfyui' };
    const { models } = read(fashn, edit, fal, own, comfy) as ModelList;
    expect(models.map(({ workflows, max_inputs: most }) => [workflows, most])).toEqual([
      [['try-on'], 2],
      [['background-swap-with-spec'], 2],
      [['try-on'], 4],
      [undefined, 9],
      [undefined, 3],
    ]);
  });
});

it('has an example of each family of a vendor', () => {
  const example = readModelRegistry('assets/models.example.yaml');
  const families = typeof example === 'string' ? example : example.models.map(({ family }) => family);
  const { package: _, ...shipped } = vendorFamilies;
  expect([...new Set(families)]).toEqual(['sketch', ...Object.keys(shipped)]);
});

it('has a place for each family in the schema of the registry, with the capability that brings it', () => {
  const schema = JSON.parse(readFileSync(modelsSchemaPath(), 'utf8')) as {
    definitions: { model: { properties: { family: { enum: string[]; 'x-capabilities': object } } } };
  };
  const { family } = schema.definitions.model.properties;
  const names = Object.keys(vendorFamilies);
  expect(family.enum).toEqual(['sketch', ...names]);
  expect(family['x-capabilities']).toEqual(Object.fromEntries(names.map((name) => [name, 'vendors'])));
});
