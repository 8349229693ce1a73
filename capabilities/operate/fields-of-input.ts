import { fieldDescriptions } from '#validation/fields.js';
import type { Shape } from '#validation/validate.js';

/** The descriptions of an input's fields, in the order of their declaration. */
export function fieldsOf(input: Shape) {
  const chain = new Set<object>();
  // The end of the chain is null.
  for (let each = input.prototype as object | null; each; each = Object.getPrototypeOf(each) as object | null)
    chain.add(each);
  return fieldDescriptions.fields
    .filter(({ prototype }) => chain.has(prototype))
    .map(({ property, schema }) => ({ name: String(property), schema: schema as FieldSchema }));
}

export interface FieldSchema {
  readonly description: string;
  readonly type?: string;
  readonly required: boolean;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly [word: string]: unknown;
}
