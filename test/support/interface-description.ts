import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  /** Path and query, without the host. */
  readonly path: string;
  /** The JSON of the request; undefined if the body was something else, or empty. */
  readonly json?: unknown;
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: Headers;
  readonly body: unknown;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, Described>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
}

interface Described {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string }>>;
}

/** The parts of an OpenAPI 3.1 document that are read here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** True if `default` describes every refusal, and not only the errors of HTTP itself. */
  readonly 'x-default-is-any-refusal'?: boolean;
  readonly 'x-headers-of-every-answer': Readonly<Record<string, unknown>>;
}

interface Place {
  readonly operation: Operation;
  /** JSON pointer to the operation, already escaped. */
  readonly pointer: string;
}

/** Errors of HTTP itself, possible on any route. The document describes them once, as `default`. */
const protocolErrors = new Set([400, 405, 408, 414, 431]);

/** Headers of HTTP itself and of the transport. `Allow` belongs to 405, which is described like any error. */
const transport = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'allow',
]);

interface Complaint {
  readonly loc: readonly unknown[];
  readonly msg: string;
  readonly type: string;
}

const ofOneField = new Set([
  'missing',
  'extra_forbidden',
  'integer',
  'number',
  'string',
  'boolean',
  'enum',
  'list',
]);

/**
 * True for complaints that follow from the body alone, so that the schema must refuse the body too. Complaints
 * about the installation or about sizes are not among them.
 */
function isOfSchema({ loc, msg, type }: Complaint): boolean {
  // A schema cannot express these rules; they hold for every field.
  if (/^contains a character that is not text$|^is a number too large to keep$/.test(msg)) return false;
  const isModel = type === 'enum' && (loc.at(-1) === 'image_model' || loc.at(-1) === 'model');
  return loc[0] === 'body' && ofOneField.has(type) && !isModel;
}

/**
 * Judges exchanges by openapi.json. It reports everything that the description lacks: paths, statuses, headers,
 * media types, events of a stream. Objects in answers may only have described fields, although the description
 * itself leaves room for new ones. A body that was refused for a field must not fit the description.
 */
export class InterfaceDescription {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  private readonly paths: readonly { pattern: RegExp; path: string; methods: Description['paths'][string] }[];
  private readonly checks = new Map<string, ValidateFunction>();

  private readonly everywhere: Readonly<Record<string, unknown>>;
  private readonly anyRefusal: boolean;

  constructor(document: Description) {
    this.everywhere = document['x-headers-of-every-answer'];
    this.anyRefusal = document['x-default-is-any-refusal'] ?? false;
    // The package's default export is CommonJS; its types and its run time disagree under nodenext.
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema(closed(document) as object, 'openapi');
    this.paths = Object.entries(document.paths)
      .map(([path, methods]) => ({ pattern: patternOf(path), path, methods }))
      // `/v1/jobs/{id}` also matches a literal path beside it; the path with fewer holes wins.
      .sort((one, other) => holes(one.path) - holes(other.path));
  }

  static committed(name = 'openapi.json'): InterfaceDescription {
    const file = new URL(`../../${name}`, import.meta.url);
    return new InterfaceDescription(JSON.parse(readFileSync(file, 'utf8')) as Description);
  }

  /** The differences from the description, in words; empty if there are none. */
  problemsOf(exchange: Exchange): string[] {
    const place = this.placeOf(exchange);
    const { status } = exchange;
    if (!place) return this.problemsElsewhere(exchange);
    const described = place.operation.responses[status];
    const isOfDefault = protocolErrors.has(status) || (this.anyRefusal && status >= 400);
    if (!described && !isOfDefault) return [`the answer ${status} is not described`];
    return [
      ...this.answerProblems(exchange, place, described),
      ...this.headerProblems(exchange, place, described),
      ...(status < 300 ? this.requestProblems(exchange, place) : []),
      ...(status === 422 ? this.refusalProblems(exchange, place) : []),
    ];
  }

  /** A path without a description must answer with an error. */
  private problemsElsewhere({ status, body }: Exchange): string[] {
    if (status < 400) return [`the path is not described, and answers ${status}`];
    return this.check('#/components/schemas/ErrorEnvelope', body, `the answer ${status}`);
  }

  private headerProblems({ status, headers }: Exchange, place: Place, described?: Described): string[] {
    const known = new Map(
      [...Object.keys(this.everywhere), ...Object.keys(described?.headers ?? {})].map((name) => [
        name.toLowerCase(),
        name,
      ]),
    );
    return [...headers].flatMap(([name, value]) => {
      if (transport.has(name) || (!described && (name === 'x-request-id' || name.startsWith('ratelimit'))))
        return [];
      const own = known.get(name);
      if (own === undefined) return [`the header ${name} of the answer ${status} is not described`];
      const reference = described?.headers?.[own]?.$ref;
      const at = described?.headers?.[own]
        ? (reference ?? `${place.pointer}/responses/${status}/headers/${own}`)
        : `#/x-headers-of-every-answer/${own}`;
      const sent = /^\d+$/.test(value) ? [value, Number(value)] : [value];
      const problems = sent.map((each) => this.check(`${at}/schema`, each, `the header ${name}`));
      return problems.find((found) => found.length === 0) ?? problems[0] ?? [];
    });
  }

  /** If a body was refused for the value of a field, the description must not allow the body. */
  private refusalProblems({ json, body }: Exchange, { operation, pointer }: Place): string[] {
    const { detail = [] } = body as { detail?: Complaint[] };
    const isOfFields = detail.length > 0 && detail.every(isOfSchema);
    if (!isOfFields || json === undefined || !operation.requestBody) return [];
    const schema = `${pointer}/requestBody/content/${escaped('application/json')}/schema`;
    const fits = this.check(schema, json, '').length === 0;
    return fits ? [`a body is described as good that was refused: ${JSON.stringify(detail[0])}`] : [];
  }

  /** Checks each event of a stream: its fields, and its data against the description. */
  private streamProblems(body: unknown, place: Place): string[] {
    const shape = `${place.pointer}/responses/200/content/${escaped('text/event-stream')}/x-event-data`;
    const blocks = String(body)
      .split('\n\n')
      .filter((block) => /^(?:id|event|data):/m.test(block));
    return blocks.flatMap((block) => {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
      );
      const extra = Object.keys(fields).filter((name) => !['id', 'event', 'data', 'retry'].includes(name));
      if (extra.length > 0) return [`the stream has the field ${extra[0]}`];
      const data = JSON.parse(fields['data'] ?? 'null') as { seq?: number; event_type?: string } | null;
      const isNamed = 'id' in fields || 'event' in fields;
      const named = !isNamed || (String(data?.seq) === fields['id'] && data?.event_type === fields['event']);
      return [
        ...(named ? [] : [`the event ${fields['id']} ${fields['event']} is not what its data says`]),
        ...this.check(shape, data, 'an event of the stream'),
      ];
    });
  }

  private placeOf({ method, path }: Exchange): Place | undefined {
    const [bare = ''] = path.split('?');
    const found = this.paths.find(
      ({ pattern, methods }) => pattern.test(bare) && method.toLowerCase() in methods,
    );
    const operation = found?.methods[method.toLowerCase()];
    return found && operation
      ? { operation, pointer: `#/paths/${escaped(found.path)}/${method.toLowerCase()}` }
      : undefined;
  }

  private answerProblems(
    { status, contentType, headers, body }: Exchange,
    place: Place,
    described?: Described,
  ) {
    const key = described ? String(status) : 'default';
    const problems = Object.keys(described?.headers ?? {})
      .filter((name) => name === 'X-Request-Id' && !headers.has(name))
      .map((name) => `the answer lacks the header ${name}`);
    const content = (described ?? place.operation.responses['default'])?.content ?? {};
    const type = contentType?.split(';')[0]?.trim() ?? '';
    if (!(type in content)) {
      const empty = Object.keys(content).length === 0 && (body === '' || body === undefined);
      return empty ? problems : [...problems, `${status} is not described as ${type || 'nothing'}`];
    }
    if (type === 'text/event-stream') return [...problems, ...this.streamProblems(body, place)];
    const inContent = `${place.pointer}/responses/${key}/content/${escaped(type)}`;
    if (type === 'application/x-ndjson')
      return [
        ...problems,
        ...(body as unknown[]).flatMap((line) =>
          this.check(`${inContent}/x-line`, line, 'a line of the answer'),
        ),
      ];
    if (type !== 'application/json') return problems;
    return [...problems, ...this.check(`${inContent}/schema`, body, `the answer ${status}`)];
  }

  private requestProblems({ path, json }: Exchange, place: Place): string[] {
    const known = new Set(
      place.operation.parameters?.filter((each) => each.in === 'query').map(({ name }) => name),
    );
    const sent = new URL(path, 'http://described').searchParams;
    const undescribed = [...sent.keys()].filter((name) => !known.has(name));
    const problems = undescribed.map((name) => `the accepted parameter ${name} is not described`);
    if (json === undefined) return problems;
    if (!place.operation.requestBody) return [...problems, 'an accepted body is not described'];
    const pointer = `${place.pointer}/requestBody/content/${escaped('application/json')}/schema`;
    return [...problems, ...this.check(pointer, json, 'the accepted body')];
  }

  private check(pointer: string, value: unknown, what: string): string[] {
    let check = this.checks.get(pointer);
    if (!check) {
      check = this.ajv.compile({ $ref: `openapi${pointer}` });
      this.checks.set(pointer, check);
    }
    return check(value) ? [] : (check.errors ?? []).map((error) => `${what}: ${told(error)}`);
  }
}

function told({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '[.]').replace(/\{[^}]+\}/g, '[^/]+')}/?$`);
}

function holes(path: string): number {
  return path.split('{').length;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The document with every object closed that lists its fields and does not say otherwise. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closed(value)]),
  );
  const listsFields = typeof copy['properties'] === 'object' && copy['type'] === 'object';
  return listsFields && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}
