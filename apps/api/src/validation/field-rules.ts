import { getMetadataStorage } from 'class-validator';
import type { FieldProblem } from '../errors/api-error.js';

/** The rule of one field, as its decorator declares it. */
export interface FieldRule {
  readonly required: boolean;
  /** What follows «is required and». */
  readonly message: string;
  /**
   * What a request is left with in this field: the value, and where it is an object, an instance of its class. What is
   * wrong with it is added to `problems`, each `loc` leading on from here.
   */
  read(value: unknown, problems: FieldProblem[]): unknown;
}

export type Shape<T extends object> = new () => T;

const declared = new WeakMap<object, Map<string, FieldRule>>();

/** Notes a rule beside class-validator's own metadata. */
export function noteRule(prototype: object, property: string, rule: FieldRule): void {
  const rules = declared.get(prototype) ?? new Map<string, FieldRule>();
  declared.set(prototype, rules.set(property, rule));
}

const compiled = new WeakMap<object, ReadonlyMap<string, FieldRule> | 'not all'>();

/**
 * All rules of a shape, inherited ones included, in one map; undefined when class-validator knows more about it
 * than these rules say (other decorators).
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

/**
 * Holds parsed JSON to the rules of a shape: every field that is wrong, missing or unknown is added to `problems`.
 * @returns an instance in which null is the same as absent, and defaults are in place; of use only without problems
 */
export function readObject<T extends object>(
  shape: Shape<T>,
  rules: ReadonlyMap<string, FieldRule>,
  value: unknown,
  problems: FieldProblem[],
): T {
  const instance = new shape();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push({ loc: [], msg: 'must be an object', type: 'object' });
    return instance;
  }
  const fields = instance as Record<string, unknown>;
  for (const [name, rule] of rules) {
    const given = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (given !== undefined && given !== null) fields[name] = readPart(rule, name, given, problems);
    else if (rule.required) {
      problems.push({ loc: [name], msg: `is required and ${rule.message}`, type: 'missing' });
    }
  }
  for (const name of Object.keys(value)) {
    if (!rules.has(name)) {
      problems.push({ loc: [name], msg: 'is not a field of this request', type: 'extra_forbidden' });
    }
  }
  return instance;
}

/** Reads what stands at `place` of something larger: what is wrong with it is found by way of that place. */
export function readPart(
  rule: Pick<FieldRule, 'read'>,
  place: string | number,
  value: unknown,
  problems: FieldProblem[],
): unknown {
  const before = problems.length;
  const read = rule.read(value, problems);
  for (let index = before; index < problems.length; index++) {
    const problem = problems[index] as FieldProblem;
    problems[index] = { ...problem, loc: [place, ...problem.loc] };
  }
  return read;
}
