import { getSchemaPath } from '@nestjs/swagger';
import { isId } from '#platform/ids.js';
import type { FieldProblem } from '../errors/api-error.js';
import { readObject, readPart, rulesOf, type Shape } from './field-rules.js';

/*
 * What a value of a request can be, said once: the rule that it is held to, and the same rule for openapi.json. A
 * field is of one kind, and a list is of items of one kind.
 */
export interface ValueKind {
  /** What `detail[].type` says when the rule is broken. */
  readonly type: string;
  /** A sentence's second half: `must be …`. */
  readonly message: string;
  /** For openapi.json. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The classes that the schema refers to. */
  readonly models: readonly Shape<object>[];
  /** See `FieldRule.read`. */
  read(value: unknown, problems: FieldProblem[]): unknown;
}

/** A kind whose values are taken as they are. */
function plain(
  type: string,
  message: string,
  schema: ValueKind['schema'],
  test: (value: unknown) => boolean,
): ValueKind {
  const read = (value: unknown, problems: FieldProblem[]): unknown => {
    if (!test(value)) problems.push({ loc: [], msg: message, type });
    return value;
  };
  return { type, message, schema, models: [], read };
}

const within = (size: number, min: number, max: number): boolean => size >= min && size <= max;

/** Text of `min` to `max` characters. */
export function text({ min = 0, max }: { min?: number; max: number }): ValueKind {
  const lengths = min === max ? `${max}` : min > 0 ? `${min} to ${max}` : `at most ${max}`;
  const schema = { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max };
  return plain('string', `must be a string of ${lengths} characters`, schema, (value) => {
    if (typeof value !== 'string') return false;
    // Counted in characters as people see them, so that an emoji is not two; a string has no more of them than units.
    const exact = value.length > max || value.length < 2 * min;
    return within(exact ? [...value].length : value.length, min, max);
  });
}

export function choice(values: readonly string[]): ValueKind {
  const allowed = new Set<unknown>(values);
  const message = `must be one of: ${values.join(', ')}`;
  return plain('enum', message, { type: 'string', enum: [...values] }, (value) => allowed.has(value));
}

export function integer({ min, max }: { min: number; max: number }): ValueKind {
  const message = `must be an integer from ${min} to ${max}`;
  return plain(
    'integer',
    message,
    { type: 'integer', minimum: min, maximum: max },
    (value) => Number.isInteger(value) && within(value as number, min, max),
  );
}

export function number({ min, max }: { min: number; max: number }): ValueKind {
  const message = `must be a number from ${min} to ${max}`;
  return plain(
    'number',
    message,
    { type: 'number', minimum: min, maximum: max },
    (value) => typeof value === 'number' && within(value, min, max),
  );
}

export const boolean: ValueKind = plain(
  'boolean',
  'must be true or false',
  { type: 'boolean' },
  (value) => typeof value === 'boolean',
);

/** The id of something: a ULID. */
export const id: ValueKind = plain(
  'id',
  'must be an id: a ULID of 26 characters',
  { type: 'string', minLength: 26, maxLength: 26, pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' },
  (value) => typeof value === 'string' && isId(value),
);

/** An object of arbitrary values, bounded by its size as JSON. */
export function freeObject(maxBytes: number): ValueKind {
  const message = `must be an object of at most ${maxBytes} bytes of JSON`;
  return plain(
    'object',
    message,
    { type: 'object', additionalProperties: true },
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
  );
}

/** An object with fields of its own: a class whose fields all have decorators of `fields.ts`. */
export function nested(shape: Shape<object>): ValueKind {
  const rules = rulesOf(shape);
  if (!rules) throw new Error(`${shape.name} has fields that say more than these rules can hold`);
  return {
    type: 'object',
    message: 'must be an object',
    schema: { $ref: getSchemaPath(shape) },
    models: [shape],
    read: (value, problems) => readObject(shape, rules, value, problems),
  };
}

/** An array of `min` to `max` items of one kind. */
export function list(
  items: ValueKind,
  { min = 0, max, unique = false }: { min?: number; max: number; unique?: boolean },
): ValueKind {
  const size = min === max ? `${max}` : min > 0 ? `${min} to ${max}` : `at most ${max}`;
  const message = `must be an array of ${size} ${max === 1 ? 'item' : 'items'}${unique ? ', each only once' : ''}`;
  const read = (value: unknown, problems: FieldProblem[]): unknown => {
    const fits = Array.isArray(value) && within(value.length, min, max);
    if (!fits || (unique && new Set<unknown>(value).size < value.length)) {
      problems.push({ loc: [], msg: message, type: 'array' });
      return value;
    }
    return value.map((item: unknown, index) => readPart(items, index, item, problems));
  };
  const bounds = { ...(min > 0 ? { minItems: min } : {}), maxItems: max };
  const schema = { type: 'array', items: items.schema, ...bounds, ...(unique ? { uniqueItems: true } : {}) };
  return { type: 'array', message, schema, models: items.models, read };
}
