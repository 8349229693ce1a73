import { getMetadataStorage } from 'class-validator';

/*
 * Rules between the fields of one shape. Each rule holds its check, its error message and its description in
 * openapi.json, so that a request made from the description keeps the rule. A field that is null counts as absent.
 */

export type Shape<T extends object = object> = new () => T;

/** One field that is wrong. `loc` is its path in the request: `['body', 'items', 0, 'trial_image']`. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Stable and machine-readable, for example `missing`, `enum`, `extra_forbidden`. */
  readonly type: string;
}

export interface Relation<Body extends object = object> {
  readonly fields: readonly string[];
  /** For openapi.json; absent for a rule that JSON Schema cannot say. */
  readonly schema?: JsonSchema;
  /** @param loc where the body stands in the request */
  problems(body: Body, loc: FieldProblem['loc']): FieldProblem[];
}

type JsonSchema = Readonly<Record<string, unknown>>;

interface Condition {
  readonly field: string;
  readonly schema: JsonSchema;
  holds(body: object): boolean;
}

/** class-validator's rules of a shape, inherited ones included. */
export const rulesOf = (shape: Function) =>
  getMetadataStorage().getTargetValidationMetadatas(shape, '', true, false);

const declared = new WeakMap<Shape, readonly Relation[]>();

/**
 * Adds rules between fields to a class; classes that extend it inherit them.
 * @throws Error for a field that the class lacks
 */
export function Relations<Body extends object>(...own: readonly Relation<Body>[]) {
  return (shape: Shape<Body>): void => {
    const known = new Set(rulesOf(shape).map(({ propertyName }) => propertyName));
    const unknown = own.flatMap(({ fields }) => fields).filter((field) => !known.has(field));
    if (unknown.length > 0) throw new Error(`${shape.name} has no field ${unknown.join(', ')}`);
    declared.set(shape, own);
  };
}

/** The rules of a shape, with those of the classes that it extends. */
export function relationsOf(shape: Shape): readonly Relation[] {
  const parent = Object.getPrototypeOf(shape) as Shape | null;
  return [...(parent ? relationsOf(parent) : []), ...(declared.get(shape) ?? [])];
}

export function exactlyOneOf(...conditions: readonly [Condition, Condition, ...Condition[]]): Relation {
  const fields = conditions.map(({ field }) => field);
  const [{ field: first }, ...rest] = conditions;
  const others = rest.map(({ field }) => field).join(' or ');
  return {
    fields,
    schema: { oneOf: conditions.map(({ schema }) => schema) },
    problems(body, loc) {
      const count = conditions.filter((condition) => condition.holds(body)).length;
      if (count === 1) return [];
      if (count === 0) return [missing(loc, first, `or ${others} is required`)];
      return [problem(loc, first, `and ${others} exclude each other: send one of them`)];
    },
  };
}

/** @param why the end of the error's sentence */
export function atLeastOneOf(
  fields: readonly [string, ...string[]],
  why: string,
  when?: Condition,
): Relation {
  const [first, ...others] = fields;
  const schema = { anyOf: fields.map((field) => given(field).schema) };
  return {
    fields: [...fields, ...(when ? [when.field] : [])],
    schema: when ? { if: when.schema, then: schema } : schema,
    problems: (body, loc) =>
      (when && !when.holds(body)) || fields.some((field) => given(field).holds(body))
        ? []
        : [missing(loc, first, `or ${others.join(' or ')} is required${why}`)],
  };
}

/** If the condition holds, the fields must be absent. @param msg the error of each field that is given */
export function noneOf(fields: readonly string[], when: Condition, msg: string, type?: string): Relation {
  const absent = Object.fromEntries(fields.map((field) => [field, { type: 'null' }]));
  return {
    fields: [...fields, when.field],
    schema: { if: when.schema, then: among(absent) },
    problems: (body, loc) =>
      when.holds(body)
        ? fields.filter((field) => given(field).holds(body)).map((field) => problem(loc, field, msg, type))
        : [],
  };
}

export function implies(
  when: Condition,
  then: Condition,
  { field, msg, type }: { field: string; msg: string; type?: string },
): Relation {
  return {
    fields: [when.field, then.field],
    schema: { if: when.schema, then: then.schema },
    problems: (body, loc) => (when.holds(body) && !then.holds(body) ? [problem(loc, field, msg, type)] : []),
  };
}

/**
 * A schema for some fields that allows others. Without the explicit permission, linters treat a schema with listed
 * fields as closed.
 */
/** One request cannot both set a field and list it in `clear`. */
export function setOrCleared<Field extends string>(
  fields: readonly Field[],
): Relation<{ readonly [Each in Field]?: unknown } & { readonly clear?: readonly Field[] }>[] {
  return fields.map((field) => ({
    fields: [field, 'clear'],
    schema: {
      if: given(field).schema,
      then: among({ clear: { anyOf: [{ type: 'null' }, { not: { contains: { const: field } } }] } }),
    },
    problems: (body, loc) =>
      body.clear?.includes(field) && body[field] !== undefined
        ? [{ loc: [...loc, field], msg: 'is also listed in clear: send one of them', type: 'value' }]
        : [],
  }));
}

export function among(properties: JsonSchema): JsonSchema {
  return { properties, unevaluatedProperties: true };
}

export function given(field: string): Condition {
  return {
    field,
    schema: { required: [field], ...among({ [field]: { not: { type: 'null' } } }) },
    holds: (body) => Reflect.get(body, field) !== undefined,
  };
}

export function equal(field: string, value: string | boolean): Condition {
  return {
    field,
    schema: { required: [field], ...among({ [field]: { const: value } }) },
    holds: (body) => Reflect.get(body, field) === value,
  };
}

export function oneOf(field: string, values: readonly string[]): Condition {
  return {
    field,
    schema: { required: [field], ...among({ [field]: { enum: values } }) },
    holds: (body) => values.some((value) => value === Reflect.get(body, field)),
  };
}

function problem(loc: FieldProblem['loc'], field: string, msg: string, type = 'value'): FieldProblem {
  return { loc: [...loc, field], msg, type };
}

function missing(loc: FieldProblem['loc'], field: string, msg: string): FieldProblem {
  return problem(loc, field, msg, 'missing');
}
