import { resolve, type Schema } from './body-schemas.js';

export type Path = readonly (string | number)[];

/** A value for one field, and its expected outcome. */
export interface FieldCase {
  /** `items[].trial_image` */
  readonly field: string;
  readonly path: Path;
  /** Absent: the field is left out. */
  readonly value?: unknown;
  /** Undefined: the value passes. Otherwise the place of the one complaint. */
  readonly complaint: Path | undefined;
}

type Json = unknown;

/** The value of a field in an accepted body: an item to repeat, or an id that names something. */
export type Known = (path: Path) => Json;

/**
 * Makes cases for every field of a schema from its own bounds: a value at each bound passes; a value one beyond
 * it, or of another type, fails.
 * @param own cases that the schema cannot know, by field; they replace the generated ones
 */
export function casesOf(schema: Schema, known: Known, own: Readonly<Record<string, OwnValues>>): FieldCase[] {
  return objectCases(schema, [], '', known, own);
}

export interface OwnValues {
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
}

function objectCases(
  { properties = {}, required = [] }: Schema,
  path: Path,
  prefix: string,
  known: Known,
  own: Readonly<Record<string, OwnValues>>,
): FieldCase[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = `${prefix}${name}`;
    const at = [...path, name];
    const { schema, nullable } = resolve(property);
    const isRequired = required.includes(name);
    if (isRequired === nullable) throw new Error(`${field} is nullable although it is required, or neither`);
    const empty = isRequired ? at : undefined;
    const presence: FieldCase[] = [
      { field, path: at, complaint: empty },
      { field, path: at, value: null, complaint: empty },
    ];
    return [...presence, ...valueCases(schema, at, field, known, own)];
  });
}

function valueCases(
  schema: Schema,
  path: Path,
  field: string,
  known: Known,
  own: Readonly<Record<string, OwnValues>>,
): FieldCase[] {
  const { good, bad } = own[field] ?? valuesOf(schema, known(path));
  const cases = [
    ...good.map((value): FieldCase => ({ field, path, value, complaint: undefined })),
    ...bad.map((value): FieldCase => ({ field, path, value, complaint: path })),
  ];
  if (schema.items) {
    const { schema: items } = resolve(schema.items);
    cases.push({ field: `${field}[]`, path: [...path, 0], value: null, complaint: [...path, 0] });
    cases.push(...valueCases(items, [...path, 0], `${field}[]`, known, own));
  }
  if (schema.properties) {
    const more = [...path, 'more'];
    cases.push({ field, path: more, value: 1, complaint: more });
    cases.push(...objectCases(schema, path, `${field}.`, known, own));
  }
  return cases;
}

function valuesOf(schema: Schema, known: Json): OwnValues {
  if (schema.enum) return enumValues(schema.enum);
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined ? textValues(schema) : idValues(schema, known);
    case 'integer':
    case 'number':
      return numberValues(schema);
    case 'boolean':
      return { good: [true, false], bad: ['true', 1, 0, {}] };
    case 'array':
      return arrayValues(schema, known);
    case 'object':
      return schema.properties ? { good: [known], bad: ['x', 7, [], [known]] } : freeObjectValues(schema);
    default:
      throw new Error(`there are no cases for ${JSON.stringify(schema)}`);
  }
}

function enumValues(values: readonly string[]): OwnValues {
  const other = values.map((value) => value.toUpperCase()).find((value) => !values.includes(value));
  return { good: values, bad: ['', 'nonsense', `${values[0]} `, other ?? 'x', 7, [values[0]]] };
}

function textValues({ minLength = 0, maxLength }: Schema): OwnValues {
  if (maxLength === undefined) throw new Error('a text without a bound');
  return {
    good: ['x'.repeat(minLength), 'x'.repeat(maxLength), '🧵'.repeat(maxLength)],
    bad: [
      'x'.repeat(maxLength + 1),
      '🧵'.repeat(maxLength + 1),
      ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
      7,
      true,
      {},
      ['x'.repeat(minLength)],
    ],
  };
}

/** Ids are ULIDs: no other pattern is in use. */
function idValues({ minLength, maxLength }: Schema, known: Json): OwnValues {
  if (minLength !== 26 || maxLength !== 26 || typeof known !== 'string') throw new Error('not an id');
  const bad = [known.slice(1), `${known}0`, known.toLowerCase(), `8${known.slice(1)}`, 'I'.repeat(26)];
  return { good: [known], bad: [...bad, '', 7, {}, [known]] };
}

function numberValues({ type, minimum, maximum }: Schema): OwnValues {
  if (minimum === undefined || maximum === undefined) throw new Error('a number without bounds');
  const step = type === 'integer' ? 1 : 0.001;
  const bad = [minimum - step, maximum + step, 1e300, String(minimum), true, {}, [minimum]];
  return { good: [minimum, maximum], bad: type === 'integer' ? [...bad, minimum + 0.5] : bad };
}

/** Repeats the items of the known array. Where items must differ, takes those of the enumeration. */
function arrayValues({ minItems = 0, maxItems, uniqueItems = false, items }: Schema, known: Json): OwnValues {
  if (maxItems === undefined || !items || !Array.isArray(known)) throw new Error('an array without a bound');
  const source: Json[] = uniqueItems ? [...(resolve(items).schema.enum ?? [])] : known;
  const some = (count: number): Json[] =>
    Array.from({ length: count }, (_, index) => source[index % source.length]);
  return {
    good: [some(minItems), some(maxItems)],
    bad: [
      some(maxItems + 1),
      ...(minItems > 0 ? [some(minItems - 1)] : []),
      ...(uniqueItems ? [[source[0], source[0]]] : []),
      'x',
      7,
      {},
      { 0: source[0] },
    ],
  };
}

function freeObjectValues({ description = '' }: Schema): OwnValues {
  const bytes = Number(/At most (\d+) bytes/.exec(description)?.[1]);
  if (!bytes) throw new Error('an object without a bound');
  const filled = (size: number) => ({ filling: 'x'.repeat(size - '{"filling":""}'.length) });
  return {
    good: [{}, { a: { b: [1, 'x', null] } }, filled(bytes)],
    bad: [filled(bytes + 1), [], 'x', 7],
  };
}
