import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { noteRule, type Shape } from './field-rules.js';
import * as kinds from './value-kinds.js';
import type { ValueKind } from './value-kinds.js';

/*
 * A field of a request: its kind, and whether it has to be there. Optional fields may be null, which means the same
 * as absent.
 */

interface FieldOptions {
  readonly description: string;
  /** Query parameters cannot be null. Default: whatever is optional can. */
  readonly nullable?: boolean;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly default?: unknown;
}

/** @param schema where the kind's own does not do: swagger makes named enumerations and references from these words */
function field(
  { required = false, nullable = !required, ...shown }: FieldOptions,
  kind: ValueKind,
  schema: object = kind.schema,
): PropertyDecorator {
  const { type: name, message, models } = kind;
  return applyDecorators(
    (prototype: object, property: string | symbol) => {
      noteRule(prototype, String(property), {
        ...{ required, message },
        read: (value, problems) => kind.read(value, problems),
      });
      if (models.length > 0) ApiExtraModels(...models)(prototype.constructor);
    },
    ...(required ? [] : [IsOptional()]),
    ValidateBy({ name, validator: { validate: isClean(kind), defaultMessage: () => message } }),
    ApiProperty({ ...schema, ...shown, required, ...(nullable ? { nullable } : {}) }),
  );
}

const isClean =
  (kind: ValueKind) =>
  (value: unknown): boolean => {
    const problems: [] = [];
    kind.read(value, problems);
    return problems.length === 0;
  };

export function TextField(options: FieldOptions & { min?: number; max: number }): PropertyDecorator {
  const { min = 0, max, ...rest } = options;
  return field(rest, kinds.text({ min, max }));
}

export function ChoiceField(
  options: FieldOptions & { values: readonly string[]; name?: string },
): PropertyDecorator {
  const { values, name, ...rest } = options;
  // Null is no member of the enumeration itself: a reference to it stands beside null.
  const schema = { enum: [...values], ...(name === undefined ? {} : { enumName: name }) };
  return field(rest, kinds.choice(values), schema);
}

export function IntegerField(options: FieldOptions & { min: number; max: number }): PropertyDecorator {
  const { min, max, ...rest } = options;
  return field(rest, kinds.integer({ min, max }));
}

export function NumberField(options: FieldOptions & { min: number; max: number }): PropertyDecorator {
  const { min, max, ...rest } = options;
  return field(rest, kinds.number({ min, max }));
}

export function BooleanField(options: FieldOptions): PropertyDecorator {
  return field(options, kinds.boolean);
}

/** The id of something: a ULID. */
export function IdField(options: FieldOptions): PropertyDecorator {
  return field({ example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE', ...options }, kinds.id);
}

/** An object of arbitrary values, bounded by its size as JSON. */
export function ObjectField(options: FieldOptions & { maxBytes: number }): PropertyDecorator {
  const { maxBytes, ...rest } = options;
  const description = `${rest.description} At most ${maxBytes} bytes as JSON.`;
  return field({ ...rest, description }, kinds.freeObject(maxBytes));
}

/** An object with fields of its own. */
export function NestedField(options: FieldOptions & { shape: Shape<object> }): PropertyDecorator {
  const { shape, ...rest } = options;
  return field(rest, kinds.nested(shape), { type: shape });
}

/** An array of items of one kind, see `value-kinds.ts`. */
export function ListField(
  options: FieldOptions & { items: ValueKind; min?: number; max: number; unique?: boolean },
): PropertyDecorator {
  const { items, min = 0, max, unique = false, ...rest } = options;
  return field(rest, kinds.list(items, { min, max, unique }));
}
