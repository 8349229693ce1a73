import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '#application/key/api-key.js';
import { workflows } from '#workflows/workflows.js';
import { newId } from '#platform/ids.js';
import { sandboxAlone, sandboxModel } from '#platform/image-models.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { bodiesOf as declaredBodies, wideModel, withValue } from './bodies/declared-bodies.js';
import { exampleOf } from './bodies/body-schemas.js';
import { collections, makeThings, type Things } from './bodies/things.js';
import { capabilityFor, guardedOperations, nameOf, strings, type Operation } from './support/access-table.js';
import type { Tenant } from './support/api-service.js';
import { makePictures } from './support/made-pictures.js';
import { expectError, type Answer } from './support/api-client.js';
import { openWorld } from './support/world.js';

const imageModels = { ...sandboxAlone, models: [sandboxModel, wideModel] };
const { service, api, tenant } = await openWorld({
  credits: 1_000,
  capabilities: ['jobs:create', 'jobs:read', 'data:erase'],
  // Each operation is tried with eight bad keys.
  configuration: { imageModels, authFailuresPerMin: 100_000 },
});
const proxy = await startTcpProxy(Number(new URL(service.databaseUrl).port));
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await proxy.close();
});
const own = await thingsOf(tenant);
const foreign = await thingsOf(
  await service.openTenant({ credits: 1_000, capabilities: ['jobs:create', 'jobs:read', 'data:erase'] }),
);
/** Ids that name nothing, each in the shape that its field requires. */
const unknown: Things = {
  assetId: newId(),
  renderId: newId(),
  productId: newId(),
  categoryId: newId(),
  collected: Object.fromEntries(collections.map((path) => [path, newId()])),
  uploadKey: own.uploadKey.replace(own.assetId, newId()),
  renderKey: own.uploadKey.replace(own.assetId, newId()),
  presets: { model: newId(), background: newId(), shot: newId() },
};
const revoked = await service.issueKey(tenant, ['jobs:create', 'jobs:read']);
beforeAll(async () => {
  expect((await api.get('/v1/credits', revoked.key)).status).toBe(200);
  await service.revoke(revoked);
  while ((await api.get('/v1/credits', revoked.key)).status === 200) await sleep(10);
});

async function thingsOf(owner: Tenant): Promise<Things> {
  const { artifacts } = await makePictures(api, service, owner, { kind: 'model_portrait' });
  const { jobId } = await makePictures(api, service, owner);
  const { body } = await api.call('DELETE', `/v1/jobs/${jobId}`, { key: owner.key });
  const things = await makeThings(service, api, owner);
  return { ...things, entryId: artifacts[0]!.assetId, erasureId: body.erasure_id as string };
}

const operations = guardedOperations();
const dispatched = new Set(workflows.map(({ name }) => `/v1/${name}`));
const bodiless = new Set(['/v1/jobs/{public_id}/cancel', '/v1/webhooks/{public_id}/test', '/v1/bucket/test']);

const webhookBody = { url: 'https://shop.example/hook', events: ['job.succeeded'] };
const webhookBodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/v1/webhooks/{public_id}/rotate-secret': {},
  '/v1/webhooks/{public_id}/resend': { failed: true },
};

/** They take files. */
const uploads = ['/v1/uploads', '/v1/uploads/batch'];

/** A request that is valid except for its key: everything that it names exists and belongs to the tenant. */
function request(
  [method, path]: Operation,
  key: string | undefined,
  json?: unknown,
  id = idOf(path, own),
): Promise<Answer> {
  const url = urlOf(path, id);
  if (method === 'GET' || method === 'DELETE' || bodiless.has(path)) return api.call(method, url, { key });
  if (!uploads.includes(path)) return api.call(method, url, { key, json: json ?? bodiesOf(path)[0] });
  const body = new FormData();
  body.append('file', new Blob(['not looked at'], { type: 'image/png' }), 'a.png');
  return api.call(method, url, { key, body });
}

const urlOf = (path: string, id = idOf(path, own)) =>
  path.replace('{public_id}', id).replace('{resource}', 'models');

/** The id that a path can name. */
const idOf = (
  path: string,
  { assetId, productId, renderId, entryId = '', erasureId = '', collected = {} }: Things,
): string => {
  if (path.startsWith('/v1/uploads')) return assetId;
  if (path.startsWith('/v1/catalog')) return entryId;
  if (path.startsWith('/v1/erasures')) return erasureId;
  if (path.startsWith('/v1/products')) return productId;
  return collected[path.split('/{')[0]!] ?? renderId;
};

function bodiesOf(path: string, things = own): readonly Readonly<Record<string, unknown>>[] {
  const { assetId, categoryId } = things;
  if (path === '/v1/client-tokens') return [{ purpose: 'job', job_id: things.renderId }];
  if (path === '/v1/products/{public_id}') return [{ title: 'Tee' }];
  if (path === '/v1/retention') return [{ words: 3_650 }];
  if (path === '/v1/products') {
    return [
      {
        upload_asset_public_id: assetId,
        title: 'Tee',
        garment_category_public_id: categoryId,
      },
    ];
  }
  if (path.startsWith('/v1/webhooks')) return [webhookBodies[path] ?? webhookBody];
  if (path === '/v1/compatibility/check') {
    return [
      {
        product_garment_category_public_id: categoryId,
        // An unknown candidate still gets a good answer: see the test below.
        candidate_complementary_image_public_ids: ['none'],
      },
    ];
  }
  if (!dispatched.has(path)) return [exampleOf(path)];
  return declaredBodies(path.slice('/v1/'.length), things);
}

/** An answer without its request id, which always differs, and with the names of its headers. */
function withoutRequestId({ status, body, headers }: Answer) {
  const { request_id: _, ...error } = body.error as Record<string, unknown>;
  return { status, headers: [...headers.keys()].sort(), body: { ...body, error } as unknown };
}

/** Everything the tenant has; no refusal may change any of it. */
async function possessions(): Promise<unknown> {
  const { balance } = (await api.get('/v1/credits', tenant.key)).body;
  const { total } = (await api.get('/v1/transactions', tenant.key)).body;
  const { count } = (await api.get('/v1/jobs', tenant.key)).body;
  return { balance, total, count };
}

describe.each(operations)('%s %s', (method, path) => {
  const operation: Operation = [method, path];

  it('answers 401 in the same words to no key and to every kind of bad key', async () => {
    const before = await possessions();
    const mistyped = tenant.key.slice(0, -1) + (tenant.key.endsWith('0') ? '1' : '0');
    const unknownKey = generateApiKey('live').key;
    const keys = [undefined, 'nonsense', 'x'.repeat(4_000), mistyped, unknownKey, revoked.key];
    const answers = await Promise.all(keys.map((key) => request(operation, key)));
    for (const authorization of ['Bearer', `Basic ${tenant.key}`]) {
      // The body must not matter before the key is checked.
      const unreadable = method === 'POST' && { body: '{' };
      const headers = { authorization, 'content-type': 'application/json' };
      answers.push(await api.call(method, urlOf(path), { headers, ...unreadable }));
    }
    for (const answer of answers) {
      expectError(answer, 401, 'UNAUTHENTICATED');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(withoutRequestId(answer)).toEqual(withoutRequestId(answers[0]!));
    }
    expect(await possessions()).toEqual(before);
  });

  const needed = capabilityFor(operation);
  it(`asks for ${needed ?? 'no capability'}`, async () => {
    const before = await possessions();
    const all = ['jobs:create', 'jobs:read', 'data:erase'] as const;
    const { key } = await service.issueKey(
      tenant,
      all.filter((each) => needed !== undefined && each !== needed),
    );
    const answer = await request(operation, key);
    if (needed === undefined) expect(answer.status).toBe(200);
    else {
      expectError(answer, 403, 'CAPABILITY_REQUIRED');
      expect(answer.body.error.message).toContain(needed);
      const { key: holder } = await service.issueKey(tenant, [needed]);
      const passed = await request(operation, holder, { unknown: 1 }, newId());
      expect([401, 403]).not.toContain(passed.status);
    }
    expect(await possessions()).toEqual(before);
  });
});

// The removals come last, because the others need the things that they remove.
const named = operations.filter(([, path]) => path.includes('{public_id}'));
const removals = named.filter(([method]) => method === 'DELETE');
const others = named.filter(([method]) => method !== 'DELETE');

describe.each([...others, ...removals])('%s %s', (method, path) => {
  it('answers 404 in the same words to what is another tenant’s and to what never was', async () => {
    const answers: Answer[] = [];
    for (const id of [newId(), idOf(path, foreign)]) {
      answers.push(await request([method, path], tenant.key, undefined, id));
    }
    for (const answer of answers) expectError(answer, 404, 'RESOURCE_NOT_FOUND');
    expect(new Set(answers.map((answer) => JSON.stringify(withoutRequestId(answer)))).size).toBe(1);
    const seen = await request([method, path], tenant.key);
    // No projector carries the erasures out here, so none is complete, and none has a receipt.
    if (path.endsWith('/receipt')) expect(seen.body.error.message).toContain('not complete');
    else expect([200, 201, 202, 204, 409]).toContain(seen.status);
  });
});

/** Maps each id of a tenant's things to the name of the thing. */
const idsOf = (things: Things): Map<string, string> => {
  const { presets, collected = {}, ...rest } = things;
  const named = [rest, presets, collected].flatMap((each) => Object.entries<string>(each));
  return new Map(named.map(([name, id]) => [id, name]));
};

/** All tenants share these: only ids that name nothing are refused. */
const shared = new Set(['categoryId', 'model', 'background', 'shot']);
const thingOf = (things: Things, name: string) =>
  ({ ...things.presets, ...things.collected, ...things })[name as keyof Things] as unknown as string;

/** Their bodies name nothing of a tenant's. */
const namesNothing = [
  ...uploads,
  '/v1/uploads/direct',
  '/v1/uploads/import',
  '/v1/verify',
  '/v1/bucket/test',
  ...collections,
];
const referring = operations.filter(
  ([method, path]) => method === 'POST' && !path.includes('{') && !namesNothing.includes(path),
);

describe.each(referring)('%s %s', (method, path) => {
  it('answers 404 in the same words to what is another tenant’s and to what never was', async () => {
    const before = await possessions();
    let fields = 0;
    for (const body of bodiesOf(path)) {
      for (const { path: field, value } of strings(body)) {
        const thing = idsOf(own).get(value);
        if (thing === undefined) continue;
        fields += 1;
        // The foreign thing comes twice: a cached find must not show in the second answer either.
        const wrong = [unknown, ...(shared.has(thing) ? [] : [foreign, foreign])];
        const answers = [];
        for (const things of wrong) {
          const changed = withValue(body, field, thingOf(things, thing));
          answers.push(await request([method, path], tenant.key, changed));
          if (dispatched.has(path)) answers.push(await api.post(`${path}?dry_run=true`, tenant.key, changed));
        }
        for (const answer of answers) {
          expect({ field, ...withoutRequestId(answer) }).toMatchObject({ field, status: 404 });
          expectError(answer, 404, 'RESOURCE_NOT_FOUND');
          // A workflow has many fields that may hold a reference, so its answer names the field.
          if (dispatched.has(path)) expect(answer.body.error.message).toContain(` ${nameOf(field)} `);
        }
        expect(new Set(answers.map((answer) => JSON.stringify(withoutRequestId(answer)))).size).toBe(1);
      }
    }
    expect(fields).toBeGreaterThan(0);
    expect(await possessions()).toEqual(before);
  });
});

const lists = operations.filter(([method, path]) => method === 'GET' && !path.includes('{public_id}'));

it.each(lists)('%s %s shows nothing of another tenant’s', async (method, path) => {
  const shown = JSON.stringify((await request([method, path], tenant.key)).body);
  for (const [id, name] of idsOf(foreign)) if (!shared.has(name)) expect(shown).not.toContain(id);
});

describe('a key with a wrong checksum', () => {
  it('is refused while the database is away, for it is not looked up; a good one cannot be', async () => {
    const url = new URL(service.databaseUrl);
    url.port = String(proxy.port);
    const cutOff = await service.openApi(url.href);
    proxy.refuse();
    try {
      const { key } = generateApiKey('live');
      const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
      expectError(await cutOff.get('/v1/jobs', mistyped), 401, 'UNAUTHENTICATED');
      expectError(await cutOff.get('/v1/jobs', key), 503, 'SERVICE_UNAVAILABLE');
    } finally {
      proxy.restore();
    }
  });
});

it('covers all workflows', () => {
  const paths = new Set(referring.map(([, path]) => path));
  for (const { name } of workflows) expect(paths).toContain(`/v1/${name}`);
});
