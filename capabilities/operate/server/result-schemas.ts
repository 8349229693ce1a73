import ts from 'typescript';

/** A JSON Schema, as OpenAPI 3.1 has it. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of each call's answer, by the name of the call's export. TypeScript infers the type of the call's `run`,
 * and the schema follows from that type. The description therefore always agrees with the code, and each shape is
 * written once. The sources are read when the description is made.
 */
export function readResultSchemas(): (name: string) => Schema {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, '.');
  const files = ts.sys.readDirectory('capabilities', ['.ts'], ['**/*spec.ts', '**/test']);
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const exported = files.flatMap((path) => {
    const symbol = checker.getSymbolAtLocation(program.getSourceFile(path)!);
    return symbol ? checker.getExportsOfModule(symbol) : [];
  });
  return (name) => {
    const types = exported.filter((each) => each.name === name).map((each) => checker.getTypeOfSymbol(each));
    const call = types.find(({ symbol }) => symbol?.name === 'Call');
    // Call<Input, Result>
    const [, result] = call ? checker.getTypeArguments(call as ts.TypeReference) : [];
    if (!result) throw new Error(`there is no call ${name}`);
    // For a call that answers with lines, the schema is that of one line.
    const [line] = /^Async/.test(result.symbol?.name ?? '')
      ? checker.getTypeArguments(result as ts.TypeReference)
      : [];
    return new SchemaWriter(checker).schemaOf(line ?? result);
  };
}

/** Describes the form that the values of a type have as JSON. */
class SchemaWriter {
  private readonly open: ts.Type[] = [];

  constructor(private readonly checker: ts.TypeChecker) {}

  schemaOf(type: ts.Type): Schema {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (type.isStringLiteral()) return { type: 'string', enum: [type.value] };
    if (flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { type: 'boolean', enum: [this.checker.typeToString(type) === 'true'] };
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    // A bigint is text, because it may exceed what a JSON number holds exactly.
    if (flags & (ts.TypeFlags.StringLike | ts.TypeFlags.BigIntLike)) return { type: 'string' };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isUnion()) return this.unionOf(type);
    if (type.symbol?.name === 'Date') return { type: 'string', format: 'date-time' };
    if (this.checker.isArrayType(type) || this.checker.isTupleType(type)) {
      const items = this.checker
        .getTypeArguments(type as ts.TypeReference)
        .map((each) => this.schemaOf(each));
      return { type: 'array', items: eitherOf(items) };
    }
    return this.objectOf(type);
  }

  private unionOf(type: ts.UnionType): Schema {
    // JSON leaves undefined values out.
    const given = type.types.filter((each) => !isMissing(each));
    return eitherOf(given.map((each) => this.schemaOf(each)));
  }

  private objectOf(type: ts.Type): Schema {
    // A type within itself is described once; its inner occurrence is any object.
    if (this.open.includes(type)) return anyObject;
    this.open.push(type);
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of this.propertiesOf(type)) {
      const of = this.checker.getTypeOfSymbol(property);
      if (of.getCallSignatures().length > 0 || isMissing(of)) continue;
      const written = ts.displayPartsToString(property.getDocumentationComment(this.checker));
      const about = written.replace(/\{@link (\w+)\}/g, '$1');
      properties[property.name] = { ...this.schemaOf(of), ...(about && { description: about }) };
      const optional = property.flags & ts.SymbolFlags.Optional || (of.isUnion() && of.types.some(isMissing));
      if (!optional) required.push(property.name);
    }
    this.open.pop();
    const others = this.checker.getIndexInfosOfType(type)[0];
    if (!others && Object.keys(properties).length === 0) return anyObject;
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(others && { additionalProperties: this.schemaOf(others.type) }),
    };
  }

  /**
   * `Omit` and its like give fields in the order in which the compiler has met their names, so those fields are
   * sorted.
   */
  private propertiesOf(type: ts.Type): ts.Symbol[] {
    const found = this.checker.getPropertiesOfType(type);
    const bases = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    return [type, ...bases].some(isMapped) ? found.toSorted(byDeclaration) : found;
  }
}

const isMapped = (type: ts.Type) =>
  (((type as Partial<ts.ObjectType>).objectFlags ?? 0) & ts.ObjectFlags.Mapped) !== 0;

function byDeclaration(one: ts.Symbol, other: ts.Symbol): number {
  const [first, second] = [one, other].map(({ declarations }) => declarations?.[0]);
  const [file, otherFile] = [first, second].map((each) => each?.getSourceFile().fileName ?? '');
  if (file !== otherFile) return file! < otherFile! ? -1 : 1;
  return (first?.pos ?? 0) - (second?.pos ?? 0);
}

const anyObject: Schema = { type: 'object', additionalProperties: true };

const isMissing = ({ flags }: ts.Type) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;

/**
 * A schema for one of several. Its order does not depend on the order in which the compiler has met the types.
 */
function eitherOf(schemas: readonly Schema[]): Schema {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...more] = distinct.values();
  if (more.length === 0) return only ?? {};
  const all = [...distinct].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, schema]) => schema);
  const rest = all.filter(({ type }) => type !== 'null');
  const isOrNull = rest.length < all.length;
  const [first] = rest;
  const type = isOrNull ? [first?.['type'], 'null'] : first?.['type'];
  const values = rest.flatMap((each) => (each['enum'] as unknown[] | undefined) ?? []);
  const areValues = rest.every((each) => 'enum' in each && each['type'] === first?.['type']);
  if (areValues && first?.['type'] === 'boolean' && values.length === 2) return { type };
  if (areValues) return { type, enum: isOrNull ? [...values, null] : values };
  if (rest.length === 1 && typeof first?.['type'] === 'string') return { ...first, type };
  return { anyOf: isOrNull ? [...rest, { type: 'null' }] : rest };
}
