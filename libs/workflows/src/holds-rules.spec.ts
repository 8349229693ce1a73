import 'reflect-metadata';
import { validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { holdsRules } from '#validation/holds-rules.js';
import { validate } from '#validation/validate.js';
import type { Workflow } from './define-workflow.js';
import { workflows } from './workflows.js';

const all: readonly Workflow[] = workflows;
const odd: readonly unknown[] = [
  undefined,
  null,
  '',
  'x'.repeat(5_000),
  'x',
  -1,
  1.5,
  1e9,
  true,
  {},
  [],
  [null],
  [{}],
];

/** The value with each of its parts replaced by each odd value, one at a time. Parts keep their classes. */
function* spoilt(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value))
    for (const other of [...odd, ...spoilt(part)]) {
      const copy: unknown[] | object = Array.isArray(value)
        ? [...(value as unknown[])]
        : Object.assign(Object.create(Object.getPrototypeOf(value) as object) as object, value);
      Reflect.set(copy, name, other);
      yield copy;
    }
}

describe.each(all.map((workflow) => [workflow.name, workflow] as const))(
  'the rules of %s',
  (_name, workflow) => {
    it('hold if class-validator finds nothing wrong, and only then', () => {
      const judged = { valid: 0, invalid: 0 };
      for (const example of Object.values(workflow.examples)) {
        const body = validate(workflow.body, example, 'body');
        for (const each of [body, ...spoilt(body)]) {
          const instance = each as object;
          const isValid = validateSync(instance, { forbidUnknownValues: true }).length === 0;
          expect([instance, holdsRules(instance)]).toEqual([instance, isValid]);
          judged[isValid ? 'valid' : 'invalid'] += 1;
        }
      }
      expect(judged.valid).toBeGreaterThan(0);
      expect(judged.invalid).toBeGreaterThan(0);
    });
  },
);
