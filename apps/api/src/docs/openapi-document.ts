import type { INestApplication } from '@nestjs/common';
import { describeEntrance } from './describe-entrance.js';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const description = `
Atelier makes fashion imagery to order. Dispatch a workflow with one POST: credits are deducted, a job is queued, and the
answer comes at once. Poll the job's timeline until it says \`succeeded\` or \`failed\`, then fetch the picture. A job that
fails is refunded by itself.

Every identifier is a ULID of 26 characters. The prefix of the key, \`sk_live_\` or \`sk_test_\`, selects the data
environment. Every error has the same envelope; \`code\` is what to branch on.

**Read your writes.** A request sees what the same caller wrote before it. Where several replicas serve you, pass the
\`X-Consistency-Token\` of a write with the reads that follow it.
`.trim();

/** The description of the interface, made from the code that serves it. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
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
    .addTag('workflows', 'What can be dispatched. All workflows share one job model.')
    .addTag('uploads', 'Pictures to work from.')
    .addTag('products', 'Garments under your own names.')
    .addTag('catalog', 'What pictures are made of: presets, your own catalogue, kinds of garment.')
    .addTag('jobs', 'What became of a dispatch.')
    .addTag('renders', 'The gallery of finished pictures.')
    .addTag('account', 'Credits: balance, usage, ledger and prices.')
    .addTag('health', 'For load balancers and supervisors.')
    .build();
  const document = SwaggerModule.createDocument(app, config, { autoTagControllers: false });
  closeRequestBodies(document);
  describeEntrance(document);
  return unwrapSingles(document) as OpenAPIObject;
}

/** Unknown fields are refused at every depth of a request, which the decorators have no word for. */
function closeRequestBodies({ components, paths }: OpenAPIObject): void {
  const closed = new Set<string>();
  const close = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const reference = (node as { $ref?: unknown }).$ref;
    const name = typeof reference === 'string' ? reference.replace('#/components/schemas/', '') : undefined;
    if (name === undefined) return Object.values(node).forEach(close);
    if (closed.has(name)) return;
    closed.add(name);
    const schema = components?.schemas?.[name];
    if (schema && 'properties' in schema) Object.assign(schema, { additionalProperties: false });
    close(schema);
  };
  for (const { post } of Object.values(paths)) {
    const body = post?.requestBody;
    if (body && 'content' in body) close(Object.values(body.content).map(({ schema }) => schema));
  }
}

/** OpenAPI 3.1 lets a reference have a description beside it; `allOf` around a single one was a crutch of 3.0. */
function unwrapSingles(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(unwrapSingles);
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, ...rest } = node as { allOf?: unknown[] };
  const single = allOf?.length === 1 ? (allOf[0] as object) : allOf && { allOf };
  return Object.fromEntries(
    Object.entries({ ...rest, ...single }).map(([key, value]) => [key, unwrapSingles(value)]),
  );
}
