import { getMetadataStorage } from 'class-validator';

/** The rule of one field, as its decorator declares it. */
export interface FieldRule {
  readonly required: boolean;
  readonly test: (value: unknown) => boolean;
}

type Shape<T extends object> = new () => T;

const declared = new WeakMap<object, Map<string, FieldRule>>();

/** Notes a rule beside class-validator's own metadata. */
export function noteRule(prototype: object, property: string, rule: FieldRule): void {
  const rules = declared.get(prototype) ?? new Map<string, FieldRule>();
  declared.set(prototype, rules.set(property, rule));
}

const compiled = new WeakMap<object, ReadonlyMap<string, FieldRule> | 'not all'>();

/**
 * All rules of a shape, inherited ones included, in one map; undefined when class-validator knows more about it
 * than these rules say (nested shapes, other decorators).
 */
export function rulesOf(shape: Shape<object>): ReadonlyMap<string, FieldRule> | undefined {
  let rules = compiled.get(shape);
  if (rules === undefined) {
    rules = compile(shape);
    compiled.set(shape, rules);
  }
  return rules === 'not all' ? undefined : rules;
}

function compile(shape: Shape<object>): ReadonlyMap<string, FieldRule> | 'not all' {
  const rules = new Map<string, FieldRule>();
  for (let prototype = shape.prototype as object; prototype !== Object.prototype;) {
    for (const [property, rule] of declared.get(prototype) ?? []) {
      // The nearest class has the last word.
      if (!rules.has(property)) rules.set(property, rule);
    }
    prototype = Object.getPrototypeOf(prototype) as object;
  }
  const metadata = getMetadataStorage().getTargetValidationMetadatas(shape, '', true, false);
  const perField = new Map<string, number>();
  for (const { propertyName, type } of metadata) {
    if (type === 'customValidation') perField.set(propertyName, (perField.get(propertyName) ?? 0) + 1);
    else if (type !== 'conditionalValidation') return 'not all';
  }
  const same = perField.size === rules.size && [...rules.keys()].every((name) => perField.get(name) === 1);
  return same ? rules : 'not all';
}
