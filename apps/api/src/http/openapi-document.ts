import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import {
  ApiExtraModels,
  ApiProperty,
  DocumentBuilder,
  SwaggerModule,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { installed } from '#capabilities/installed.js';
import { PreparedAnswer } from '#platform/prepared-answer.js';
import { fieldDescriptions } from '#validation/fields.js';
import { relationsOf } from '#validation/relations.js';
import type { Shape } from '#validation/validate.js';
import { workflows } from '#workflows/workflows.js';
import { describedHeaders, headers as answerHeaders } from './describe.js';
import { signatureHeader } from '../auth/signature.js';

const description = `
Atelier makes fashion imagery to order. Dispatch a workflow with one POST: credits are deducted, a job is queued, and the
answer comes at once. Poll the job's timeline until it says \`succeeded\` or \`failed\`, then fetch the picture. A job that
fails is refunded automatically.

Every identifier is a ULID of 26 characters. The prefix of the key, \`sk_live_\` or \`sk_test_\`, selects the data
environment. Every error has the same envelope; branch on its \`code\`.

**Read your writes.** A request sees what the same caller wrote before it. Where several replicas serve you, pass the
\`X-Consistency-Token\` of a write with the reads that follow it.
`.trim();

/** The description of the interface. It is made from the code that serves the interface. */
export async function openApiDocument(app: INestApplication): Promise<OpenAPIObject> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle('Atelier')
    .setVersion('1')
    .setDescription(description)
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/', 'Where this document was found')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: '`sk_live_…` or `sk_test_…`' },
      'key',
    )
    .addSecurityRequirements('key')
    .addTag('workflows', 'The workflows that you can dispatch. All share one job model.')
    .addTag('uploads', 'Pictures to work from.')
    .addTag('products', 'Garments under your own names.')
    .addTag('catalog', 'The parts of pictures: presets, your own catalogue, kinds of garment.')
    .addTag('jobs', 'The progress and the result of a dispatch.')
    .addTag('renders', 'The gallery of finished pictures.')
    .addTag('account', 'Credits: balance, usage, ledger and prices.');
  for (const [name, about] of installed.flatMap(({ tags = [] }) => tags)) builder.addTag(name, about);
  const config = builder.addTag('health', 'For load balancers and supervisors.').build();
  for (const { prototype, property, schema } of fieldDescriptions.fields)
    ApiProperty(schema)(prototype, property);
  for (const { owner, shape } of fieldDescriptions.shapes) ApiExtraModels(shape)(owner);
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    // A handler has the name of its operation.
    operationIdFactory: (_controller, handler) => handler,
  });
  closeRequestBodies(document);
  describeRelations(document);
  forbidNullInQueries(document);
  describeEntrance(document);
  for (const { describe } of installed) (await describe?.())?.(document);
  // The same document with fewer wrappers.
  const unwrapped = JSON.parse(JSON.stringify(document), unwrapSingle) as OpenAPIObject;
  describeExamples(unwrapped);
  return unwrapped;
}

type PathItem = OpenAPIObject['paths'][string];
type PathOperation = NonNullable<PathItem['get']>;

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

function operationsOf({ paths }: OpenAPIObject): PathOperation[] {
  return Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));
}

/** Requests refuse unknown fields at every depth. The decorators cannot express that. */
function closeRequestBodies(document: OpenAPIObject): void {
  const closed = new Set<string>();
  // It grows while it is read: a schema may refer to others.
  const nodes: unknown[] = operationsOf(document).flatMap(({ requestBody }) => requestBody ?? []);
  for (const node of nodes) {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = document.components?.schemas?.[name];
      if (!schema || closed.has(name)) continue;
      closed.add(name);
      nodes.push(schema);
      if (!('properties' in schema)) continue;
      Object.assign(schema, { additionalProperties: false });
      Object.values(schema.properties ?? {}).forEach(tellDefault);
    }
  }
}

/** Rules between fields, which the decorators have no word for. */
function describeRelations({ components }: OpenAPIObject): void {
  const shapes = [
    ...fieldDescriptions.fields.map(({ prototype }) => prototype.constructor as Shape),
    ...fieldDescriptions.shapes.map(({ shape }) => shape),
    ...workflows.map(({ body }) => body),
  ];
  for (const shape of new Set(shapes)) {
    const allOf = relationsOf(shape).flatMap(({ schema }) => schema ?? []);
    const schema = components?.schemas?.[shape.name];
    if (schema && allOf.length > 0) Object.assign(schema, { allOf });
  }
}

/**
 * An optional field may be null in a body, but not in a query. The decorators do not know which one they
 * describe.
 */
function forbidNullInQueries(document: OpenAPIObject): void {
  for (const parameter of operationsOf(document).flatMap(({ parameters = [] }) => parameters)) {
    if (!('schema' in parameter) || !parameter.schema || '$ref' in parameter.schema) continue;
    const { type = [], anyOf: [only] = [] } = parameter.schema;
    if (only) parameter.schema = only;
    else Object.assign(parameter.schema, { type: [type].flat()[0] });
  }
}

/**
 * Generated clients treat a field with a `default` as required, so the description states the default in words.
 */
function tellDefault(property: {
  $ref?: string;
  default?: string | number | boolean;
  description?: string;
}): void {
  const { default: value, description = '' } = property;
  delete property.default;
  if (value !== undefined && value !== '') property.description = `${description} \`${value}\` when absent.`;
}

/**
 * In OpenAPI 3.1 a reference may have a description beside it. The `allOf` around a single reference was a
 * workaround for 3.0.
 */
function unwrapSingle(_key: string, node: { allOf?: object[] } | null): unknown {
  // A member of the document is a schema only if it has `allOf`, which is then a list of schemas.
  if (!node?.allOf) return node;
  const { allOf, ...rest } = node;
  return { ...rest, ...(allOf.length === 1 ? allOf[0] : { allOf }) };
}

const signature = {
  name: signatureHeader,
  in: 'header',
  required: false,
  description:
    'Signs the request with the signing secret of the key (`sks_…`): `t={Unix time},v1={base64}`. The base64 is the ' +
    'HMAC-SHA256 of time, method, path with query, Idempotency-Key and body, with a line feed after each but the last. The ' +
    'older form is only the base64 of the HMAC-SHA256 of the raw body, which is empty for a GET. Keys that were issued for ' +
    'signing require this header; other keys may go without. A wrong signature gives 401.',
  schema: { type: 'string', pattern: '^(t=[1-9][0-9]{0,11},v1=)?[A-Za-z0-9+/]{43}=$' },
} as const;

const headers = {
  'RateLimit-Policy': {
    description: "The key's limit: `q` requests in `w` seconds.",
    schema: { type: 'string', example: '"default";q=600;w=60' },
  },
  RateLimit: {
    description: '`r` requests are left; all of them are available again in `t` seconds.',
    schema: { type: 'string', example: '"default";r=599;t=1' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', example: 'Bearer' } },
  'Retry-After': {
    description: 'Seconds until the request may be sent again.',
    schema: { type: 'integer', minimum: 1, example: 2 },
  },
} as const;

const text = (description: string, values?: string[]) => ({
  description,
  schema: { type: 'string' as const, ...(values && { enum: values }) },
});

/** The headers of every answer, declared once: `x-headers-of-every-answer`. */
const everywhere = {
  ...describedHeaders(),
  'Cache-Control': text('Answers are for one caller, and true for one moment.', ['no-store']),
  'X-Content-Type-Options': text('For browsers.', ['nosniff']),
  'Referrer-Policy': text('For browsers.', ['no-referrer']),
  'Content-Security-Policy': text('For browsers.'),
  Vary: text('The request headers that the answer depends on.'),
  'Access-Control-Allow-Origin': text('Present if the operator allows calls from pages.'),
  'Access-Control-Expose-Headers': text('Present if the operator allows calls from pages.'),
  'X-Consistency': answerHeaders['X-Consistency'],
};

/** Temporary errors say when to try again. */
const mayBeSentAgain = new Set(['409', '429', '503']);

/** The parts that the guard adds to every route with a key: the signature, and the rest of the limit. */
function describeEntrance(document: OpenAPIObject): void {
  const { components } = document;
  document.components = { ...components, headers: { ...components?.headers, ...headers } };
  Object.assign(document, { 'x-headers-of-every-answer': everywhere });
  for (const operation of operationsOf(document)) {
    // Only a public route says which security it has: none.
    if (operation.security) continue;
    operation.parameters = [...(operation.parameters ?? []), signature];
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status === 'default' || !response || '$ref' in response) continue;
      response.headers = {
        ...response.headers,
        ...references('RateLimit-Policy', 'RateLimit'),
        ...(mayBeSentAgain.has(status) && references('Retry-After')),
        // If only the signature is wrong, the key is known. So the answer has the key's limit.
        ...(status === '401' && references('WWW-Authenticate')),
      };
    }
  }
}

function references(...names: (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Makes an example for each answer without one, from the examples of its fields. The example of each shape is
 * written once; answers refer to it.
 */
function describeExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const nameOf = ({ $ref }: Schema) => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);
  const exampleOf = (schema: Schema): unknown => {
    if ('example' in schema) return schema['example'];
    const name = nameOf(schema);
    if (name !== undefined) return exampleOf(schemas[name] ?? {});
    const { type, enum: values, items, properties, oneOf, anyOf, format } = schema;
    const [one] = [oneOf, anyOf].filter(Array.isArray).flat() as Schema[];
    if (one) return exampleOf(one);
    if (Array.isArray(values)) return values[0];
    if (items) return [exampleOf(items as Schema)];
    if (properties) {
      const fields = Object.entries(properties as Readonly<Record<string, Schema>>);
      return Object.fromEntries(fields.map(([key, field]) => [key, exampleOf(field)]));
    }
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
    if (type === 'object') return {};
    return format === 'date-time' ? '2026-01-31T12:00:00.000Z' : '';
  };
  const examples: Record<string, { value: unknown }> = {};
  for (const response of operationsOf(document).flatMap(({ responses }) => Object.values(responses))) {
    const media = response && 'content' in response ? response.content?.['application/json'] : undefined;
    if (!media?.schema || media.examples) continue;
    const schema = media.schema as Schema;
    const shapes = Array.isArray(schema['oneOf']) ? (schema['oneOf'] as Schema[]) : [schema];
    media.examples = Object.fromEntries(
      shapes.map((shape) => {
        const name = nameOf(shape) ?? `${nameOf((shape['items'] ?? {}) as Schema)}List`;
        examples[name] ??= { value: exampleOf(shape) };
        return [name, { $ref: `#/components/examples/${name}` }];
      }),
    );
  }
  document.components = { ...document.components, examples };
}

/** `/openapi.json`, made at its first request. */
export function serveDescription(app: NestFastifyApplication): void {
  let document: Promise<PreparedAnswer> | undefined;
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  server.get('/openapi.json', async (request, reply) => {
    document ??= openApiDocument(app).then((made) => PreparedAnswer.of(JSON.stringify(made)));
    const body = (await document).answer(request, reply);
    return reply.type('application/json; charset=utf-8').send(body);
  });
}
