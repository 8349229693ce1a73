import { Ajv2020 } from 'ajv/dist/2020.js';
import fc, { type Arbitrary } from 'fast-check';

/** The parts of JSON Schema that openapi.json uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Values that the service knows in a field of this name; undefined: any value will do. */
export type Vocabulary = (field: string) => readonly unknown[] | undefined;

/**
 * Values that a schema allows. Known words of the vocabulary are frequent, so that requests get past
 * validation.
 */
export class SchemaArbitraries {
  private readonly ajv = new Ajv2020({ strict: false });

  constructor(
    private readonly components: Readonly<Record<string, Schema>>,
    readonly words: Vocabulary,
  ) {}

  private resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.resolve(this.components[name] ?? {});
  }

  of(given: Schema, field = ''): Arbitrary<unknown> {
    const schema = this.resolve(given);
    // Beside fields they are rules between those fields.
    const choices = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf);
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, field)));
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['string']);
    const words = this.words(field);
    const any = fc.oneof(...types.map((type) => this.ofType(type, schema, field)));
    return words && types.includes('string')
      ? fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: any })
      : any;
  }

  private ofType(type: string, schema: Schema, field: string): Arbitrary<unknown> {
    const { minimum: min = -1_000_000, maximum: max = 1_000_000 } = schema;
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min, max });
      case 'number':
        return fc.double({ min, max, noNaN: true });
      case 'array':
        return this.array(schema, field);
      case 'object':
        return this.object(schema);
      default:
        return text(schema);
    }
  }

  private array(
    { items = {}, minItems = 0, maxItems = 4, uniqueItems }: Schema,
    field: string,
  ): Arbitrary<unknown[]> {
    const item = this.of(items, field);
    const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) };
    return uniqueItems ? fc.uniqueArray(item, lengths) : fc.array(item, lengths);
  }

  private object(schema: Schema): Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties: _, ...relations } = schema;
    const keepsRelations = this.ajv.compile(relations);
    const entries = Object.entries(properties).map(([name, field]) => {
      const value = this.of(field, name);
      // Bodies have few optional fields at a time: many exclude each other, and a body with all of them is
      // always refused.
      return required.includes(name)
        ? value.map((each) => [name, each] as const)
        : fc.option(
            value.map((each) => [name, each] as const),
            { nil: undefined, freq: 2 },
          );
    });
    return fc
      .tuple(...entries)
      .map((fields) => Object.fromEntries(fields.filter((each) => each !== undefined)) as unknown)
      .filter((body) => keepsRelations(body));
  }
}

function text({ minLength = 0, maxLength = 64, pattern, format }: Schema): Arbitrary<string> {
  if (format === 'date-time') {
    const max = new Date('2100-01-01');
    return fc.date({ min: new Date(0), max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 60), unit: 'grapheme' });
}
