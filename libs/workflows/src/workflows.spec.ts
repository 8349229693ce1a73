import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelsSchemaPath } from '#platform/model-registry.js';
import { validate } from '#validation/validate.js';
import type { Workflow } from './define-workflow.js';
import { workflowOf, workflows } from './workflows.js';

const all: readonly Workflow[] = workflows;
const seeds = Array.from({ length: 300 }, (_, index) => index * 7_654_321);

it('no two workflows share a name or a job type', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(new Set(all.map(({ jobType }) => jobType)).size).toBe(all.length);
  expect(() => workflowOf('nonsense')).toThrow(RangeError);
});

it('are all known to the schema of the image models', () => {
  const schema = JSON.parse(readFileSync(modelsSchemaPath(), 'utf8')) as {
    definitions: { workflow: { enum: string[] } };
  };
  expect(schema.definitions.workflow.enum.toSorted()).toEqual(all.map(({ name }) => name).toSorted());
});

describe.each(all.map((workflow) => [workflow.name, workflow] as const))('%s', (name, workflow) => {
  const { body, batch, jobType, examples } = workflow;
  const bodies = Object.values(examples).map((example) => validate(body, example, 'body'));

  it('has a name for its path, a job type, and examples that are in order', () => {
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(jobType).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
    expect(bodies.length).toBeGreaterThan(0);
  });

  it('makes its items jobs of a workflow that there is, if it is a batch', () => {
    if (!batch) return;
    const item = workflowOf(batch.workflow);
    for (const example of bodies) {
      const items = (example as Record<string, unknown>)[batch.field] as unknown[];
      for (const each of items) expect(validate(item.body, { ...(each as object) }, 'body')).toEqual(each);
    }
  });

  it('coins the same name from the same facts, if any, and one that fits display_name', () => {
    for (const example of bodies) {
      for (const seed of seeds) {
        const facts = { seed, body: example, pictures: [], category: 'Wrap dress' };
        const coined = workflow.coinName(facts);
        expect(workflow.coinName(facts)).toBe(coined);
        expect(coined.length).toBeLessThanOrEqual(128);
      }
    }
  });
});
