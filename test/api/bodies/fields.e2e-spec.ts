import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workflows, type WorkflowName } from '#domain/workflow/workflows.js';
import { defaultImageModels } from '#platform/image-models.js';
import { complaints, type ApiClient } from '../support/api-client.js';
import { ApiService, type Tenant } from '../support/api-service.js';
import { baseBodies, bodyFor, valueAt, wideModel, withValue } from './base-bodies.js';
import { bodyExamples, bodySchema, fieldsOf } from './body-schemas.js';
import { casesOf, type FieldCase, type OwnValues, type Path } from './field-cases.js';
import { makeThings, type Things } from './things.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
let things: Things;

beforeAll(async () => {
  service = await ApiService.start();
  const imageModels = [...defaultImageModels, wideModel];
  api = await service.openApi(service.databaseUrl, { imageModels });
  tenant = await service.openTenant({ credits: 1_005, terms: { rateLimitPerMin: 1_000_000 } });
  things = await makeThings(service, api, tenant);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Which models there are is configuration and no bound: these take the place of what the schema says. */
const imageModel: OwnValues = {
  good: ['sketch-1', wideModel.id],
  bad: ['sketch-2', 'Sketch-1', '', 'w'.repeat(63), 'w'.repeat(65), 7, ['sketch-1']],
};
const own: Readonly<Record<string, OwnValues>> = { image_model: imageModel, model: imageModel };

/** Stand-ins while only the names of the tests are wanted. */
const id = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';
const placeholders: Things = {
  ...{ uploadKey: 'key', assetId: id, renderId: id, productId: id, categoryId: id },
  presets: { model: id, background: id, shot: id },
};

function casesFor(workflow: WorkflowName, known: Things): FieldCase[] {
  const bodies = baseBodies(known)[workflow];
  return casesOf(bodySchema(workflow), (path) => valueAt(bodyFor(bodies, path), path) ?? id, own);
}

/** What else the body has to say, or must not say, for this value to stand: the rules between fields. */
function reconciled(
  body: Record<string, unknown>,
  { field, path, value }: FieldCase,
): Record<string, unknown> {
  if (field.endsWith('.preset') && value === 'custom') {
    return withValue(body, [...path.slice(0, -1), 'custom_text'], 'a'.repeat(3));
  }
  if (field === 'heritage') return { ...body, ethnicity: 'indian' };
  if (field === 'generation_stage' && value !== 'full_body') return { generation_stage: value };
  return body;
}

/** Fields of which one has to be there: without it, it is the first of them that is missed. */
const needed: Readonly<Record<string, string>> = {
  product_image_s3_key: 'product_image_s3_key',
  product_id: 'product_image_s3_key',
  source_image_s3_key: 'source_image_s3_key',
  source_render_public_id: 'source_image_s3_key',
};

const isEmpty = (value: unknown) => value === undefined || value === null;

function complaintOf({ field, value, complaint }: FieldCase): Path | undefined {
  const missed = isEmpty(value) ? needed[field] : undefined;
  return complaint ?? (missed === undefined ? undefined : [missed]);
}

describe.each(workflows.map(({ name }) => name))('POST /v1/%s', (workflow) => {
  const fields = [...new Set(casesFor(workflow, placeholders).map(({ field }) => field))];

  it('has every field of openapi.json among its cases, with values that pass and values that do not', () => {
    const cases = casesFor(workflow, placeholders);
    expect([...fields].sort()).toEqual(fieldsOf(bodySchema(workflow)).sort());
    for (const field of fields) {
      const ofField = cases.filter((each) => each.field === field);
      const passing = ofField.filter(({ complaint, value }) => !complaint && !isEmpty(value));
      expect({ field, passing: passing.length > 0 }).toEqual({ field, passing: true });
      expect({ field, failing: ofField.some(({ complaint }) => complaint) }).toEqual({
        field,
        failing: true,
      });
    }
  });

  it.each(fields)('holds %s to its bounds', async (field) => {
    const cases = casesFor(workflow, things).filter((each) => each.field === field);
    const bodies = baseBodies(things)[workflow];
    const answers = await Promise.all(
      cases.map(async (each) => {
        const body = reconciled(withValue(bodyFor(bodies, each.path), each.path, each.value), each);
        return dryRun(workflow, body);
      }),
    );
    const told = cases.map(({ value }, index) => ({ value, answer: answers[index] }));
    const expected = cases.map((each) => {
      const complaint = complaintOf(each);
      // A storage key of the right length may still name nothing.
      const passes = isKey(each) ? 'found nothing' : 'accepted';
      return { value: each.value, answer: complaint ? ['body', ...complaint].join('.') : passes };
    });
    expect(told).toEqual(expected);
  });

  it('refuses fields that it does not know, and bodies that are no object', async () => {
    const [body] = baseBodies(things)[workflow];
    expect(await dryRun(workflow, { ...body, more: 1 })).toBe('body.more');
    expect(await dryRun(workflow, { ...body, tenant: tenant.id })).toBe('body.tenant');
    for (const value of [null, [], [body], 'x', 7, true]) expect(await dryRun(workflow, value)).toBe('body');
  });

  it('shows examples that are valid, and name what is not there', async () => {
    const examples = Object.values(bodyExamples(workflow));
    expect(examples.length).toBeGreaterThan(0);
    for (const { value } of examples)
      expect(['accepted', 'found nothing']).toContain(await dryRun(workflow, value));
  });

  it('accepts each of the bodies that the cases vary', async () => {
    for (const body of baseBodies(things)[workflow]) expect(await dryRun(workflow, body)).toBe('accepted');
  });
});

it('all of that charged nothing, queued nothing and left nothing in the usage log', async () => {
  expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(1_000);
  expect((await api.get('/v1/jobs', tenant.key)).body.count).toBe(1);
  expect((await api.get('/v1/usage', tenant.key)).body.total).toBe(1);
});

const keyFields = new Set(['product_image_s3_key', 'source_image_s3_key', 'trial_image']);

/** `trial_image` is an id where it is an item's. */
function isKey({ field, path, value }: FieldCase): boolean {
  return keyFields.has(field) && path.length === 1 && !isEmpty(value) && value !== things.uploadKey;
}

/** `accepted`, `found nothing`, or where the one complaint points. */
async function dryRun(workflow: string, body: unknown): Promise<string> {
  const answer = await api.post(`/v1/${workflow}?dry_run=true`, tenant.key, body);
  if (answer.status === 200) return 'accepted';
  if (answer.status === 404) return 'found nothing';
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
  return complaints(answer).join(' and ');
}
