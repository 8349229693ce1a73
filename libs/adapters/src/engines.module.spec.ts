import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { EngineError } from '@atelier/engine';
import { sandboxAlone, sandboxModel } from '#platform/image-models.js';
import { openEngines } from './engines.module.js';

describe('the engine of a job', () => {
  const other = { ...sandboxModel, id: 'other' };
  const engines = openEngines({ ...sandboxAlone, models: [{ ...other, id: 'first' }, other] });
  const job = { operation: 'try-on', tenant: 'someone', request: {} };

  it('is that of the model that was chosen at dispatch', () => {
    expect(engines.engineFor({ ...job, imageModel: 'other' }).name).toBe('sketch');
  });

  it('is that of the model that the body names, or the first one, for a job from before models were chosen', () => {
    for (const request of [{}, { image_model: 'other' }, { model: 'other' }, { image_model: 'first' }]) {
      expect(engines.engineFor({ ...job, request }).name).toBe('sketch');
    }
  });

  it('is none for a model that is not configured any more', () => {
    for (const gone of [{ request: { image_model: 'gone' } }, { imageModel: 'gone' }]) {
      expect(() => engines.engineFor({ ...job, ...gone })).toThrow(EngineError);
    }
  });
});
