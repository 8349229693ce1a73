import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { isId } from '#platform/ids.js';
import { noteRule } from './field-rules.js';

/*
 * A field of a request, said once: the rule that it is held to, and the same rule for openapi.json. Optional fields
 * may be null, which means the same as absent.
 */

interface FieldOptions {
  readonly description: string;
  /** Query parameters cannot be null. Default: whatever is optional can. */
  readonly nullable?: boolean;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly default?: unknown;
}

/** @param type what `detail[].type` says when the rule is broken */
function field(
  { required = false, nullable = !required, ...shown }: FieldOptions,
  rule: { type: string; test: (value: unknown) => boolean; message: string },
  schema: ApiPropertyOptions,
): PropertyDecorator {
  const { type: name, test, message } = rule;
  return applyDecorators(
    (prototype: object, property: string | symbol) =>
      noteRule(prototype, String(property), { required, test }),
    ...(required ? [] : [IsOptional()]),
    ValidateBy({ name, validator: { validate: test, defaultMessage: () => message } }),
    ApiProperty({
      ...schema,
      ...shown,
      required,
      ...(nullable ? { nullable } : {}),
    } as ApiPropertyOptions),
  );
}

export function TextField(options: FieldOptions & { min?: number; max: number }): PropertyDecorator {
  const { min = 0, max, ...rest } = options;
  const lengths = min > 0 ? `${min} to ${max}` : `at most ${max}`;
  return field(
    rest,
    {
      type: 'string',
      // Counted in characters as people see them, so that an emoji is not two.
      test: (value) =>
        typeof value === 'string' && within(value.length > max ? [...value].length : value.length, min, max),
      message: `must be a string of ${lengths} characters`,
    },
    { type: String, ...(min > 0 ? { minLength: min } : {}), maxLength: max },
  );
}

function within(size: number, min: number, max: number): boolean {
  return size >= min && size <= max;
}

export function ChoiceField(
  options: FieldOptions & { values: readonly string[]; name?: string },
): PropertyDecorator {
  const { values, name, ...rest } = options;
  return field(
    rest,
    {
      type: 'enum',
      test: (value) => typeof value === 'string' && values.includes(value),
      message: `must be one of: ${values.join(', ')}`,
    },
    // Null is no member of the enumeration itself: a reference to it stands beside null.
    { enum: [...values], ...(name === undefined ? {} : { enumName: name }) },
  );
}

export function IntegerField(options: FieldOptions & { min: number; max: number }): PropertyDecorator {
  const { min, max, ...rest } = options;
  return field(
    rest,
    {
      type: 'integer',
      test: (value) => Number.isInteger(value) && within(value as number, min, max),
      message: `must be an integer from ${min} to ${max}`,
    },
    { type: 'integer', minimum: min, maximum: max },
  );
}

export function BooleanField(options: FieldOptions): PropertyDecorator {
  const test = (value: unknown) => typeof value === 'boolean';
  return field(options, { type: 'boolean', test, message: 'must be true or false' }, { type: Boolean });
}

/** The id of something: a ULID. */
export function IdField(options: FieldOptions): PropertyDecorator {
  return field(
    { example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE', ...options },
    {
      type: 'id',
      test: (value) => typeof value === 'string' && isId(value),
      message: 'must be an id: a ULID of 26 characters',
    },
    { type: String, minLength: 26, maxLength: 26, pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' },
  );
}

/** An object of arbitrary values, bounded by its size as JSON. */
export function ObjectField(options: FieldOptions & { maxBytes: number }): PropertyDecorator {
  const { maxBytes, ...rest } = options;
  const test = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
  const description = `${rest.description} At most ${maxBytes} bytes as JSON.`;
  return field(
    { ...rest, description },
    { type: 'object', test, message: `must be an object of at most ${maxBytes} bytes of JSON` },
    { type: 'object', additionalProperties: true },
  );
}
