import { signIn } from '#capabilities/parts.js';
import { operatorRoles } from '#operator-calls/operator-role.js';
import { keepWritten } from '#platform/written-document.js';
import { changesThings, mayCall } from '../perform-call.js';
import { fieldsOf } from '../fields-of-input.js';
import type { AnyCall } from '#operator-calls/call.js';
import { declaredCalls } from '../calls.js';
import { refusals } from '#operator-calls/call-refused.js';
import { everyAnswer } from './admin-server.js';
import { readResultSchemas } from './result-schemas.js';

const description = `
The API for the operators of Atelier. Programs such as a billing system use it, and so do the console and the command \`atelier\`:
each verb of the command is a call. Send an operator's token as \`Authorization: Bearer <token>\`. Every change is written to the
log with the operator's name before it is done. See docs/operators-api.md.
`.trim();

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const resultOf = readResultSchemas();
const ofSignIn = (await signIn?.describe()) ?? { paths: {}, schemas: {}, securitySchemes: {} };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };

const error = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: { code: { type: 'string', enum: Object.keys(refusals) }, message: text, request_id: text },
    },
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: { loc: { type: 'array', items: {} }, msg: text, type: text },
      },
    },
  },
};

const progress = {
  type: ['object', 'null'],
  required: ['phase', 'position', 'from', 'through'],
  properties: {
    phase: { ...text, description: 'The present step, in a word or two.' },
    position: text,
    from: text,
    through: text,
    events: { type: 'number', description: 'Handled in this phase.' },
  },
};

const time = { type: 'string', format: 'date-time' };
/** @param results the results of all long calls; `action` names the call of this one */
const run = (results: readonly object[]) => ({
  type: 'object',
  required: ['run_id', 'action', 'by', 'started_at', 'ended_at', 'state'],
  properties: {
    run_id: text,
    action: text,
    by: text,
    started_at: time,
    ended_at: { ...time, type: ['string', 'null'] },
    state: { type: 'string', enum: ['running', 'done', 'refused', 'failed', 'cancelled'] },
    progress,
    error: { type: ['string', 'null'] },
    result: { anyOf: results, description: 'The answer of the call, once it is done.' },
  },
});

/** `tenants create` → `tenantsCreate`. */
const idOf = ({ name }: AnyCall) => name.replace(/[ -](\w)/g, (_all, letter: string) => letter.toUpperCase());
const resultNameOf = (call: AnyCall) => `${idOf(call).replace(/^./, (first) => first.toUpperCase())}Result`;

/** The words of a field as OpenAPI 3.1 has them. */
function schemaOf({
  required: _required,
  nullable,
  enum: values,
  ...words
}: Record<string, unknown>): object {
  const type = values === undefined ? words['type'] : 'string';
  return { ...words, type: nullable ? [type, 'null'] : type, ...(values !== undefined && { enum: values }) };
}

const format = {
  name: 'format',
  in: 'query',
  required: false,
  schema: { type: 'string', enum: ['json', 'csv'] },
  description: 'One JSON object a line, or comma-separated values.',
};

const linesOf = (call: AnyCall, columns: readonly string[]) => ({
  description: 'All lines.',
  ...(columns.length > 0 && {
    headers: { 'Content-Disposition': { description: 'For comma-separated values.', schema: text } },
  }),
  content: {
    'application/x-ndjson': { schema: text, 'x-line': ref(resultNameOf(call)) },
    ...(columns.length > 0 && { 'text/csv': { schema: text } }),
  },
});

const fileOf = ({ type }: NonNullable<AnyCall['download']>) => ({
  description: 'The file. One that ends early, because of an error, is not valid.',
  headers: { 'Content-Disposition': { description: 'Its name.', schema: text } },
  content: { [type]: { schema: { ...text, format: 'binary' } } },
});

function operationOf(call: AnyCall): object {
  const path = call.route.split(' ')[1] ?? '';
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  const fields = fieldsOf(call.input);
  const rest = fields.filter(({ name }) => !inPath.has(name));
  const inQuery = changesThings(call) ? [] : rest;
  const inBody = changesThings(call) ? rest : [];
  const parameter =
    (place: string) =>
    ({ name, schema }: (typeof fields)[number]) => {
      // Only a body can hold null.
      const { description: about, nullable: _inBody, ...words } = schema;
      const required = place === 'path' || schema.required;
      return { name, in: place, required, description: about, schema: schemaOf(words) };
    };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: call.idempotent === 'always',
    schema: { ...text, maxLength: 255 },
  };
  const roles = operatorRoles.filter((role) => mayCall(call, role));
  const required = inBody.filter(({ schema }) => schema.required).map(({ name }) => name);
  const body = {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(inBody.map(({ name, schema }) => [name, schemaOf(schema)])),
  };
  return {
    operationId: idOf(call),
    tags: [call.name.split(' ')[0]],
    summary: `${call.summary}.`,
    description: `The verb \`atelier ${call.name}\`. For operators with the role ${roles.join(', ')}.`,
    'x-roles': roles,
    parameters: [
      ...fields.filter(({ name }) => inPath.has(name)).map(parameter('path')),
      ...inQuery.map(parameter('query')),
      ...(call.idempotent ? [key] : []),
      ...(call.lines?.length ? [format] : []),
    ],
    ...(inBody.length > 0 && { requestBody: { required: required.length > 0, ...json(body) } }),
    responses: {
      ...(call.long
        ? { 202: { description: 'It is started: `/runs/{run_id}` shows its progress.', ...json(ref('Run')) } }
        : {
            200: call.lines
              ? linesOf(call, call.lines)
              : call.download
                ? fileOf(call.download)
                : { description: 'Done.', ...json(ref(resultNameOf(call))) },
          }),
      default: { description: 'It was refused, or failed.', ...json(ref('ErrorEnvelope')) },
    },
  };
}

/** Server-sent events, each with one answer as its data. */
const stream = (of: string) => ({
  200: {
    description: 'Each change as it happens, and the present state every two seconds.',
    content: { 'text/event-stream': { schema: text, 'x-event-data': ref(of) } },
  },
  default: { description: 'It was refused.', ...json(ref('ErrorEnvelope')) },
});

const found = (schema: object) => ({
  200: { description: 'Found.', ...json(schema) },
  default: { description: 'It was refused.', ...json(ref('ErrorEnvelope')) },
});

const named = { parameters: [{ name: 'run', in: 'path', required: true, schema: text }], tags: ['runs'] };

const runPaths = {
  '/admin/v1/runs': {
    get: {
      operationId: 'runsList',
      tags: ['runs'],
      summary: 'The progress of long calls.',
      responses: found({
        type: 'object',
        required: ['runs'],
        properties: { runs: { type: 'array', items: ref('Run') } },
      }),
    },
  },
  '/admin/v1/runs/{run}': {
    get: {
      operationId: 'runsShow',
      ...named,
      summary: 'The progress of a long call.',
      responses: found(ref('Run')),
    },
    delete: { operationId: 'runsStop', ...named, summary: 'Stop a long call.', responses: found(ref('Run')) },
  },
  '/admin/v1/runs/{run}/events': {
    get: {
      operationId: 'runsEvents',
      ...named,
      summary: 'The progress of a long call, as a stream that ends with the call.',
      responses: stream('Run'),
    },
  },
};

function describeAdminApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  const results: Record<string, object> = {};
  for (const { name, call } of declaredCalls) {
    if (!call.download) results[resultNameOf(call)] = resultOf(name);
    const [method = '', path = ''] = call.route.split(' ');
    const template = `/admin/v1${path.replace(/:(\w+)/g, '{$1}')}`;
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(call) };
    if (call.live)
      paths[`${template}/events`] = {
        get: {
          ...operationOf(call),
          operationId: `${idOf(call)}Events`,
          responses: stream(resultNameOf(call)),
          description: `The answer of \`${template}\`, as a stream. For \`fetch\`, which can send a token in a header.`,
        },
      };
  }
  const longOnes = declaredCalls.filter(({ call }) => call.long).map(({ call }) => ref(resultNameOf(call)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Atelier for operators',
      version: '1',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document was found' }],
    security: [{ token: [] }],
    'x-default-is-any-refusal': true,
    'x-headers-of-every-answer': {
      'X-Request-Id': { description: 'Quote it when you report a problem.', schema: text },
      'Retry-After': { description: 'With 429: how many seconds to wait.', schema: { type: 'number' } },
      'X-Accel-Buffering': { description: 'On streams, for proxies.', schema: text },
      'X-Atelier-Notice': {
        description: 'Further notices for the operator: a JSON list of texts.',
        schema: text,
      },
      ...Object.fromEntries(Object.keys(everyAnswer).map((name) => [name, { schema: text }])),
    },
    paths: { ...paths, ...runPaths, ...ofSignIn.paths },
    components: {
      schemas: { ErrorEnvelope: error, Run: run(longOnes), ...ofSignIn.schemas, ...results },
      securitySchemes: ofSignIn.securitySchemes,
    },
  };
}

keepWritten('openapi-admin.json', `${JSON.stringify(describeAdminApi(), null, 2)}\n`);
