import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { EngineError } from '@atelier/engine';
import { openEngines } from './engines.module.js';

describe('the engine of a job', () => {
  const other = { id: 'other', family: 'sketch', maxInputs: 2, supportsQuality: false } as const;
  const engines = openEngines([{ ...other, id: 'first' }, other]);

  it('is that of the family of the model that its body names, by either field, or of the first one', () => {
    for (const body of [{}, { image_model: 'other' }, { model: 'other' }, { image_model: 'first' }]) {
      expect(engines.engineFor(body).name).toBe('sketch');
    }
  });

  it('is none for a model that is not configured any more', () => {
    for (const body of [{ image_model: 'gone' }, { model: 'gone' }]) {
      expect(() => engines.engineFor(body)).toThrow(EngineError);
    }
  });
});
