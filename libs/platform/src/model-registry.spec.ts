import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigurationError, loadConfiguration } from './configuration.js';
import { ImageModelChoice, sandboxAlone, sandboxModel } from './image-models.js';

const needed = { DATABASE_URL: 'postgres://db/atelier', URL_SIGNING_SECRET: 'hush' };
const folder = mkdtempSync(join(tmpdir(), 'atelier-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pen = { id: 'pen', family: 'sketch' };

function load(content: string) {
  const path = join(folder, 'models.yaml');
  writeFileSync(path, content);
  return loadConfiguration({ ...needed, ATELIER_MODELS_FILE: path }).imageModels;
}

describe('ATELIER_MODELS_FILE', () => {
  it('has the sandbox alone when it is not set', () => {
    expect(loadConfiguration(needed).imageModels).toEqual(sandboxAlone);
    expect(loadConfiguration({ ...needed, ATELIER_MODELS_FILE: '' }).imageModels).toEqual(sandboxAlone);
  });

  it.each([
    ['YAML', stringify],
    ['JSON', JSON.stringify],
  ])('is %s, and what it leaves out has a default', (_form, write) => {
    const { models, currency, workflow_models } = load(write({ credit_price: 0.1, models: [pen] }));
    expect(models).toEqual([
      {
        ...pen,
        max_inputs: 4,
        resolutions: ['1K'],
        supports_quality: false,
        seed: false,
        transparent: false,
        price_per_picture: 0,
        price_per_reading: 0,
        concurrency: 4,
        timeout_seconds: 180,
        resend_unknown: false,
        test_keys: 'sandbox',
        options: {},
      },
    ]);
    expect([currency, workflow_models]).toEqual(['USD', {}]);
  });

  it.each([
    [{}, "/ must have required property 'models'"],
    [{ models: [] }, '/models must NOT have fewer than 1 items'],
    [{ models: [{ ...pen, id: '' }] }, '/models/0/id must match pattern'],
    [{ models: [pen, { ...pen }] }, '/models/1 repeats the id pen'],
    [
      { models: [{ ...pen, family: 'oil' }] },
      '/models/0/family must be equal to one of the allowed values: ',
    ],
    [{ models: [{ ...pen, family: 'package' }] }, "/models/0 must have required property 'package'"],
    [{ models: [{ ...pen, max_inputs: 17 }] }, '/models/0/max_inputs must be <= 16'],
    [{ models: [{ ...pen, secret: 'sk-1' }] }, '/models/0 must NOT have additional properties: secret'],
    [
      { models: [{ ...pen, workflows: ['sing'] }] },
      '/models/0/workflows/0 must be equal to one of the allowed',
    ],
    [
      { models: [{ ...pen, fallback: 'gone' }] },
      '/models/0/fallback names the model gone, which does not exist',
    ],
    [{ models: [pen], workflow_models: { look: 'gone' } }, '/workflow_models/look names the model gone'],
    [{ models: [pen], tenant_models: { T1: 'gone' } }, '/tenant_models/T1 names the model gone'],
  ])('%j stops the start, with the reason', (registry, reason) => {
    expect(() => load(stringify(registry))).toThrow(ConfigurationError);
    expect(() => load(stringify(registry))).toThrow(
      `ATELIER_MODELS_FILE names a file with mistakes: ${reason}`,
    );
  });

  it('stops the start when it cannot be read', () => {
    const settings = { ...needed, ATELIER_MODELS_FILE: join(folder, 'nowhere.yaml') };
    expect(() => loadConfiguration(settings)).toThrow('ATELIER_MODELS_FILE names a file that cannot be read');
    expect(() => load('models: [')).toThrow('ATELIER_MODELS_FILE names a file that cannot be read');
  });
});

describe('the model that draws', () => {
  const [first, swapper, other] = [
    { ...sandboxModel, id: 'first' },
    { ...sandboxModel, id: 'swapper', workflows: ['model-swap-with-image'] },
    { ...sandboxModel, id: 'other' },
  ];
  const choice = new ImageModelChoice({
    ...sandboxAlone,
    models: [first, swapper, other],
    workflow_models: { extract: 'other', look: 'swapper' },
    tenant_models: { T1: 'swapper' },
  });
  const ask = (workflow: string, tenant: string, body = {}) => choice.asked(body, workflow, tenant)?.id;

  it('is the one that the body names, by either field', () => {
    expect(ask('extract', 'T1', { image_model: 'first' })).toBe('first');
    expect(ask('catalog-shots', 'T1', { model: 'other' })).toBe('other');
    expect(ask('extract', 'T1', { image_model: 'gone' })).toBeUndefined();
  });

  it("is the tenant's, then the workflow's, then the first that makes the workflow", () => {
    expect(ask('model-swap-with-image', 'T1')).toBe('swapper');
    expect(ask('extract', 'T2')).toBe('other');
    expect(ask('try-on', 'T2')).toBe('first');
  });

  it('is passed over where it does not make the workflow', () => {
    expect(ask('extract', 'T1')).toBe('other');
    expect(ask('look', 'T1')).toBe('first');
  });
});
