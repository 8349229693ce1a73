import { describe, expect, it } from 'vitest';
import { workflowOf, workflows } from '#workflows/workflows.js';
import { sandboxAlone, sandboxModel } from '#platform/image-models.js';
import { complaints } from '../support/api-client.js';
import { bodyExamples, bodySchema, fieldsOf } from './body-schemas.js';
import { bodiesOf, bodyWith, brokenRules, valueAt, wideModel, withValue } from './declared-bodies.js';
import { casesOf, type FieldCase, type OwnValues } from './field-cases.js';
import { callsOfThings, makeThings } from './things.js';
import { openWorld } from '../support/world.js';

// The wide model comes first: it draws where a body names no model, and it takes as many pictures as the
// schema allows.
const imageModels = { ...sandboxAlone, models: [wideModel, sandboxModel] };
const { service, api, tenant } = await openWorld({ credits: 1_005, configuration: { imageModels } });
const things = await makeThings(service, api, tenant);

/** The list of models is configuration and not a bound of the schema, so these values replace the schema's. */
const imageModel: OwnValues = {
  good: ['sketch-1', wideModel.id],
  bad: ['sketch-2', 'Sketch-1', '', 'w'.repeat(63), 'w'.repeat(65), 7, ['sketch-1']],
};
const own: Readonly<Record<string, OwnValues>> = { image_model: imageModel, model: imageModel };

function casesFor(workflow: string): FieldCase[] {
  return casesOf(bodySchema(workflow), (path) => valueAt(bodyWith(workflow, things, path), path), own);
}

/**
 * The expected outcome of a value in its body. The rules between fields apply only when each field is valid.
 */
function expectedOf(workflow: string, each: FieldCase, body: Record<string, unknown>): string {
  if (each.complaint) return ['body', ...each.complaint].join('.');
  const broken = brokenRules(workflow, body).map(({ loc }) => loc.join('.'));
  if (broken.length > 0) return broken.join(' and ');
  // A storage key of the right length may still name nothing.
  return namesNothing(workflow, each) ? 'found nothing' : 'accepted';
}

const isEmpty = (value: unknown) => value === undefined || value === null;

function namesNothing(workflow: string, { field, value }: FieldCase): boolean {
  const { references } = workflowOf(workflow);
  const isKey = references.some((reference) => reference.by === 'storage-key' && reference.field === field);
  return isKey && !isEmpty(value) && value !== things.uploadKey;
}

describe.each(workflows.map(({ name }) => name))('POST /v1/%s', (workflow) => {
  const fields = [...new Set(casesFor(workflow).map(({ field }) => field))];

  it('has every field of openapi.json among its cases, with values that pass and values that do not', () => {
    const cases = casesFor(workflow);
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
    const cases = casesFor(workflow)
      .filter((each) => each.field === field)
      .map((each) => ({
        ...each,
        body: withValue(bodyWith(workflow, things, each.path), each.path, each.value),
      }));
    const answers = await Promise.all(cases.map(({ body }) => dryRun(workflow, body)));
    const told = cases.map(({ value }, index) => ({ value, answer: answers[index] }));
    const expected = cases.map((each) => ({
      value: each.value,
      answer: expectedOf(workflow, each, each.body),
    }));
    expect(told).toEqual(expected);
  });

  it('refers to things by fields that it has', () => {
    const known = fieldsOf(bodySchema(workflow));
    for (const { field } of workflowOf(workflow).references) expect(known).toContain(field);
  });

  it('refuses fields that it does not know, and bodies that are no object', async () => {
    const [body] = bodiesOf(workflow, things);
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
    const varied = casesFor(workflow).map(({ path }) => bodyWith(workflow, things, path.slice(0, -1)));
    const bodies = new Map(
      [...bodiesOf(workflow, things), ...varied].map((body) => [JSON.stringify(body), body]),
    );
    for (const body of bodies.values()) expect(await dryRun(workflow, body)).toBe('accepted');
  });
});

it('all of that charged nothing, queued nothing and left nothing in the usage log', async () => {
  expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(1_000);
  expect((await api.get('/v1/jobs', tenant.key)).body.count).toBe(1);
  expect((await api.get('/v1/usage', tenant.key)).body.total).toBe(callsOfThings);
});

/** `accepted`, `found nothing`, or the place of the one complaint. */
async function dryRun(workflow: string, body: unknown): Promise<string> {
  const answer = await api.post(`/v1/${workflow}?dry_run=true`, tenant.key, body);
  if (answer.status === 200) return 'accepted';
  if (answer.status === 404) return 'found nothing';
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
  return complaints(answer).join(' and ');
}
