import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, loadConfiguration } from './configuration.js';
import { defaultImageModels } from './image-models.js';

const needed = { DATABASE_URL: 'postgres://db/atelier', URL_SIGNING_SECRET: 'hush' };
const wide = { id: 'sketch-wide', family: 'sketch', max_inputs: 16, supports_quality: false };

const load = (models: unknown) =>
  loadConfiguration({ ...needed, ATELIER_IMAGE_MODELS: JSON.stringify(models) }).imageModels;

describe('ATELIER_IMAGE_MODELS', () => {
  it('is the sketch model when it is not set', () => {
    expect(loadConfiguration(needed).imageModels).toEqual(defaultImageModels);
    expect(loadConfiguration({ ...needed, ATELIER_IMAGE_MODELS: '' }).imageModels).toEqual(
      defaultImageModels,
    );
  });

  it('lists the models, in the order in which they are preferred', () => {
    expect(load([wide, { ...wide, id: 'org/sketch:2', max_inputs: 1, supports_quality: true }])).toEqual([
      { id: 'sketch-wide', family: 'sketch', maxInputs: 16, supportsQuality: false },
      { id: 'org/sketch:2', family: 'sketch', maxInputs: 1, supportsQuality: true },
    ]);
  });

  it.each([
    [{}, 'must be a JSON array of at least one model'],
    [[], 'must be a JSON array of at least one model'],
    [['sketch-1'], '[0] must be an object'],
    [[wide, { ...wide, id: '' }], '[1] must have an id'],
    [[{ ...wide, id: 'x'.repeat(65) }], '[0] must have an id'],
    [[wide, wide], '[1] repeats the id sketch-wide'],
    [[{ ...wide, family: 'oil' }], '[0] must have a family, one of: sketch'],
    [[{ ...wide, max_inputs: 17 }], '[0] must have max_inputs, a whole number from 1 to 16'],
    [[{ ...wide, max_inputs: 0 }], '[0] must have max_inputs'],
    [[{ ...wide, max_inputs: '8' }], '[0] must have max_inputs'],
    [[{ ...wide, supports_quality: 'yes' }], '[0] must have supports_quality'],
    [[{ ...wide, quality: true }], '[0] has the unknown member quality'],
  ])('%j stops the start, with the reason', (models, reason) => {
    expect(() => load(models)).toThrow(ConfigurationError);
    expect(() => load(models)).toThrow(`ATELIER_IMAGE_MODELS ${reason}`);
  });

  it('must be JSON', () => {
    const settings = { ...needed, ATELIER_IMAGE_MODELS: 'sketch-1' };
    expect(() => loadConfiguration(settings)).toThrow('ATELIER_IMAGE_MODELS must be JSON');
  });
});
