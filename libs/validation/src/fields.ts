import 'reflect-metadata';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { ulidPattern } from '#platform/ids.js';
import type { RuleContext, Shape } from './validate.js';

/*
 * The fields of a request. Each decorator holds class-validator's rules, the description in openapi.json and the error
 * message, so that each bound is written once. Optional fields of a body may be null, which means the same as absent.
 */

/**
 * The description in openapi.json of each field, in the order of declaration, and of each class with objects in its
 * fields. It is collected for the API, so that other processes need not load swagger.
 */
export const fieldDescriptions: {
  readonly fields: {
    readonly prototype: object;
    readonly property: string | symbol;
    readonly schema: object;
  }[];
  readonly shapes: { readonly owner: object; readonly shape: Shape }[];
} = { fields: [], shapes: [] };

interface FieldOptions {
  readonly description: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly default?: unknown;
  /**
   * The API's list of the values that the field may name: `/v1/presets?kind=model`. Forms made from openapi.json show
   * it.
   */
  readonly choices?: string;
  readonly fromText?: RuleContext['fromText'];
}

/** The type of a field, or of each item of a list. */
interface ValueKind {
  /** `detail[].type` of a broken rule. */
  readonly type: string;
  /**
   * The second half of a sentence: `must be …`. All rules of the field have the same text, so it states all of them.
   */
  readonly message: string;
  /** For openapi.json. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The first rule that is broken stops the others. */
  rules(options: ValidationOptions): PropertyDecorator[];
}

function optionsOf({ type, message }: ValueKind, more: RuleContext = {}): ValidationOptions {
  return { message, context: { type, ...more } satisfies RuleContext };
}

/**
 * A field of any kind. @param schema replaces the kind's own schema: swagger makes named enumerations and references
 * from it
 */
export function field(
  { required = false, fromText, choices, ...shown }: FieldOptions,
  kind: ValueKind,
  schema: object = kind.schema,
): PropertyDecorator {
  const rules = [
    ...(required ? [] : [IsOptional()]),
    ...kind.rules(optionsOf(kind, fromText && { fromText })),
  ];
  const description = {
    ...schema,
    ...shown,
    required,
    ...(required ? {} : { nullable: true }),
    ...(choices === undefined ? {} : { 'x-choices': choices }),
  };
  return (prototype, property) => {
    for (const rule of rules) rule(prototype, property);
    fieldDescriptions.fields.push({ prototype, property, schema: description });
  };
}

export function TextField({
  min = 0,
  max,
  ...rest
}: FieldOptions & { min?: number; max: number }): PropertyDecorator {
  return field(rest, text({ min, max }));
}

export function ChoiceField({
  values,
  name,
  ...rest
}: FieldOptions & { values: readonly string[]; name?: string }): PropertyDecorator {
  // Null is not a member of the enumeration: the schema allows a reference to the enumeration, or null.
  const schema = { enum: [...values], ...(name === undefined ? {} : { enumName: name }) };
  return field(rest, choice(values), schema);
}

export function IntegerField({
  min,
  max,
  ...rest
}: FieldOptions & { min: number; max: number }): PropertyDecorator {
  return field(rest, integer({ min, max }));
}

export function NumberField({
  min,
  max,
  ...rest
}: FieldOptions & { min: number; max: number }): PropertyDecorator {
  return field(rest, {
    type: 'number',
    message: `must be a number from ${min} to ${max}`,
    schema: { type: 'number', minimum: min, maximum: max },
    rules: (told) => [IsNumber({}, told), Min(min, told), Max(max, told)],
  });
}

export function BooleanField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    type: 'boolean',
    message: 'must be true or false',
    schema: { type: 'boolean' },
    rules: (told) => [IsBoolean(told)],
  });
}

/** The id of something: a ULID. */
export function IdField(options: FieldOptions): PropertyDecorator {
  return field({ example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE', ...options }, id);
}

/**
 * A picture by its asset id. `x-picture` marks these fields, so a client can offer to choose a file, upload it, and
 * send the id.
 */
export function PictureField(options: FieldOptions): PropertyDecorator {
  return field({ example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE', ...options }, pictureId);
}

/** An object of arbitrary values, bounded by its size as JSON. */
export function ObjectField({ maxBytes, ...rest }: FieldOptions & { maxBytes: number }): PropertyDecorator {
  const description = `${rest.description} At most ${maxBytes} bytes as JSON.`;
  return field(
    { ...rest, description },
    {
      type: 'object',
      message: `must be an object of at most ${maxBytes} bytes of JSON`,
      schema: { type: 'object', additionalProperties: true },
      rules: (told) => [IsObject(told), MaxJsonBytes(maxBytes, told)],
    },
  );
}

export function NestedField({ shape, ...rest }: FieldOptions & { shape: Shape }): PropertyDecorator {
  return field(rest, nested(shape), { type: shape });
}

export function ListField({
  items,
  min = 0,
  max,
  unique = false,
  ...rest
}: FieldOptions & { items: ValueKind; min?: number; max: number; unique?: boolean }): PropertyDecorator {
  const size = min === max ? `${max}` : min > 0 ? `${min} to ${max}` : `at most ${max}`;
  const bounds = { ...(min > 0 ? { minItems: min } : {}), maxItems: max };
  return field(rest, {
    type: 'array',
    message: `must be an array of ${size} ${max === 1 ? 'item' : 'items'}${unique ? ', each only once' : ''}`,
    schema: { type: 'array', items: items.schema, ...bounds, ...(unique ? { uniqueItems: true } : {}) },
    rules: (told) => [
      IsArray(told),
      ArrayMinSize(min, told),
      ArrayMaxSize(max, told),
      ...(unique ? [ArrayUnique(told)] : []),
      ...items.rules({ ...optionsOf(items), each: true }),
    ],
  });
}

export function text({ min = 0, max }: { min?: number; max: number }): ValueKind {
  const lengths = min === max ? `${max}` : min > 0 ? `${min} to ${max}` : `at most ${max}`;
  return {
    type: 'string',
    message: `must be a string of ${lengths} characters`,
    schema: { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max },
    rules: (told) => [IsString(told), CharacterCount(min, max, told)],
  };
}

export function choice(values: readonly string[]): ValueKind {
  return {
    type: 'enum',
    message: `must be one of: ${values.join(', ')}`,
    schema: { type: 'string', enum: [...values] },
    rules: (told) => [IsIn(values, told)],
  };
}

export function integer({ min, max }: { min: number; max: number }): ValueKind {
  return {
    type: 'integer',
    message: `must be an integer from ${min} to ${max}`,
    schema: { type: 'integer', minimum: min, maximum: max },
    rules: (told) => [IsInt(told), Min(min, told), Max(max, told)],
  };
}

/** The id of something: a ULID. */
export const id: ValueKind = {
  type: 'id',
  message: 'must be an id: a ULID of 26 characters',
  schema: { type: 'string', minLength: 26, maxLength: 26, pattern: ulidPattern.source },
  rules: (told) => [Matches(ulidPattern, told)],
};

export const pictureId: ValueKind = {
  ...id,
  message: 'must be an asset_id: a ULID of 26 characters, not an upload_key and not an address',
  schema: { ...id.schema, 'x-picture': true },
};

export function nested(shape: Shape): ValueKind {
  return {
    type: 'object',
    message: 'must be an object',
    schema: { $ref: `#/components/schemas/${shape.name}` },
    rules: (told) => [
      ({ constructor: owner }) => void fieldDescriptions.shapes.push({ owner, shape }),
      IsObject(told),
      ValidateNested({ ...told, context: { ...told.context, shape } }),
    ],
  };
}

/** Characters as people count them: an emoji is one. */
function CharacterCount(min: number, max: number, options: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    if (typeof value !== 'string') return false;
    // A string has no more characters than units, and at least half as many.
    const exact = value.length > max || value.length < 2 * min;
    const count = exact ? [...value].length : value.length;
    return count >= min && count <= max;
  };
  return ValidateBy({ name: 'characterCount', constraints: [min, max], validator: { validate } }, options);
}

function MaxJsonBytes(max: number, options: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= max;
  return ValidateBy({ name: 'maxJsonBytes', constraints: [max], validator: { validate } }, options);
}
