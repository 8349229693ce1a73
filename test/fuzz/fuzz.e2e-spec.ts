import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc, { type Arbitrary } from 'fast-check';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import type { Answer, ApiClient, Json } from '../api/support/api-client.js';
import { closeCharge, finishJob, startJob } from '../api/support/finish-job.js';
import { makePictures } from '../api/support/made-pictures.js';
import { blankPicture } from '../support/blank-picture.js';
import { SchemaArbitraries, type Schema, type Vocabulary } from './schema-arbitrary.js';
import { wrongBody, wrongText } from './wrong.js';

/** `npm run fuzz` runs 2,000 cases of each operation, half of them wrong; the tests run fewer. */
const casesEach = Number(process.env['FUZZ_CASES'] ?? 25);
/** Each run draws another seed and prints it. `FUZZ_SEED` repeats a run. */
const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const credits = 1_000_000_000;

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Request {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
let document: Json;
let arbitraries: SchemaArbitraries;
let spent = 0;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  tenant = await service.openTenant({ credits, terms: { rateLimitPerMin: 10_000_000 } });
  document = (await api.get('/openapi.json')).body;
  arbitraries = new SchemaArbitraries(document.components.schemas, await vocabularyOf());
});
afterAll(() => service[Symbol.asyncDispose]());

/** Things that the tenant really owns, so that requests get past validation. */
async function vocabularyOf(): Promise<Vocabulary> {
  const upload = (await api.upload(tenant.key, await blankPicture())).body;
  const dispatched = await api.post('/v1/model-generator', tenant.key, { seed: 1 });
  const job = dispatched.body;
  spent += job.credits_cost;
  await startJob(service, tenant, job.job_id);
  await finishJob(service, tenant, job.job_id);
  await closeCharge(service, tenant, job.request_id, 'settle');
  const product = (
    await api.post('/v1/products', tenant.key, { upload_asset_public_id: upload.asset_id, title: 'Coat' })
  ).body;
  const hook = { url: 'https://shop.example/hook', events: ['job.succeeded'] };
  const endpoint = (await api.post('/v1/webhooks', tenant.key, hook)).body;
  const release = (await api.post('/v1/releases', tenant.key, { data_subject: 'Anna' })).body;
  const made = await makePictures(api, service, tenant, { kind: 'model_portrait' });
  spent += job.credits_cost;
  const categories = (await api.get('/v1/garment-categories?limit=3', tenant.key)).body.items as Json[];
  const presets = async (kind: string) =>
    ((await api.get(`/v1/presets?kind=${kind}`, tenant.key)).body as Json[]).map(({ id }) => id as string);
  const pictures = [upload.asset_id, job.job_id];
  const words: [RegExp, unknown[]][] = [
    [/^X-Consistency-Token$/, [dispatched.headers.get('x-consistency-token')]],
    [/^(source|product)_image_s3_key$/, [upload.upload_key]],
    [/^model_preset_id$/, await presets('model')],
    [/^background_preset_id$/, await presets('background')],
    [/^shot_preset_id$/, await presets('shot')],
    [/garment_category_public_id$/, categories.map(({ public_id }) => public_id)],
    [/^product_id$/, [product.public_id]],
    [/^(upload_asset|pdp_image)_public_id$/, [upload.asset_id]],
    [/^source_render_public_id$/, [job.job_id]],
    [/^trial_image$/, [upload.asset_id]],
    [/^url$/, [hook.url]],
    [/^endpoint$/, ['https://s3.shop.example']],
    [/^region$/, ['eu-central-1']],
    [/^bucket$/, ['shop-pictures']],
    [/^prefix$/, ['', 'atelier/']],
    [/^(?:secret_access_key|access_key_id)$/, ['key']],
    // Ids in a path, by the part of the path before them.
    [/^\/v1\/products.* public_id$/, [product.public_id]],
    [/^\/v1\/uploads.* public_id$/, [upload.asset_id]],
    [/^\/v1\/catalog.* public_id$/, [made.artifacts[0]!.assetId]],
    [/^\/v1\/webhooks.* public_id$/, [endpoint.public_id]],
    [/^\/v1\/releases.* public_id$/, [release.public_id]],
    [/ public_id$/, [job.job_id]],
    [/^public_id$/, pictures],
    [/^(.*_public_id|.*_public_ids|user_image|garment_image_asset_refs)$/, pictures],
  ];
  return (field) => words.find(([name]) => name.test(field))?.[1];
}

function requestOf(path: string, operation: Json, wrong: boolean): Arbitrary<Request> {
  const parameters: Parameter[] = operation.parameters ?? [];
  const values = parameters.map((parameter) => {
    const header = parameter.in === 'header' ? headerOf(parameter, wrong) : undefined;
    if (header) return header;
    const field = parameter.in === 'path' ? `${path} ${parameter.name}` : parameter.name;
    const right = arbitraries.of(parameter.schema, field).map(asText);
    const value = wrong ? fc.oneof(right, wrongText) : right;
    return parameter.required && !wrong ? value : fc.option(value, { nil: undefined });
  });
  const shape = operation.requestBody?.content['application/json']?.schema as Schema | undefined;
  const right = shape ? arbitraries.of(shape) : fc.constant(undefined);
  const body = wrong && shape ? wrongBody(right) : right.map((value) => value && JSON.stringify(value));
  return fc.tuple(fc.tuple(...values), body).map(([given, sent]) => {
    const headers: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' };
    const query = new URLSearchParams();
    let filled = path;
    parameters.forEach(({ name, in: place }, index) => {
      const value = given[index];
      if (place === 'path')
        filled = filled.replace(`{${name}}`, encodeURIComponent((value ?? '-').toWellFormed()));
      else if (value === undefined) return;
      else if (place === 'query') query.append(name, value.toWellFormed());
      else if (isHeaderValue(value) && !keepsWaiting(name, value)) headers[name] = value;
    });
    const search = query.size > 0 ? `?${query.toString()}` : '';
    return { path: filled + search, headers, body: sent as string | undefined };
  });
}

/**
 * A header of random text would be refused each time, and the rest of the request would never be read. Headers
 * that only make sense with another key or another body go into wrong requests only.
 */
function headerOf({ name, schema }: Parameter, wrong: boolean): Arbitrary<string | undefined> {
  const tokens = arbitraries.words(name);
  const right = name === 'Idempotency-Key' ? arbitraries.of(schema, name).map(String) : undefined;
  const known = tokens ? fc.constantFrom(...tokens.map(String)) : right;
  const text = wrong ? fc.oneof(...(known ? [known] : []), wrongText) : known;
  if (!text) return fc.constant(undefined);
  // One request in ten has a wrong header: it hides every other error.
  return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text });
}

/** A repeatable parameter is sent once. */
function asText(value: unknown): string {
  return String(Array.isArray(value) ? (value[0] ?? '') : value);
}

function isHeaderValue(value: string): boolean {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}

/** Other specs test slow answers. */
function keepsWaiting(name: string, value: string): boolean {
  return name.toLowerCase() === 'prefer' && /wait/i.test(value);
}

async function send(method: string, { path, headers, body }: Request): Promise<Answer> {
  const json = parsed(body);
  const sent = json === undefined ? body !== undefined && { body } : { json };
  return api.call(method, path, { key: tenant.key, headers, ...sent });
}

/** Only a body that JSON gives back unchanged can be judged; any other goes out as text. */
function parsed(body: string | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The key may not erase, so that things stay for the other operations. What these operations show is therefore not there. */
const withoutErasing = new Map([
  ['GET /v1/data-subjects/{name}', 403],
  ['GET /v1/erasures/{public_id}', 404],
  ['GET /v1/erasures/{public_id}/receipt', 404],
]);

describe('every operation of openapi.json', () => {
  it(
    `answers ${casesEach} requests, half of them wrong, as described, and charges for what it accepts only`,
    async () => {
      const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
        Object.entries<Json>(methods)
          .filter(
            ([, operation]) =>
              path.startsWith('/v1/') && !operation.requestBody?.content['multipart/form-data'],
          )
          .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
      );
      expect(operations.length).toBeGreaterThanOrEqual(29);
      console.log(`FUZZ_SEED=${seed}`);
      const statuses = new Map<string, Map<number, number>>();
      const refused: Json[] = [];
      const fuzzOne = async ({ path, method, operation }: (typeof operations)[number]) => {
        const seen = new Map<number, number>();
        const isDispatch = (operation.tags as string[]).includes('workflows');
        statuses.set(`${method} ${path}`, seen);
        const half = Math.ceil(casesEach / 2);
        // The few valid requests may all name missing things, so more are sent until one finds something.
        const isSeen = () => method !== 'GET' || seen.has(200);
        for (const { wrong, numRuns, isEnough } of [
          { wrong: false, numRuns: half, isEnough: () => false },
          { wrong: true, numRuns: half, isEnough: () => false },
          { wrong: false, numRuns: 400, isEnough: isSeen },
        ]) {
          const property = fc.asyncProperty(requestOf(path, operation, wrong), async (request) => {
            if (isEnough()) return;
            const answer = await send(method, request);
            seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
            if (answer.status >= 500) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
            // The same body may be drawn twice with one Idempotency-Key. The second request is charged nothing.
            const isRepeat = answer.headers.get('idempotent-replayed') === 'true';
            if (answer.status === 202 && !isRepeat) spent += answer.body.credits_cost;
            if (!wrong && answer.status === 422 && isDispatch)
              refused.push(...undescribed(answer.body.detail as Json[]));
          });
          await fc.assert(property, { numRuns, seed });
        }
      };
      // Removals come last, so that their targets are read before.
      operations.sort((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));
      // Six at a time, so that the effect of one operation on the account does not disturb the others.
      const waiting = [...operations];
      const lanes = Array.from({ length: 6 }, async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await fuzzOne(next);
      });
      await Promise.all(lanes);
      if (process.env['FUZZ_CASES']) console.table(tableOf(statuses));

      expect(refused).toEqual([]);
      const { body } = await api.get('/v1/credits', tenant.key);
      const cancelled = await refunds();
      expect(body.balance).toBe(credits - spent + cancelled);
      // Enough valid requests must succeed, or the fuzz tests only validation.
      for (const [name, seen] of statuses) {
        const ok = withoutErasing.get(name) ?? 200;
        if (name.startsWith('GET')) expect({ name, ok: seen.has(ok) }).toEqual({ name, ok: true });
      }
    },
    30 * 60_000,
  );
});

/**
 * Errors of a dispatch that openapi.json allows. The document cannot describe which image models an
 * installation has, what they can do with a photograph, how many bytes an object has, how an index compares
 * with a list, or which idempotency keys were used before.
 */
function undescribed(detail: readonly Json[]): Json[] {
  return detail.filter(
    ({ loc, msg }) =>
      !['image_model', 'model'].includes((loc as unknown[]).at(-1) as string) &&
      !/^is outside of photos|bytes of JSON$|photographs of people|^was used for another body/.test(
        msg as string,
      ),
  );
}

/** Cancelled jobs give their credits back. */
async function refunds(): Promise<number> {
  let sum = 0;
  for (let offset = 0; ; offset += 200) {
    const { items } = (await api.get(`/v1/usage?limit=200&offset=${offset}`, tenant.key)).body;
    for (const row of items as Json[]) sum += row.credits_refunded;
    if (items.length < 200) return sum;
  }
}

function tableOf(statuses: Map<string, Map<number, number>>): Record<string, Record<string, number>> {
  return Object.fromEntries(
    [...statuses].map(([name, seen]) => [name, Object.fromEntries([...seen].sort(([a], [b]) => a - b))]),
  );
}
