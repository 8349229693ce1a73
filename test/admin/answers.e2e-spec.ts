import { afterAll, expect, it } from 'vitest';
import sharp from 'sharp';
import { TakeUpJob } from '#application/job/job-writes.handler.js';
import { calls } from '#capabilities/operate/calls.js';
import { fieldsOf } from '#capabilities/operate/fields-of-input.js';
import type { Json } from '../api/support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { sealAll } from '#capabilities/seals/test/support/sealing.js';
import { signingKey } from '#capabilities/webhooks/test/support/post-office.js';
import { testMasterKey } from '../support/signing-key.js';
import { makePictures } from '../api/support/made-pictures.js';
import { openOffice } from './support.js';

const receiver = await Receiver.start();
afterAll(() => receiver[Symbol.asyncDispose]());
const variables = {
  ATELIER_ALERT_URLS: receiver.at('/operators'),
  ATELIER_ALERT_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  ATELIER_SIGNING_KEY: signingKey,
  ATELIER_MASTER_KEY: testMasterKey,
  ATELIER_SECOND_OPERATOR_ABOVE: '1000',
};
const { service, api, tenant, admin, token, endOf, dispatch } = await openOffice(variables);
const second = await admin.token('bea', 'admin');
/** The calls that were answered with success. */
const answered = new Set<string>();

let keys = 0;

/** Makes a call by its name. `AdminService` checks the answer against its description. */
async function ask(name: string, input: Json = {}, as = token): Promise<Json> {
  const call = calls.find((each) => each.name === name);
  if (!call) throw new Error(`there is no call ${name}`);
  const left = { ...input };
  const route = call.route.replace(/:(\w+)/g, (_all, field: string) => {
    const value = left[field];
    delete left[field];
    return encodeURIComponent(value);
  });
  const isLook = route.startsWith('GET ');
  const query = isLook ? `?${new URLSearchParams(left).toString()}` : '';
  const headers: Record<string, string> = call.idempotent ? { 'idempotency-key': `key-${keys++}` } : {};
  const answer = await admin.ask(`${route}${query}`, as, isLook ? undefined : left, headers);
  expect({ name, status: answer.status, body: answer.body }).toMatchObject({
    status: call.long ? 202 : 200,
  });
  if (call.long) return follow(name, answer.body.run_id);
  answered.add(name);
  return answer.body;
}

async function follow(name: string, run: string): Promise<Json> {
  const view = await endOf(run, token);
  expect({ name, ...view }).toMatchObject({ state: 'done' });
  answered.add(name);
  return view.result;
}

const ofTenant = () => ({ tenant: tenant.id, env: 'live' });

it('answers about tenants, keys, credits and operators are as described', async () => {
  const { tenant_id: made } = await ask('tenants create', { name: 'Maison', credits: 5 });
  await ask('tenants list', { search: 'maison' });
  await ask('tenants show', { tenant: made });
  await ask('tenants plan', { tenant: made, plan: 'pro', daily_cap: 50 });
  await ask('tenants suspend', { tenant: made, reason: 'unpaid' });
  await ask('tenants reactivate', { tenant: made });
  const key = await ask('keys issue', {
    ...ofTenant(),
    capabilities: ['jobs:read'],
    require_signature: 'timed',
  });
  const older = await ask('keys issue', { ...ofTenant(), capabilities: ['ctm:read', 'jobs:read'] });
  expect(older.capabilities).toEqual(['jobs:read']);
  await ask('keys signing-secret', { key: key.key_id });
  const { key_id: successor } = await ask('keys rotate', { key: key.key_id });
  await ask('keys revoke', { key: successor });
  await ask('keys list', { tenant: tenant.id });
  const pack = { ...ofTenant(), kind: 'pack', label: 'Invoice' };
  await ask('credits grant', { ...pack, amount: 50, reference: 'pay_1' });
  const large = await ask('credits grant', { ...pack, amount: 5_000 });
  await ask('credits approve', { grant: large.grant_id, env: 'live' }, second);
  const unwanted = await ask('credits grant', { ...pack, amount: 6_000 });
  await ask('credits decline', { grant: unwanted.grant_id, env: 'live', reason: 'a slip' });
  await ask('credits correct', { ...ofTenant(), amount: 3, reason: 'counted twice' });
  await ask('credits grants');
  await ask('operators add', { name: 'cleo', role: 'read' });
  await ask('operators revoke', { name: 'cleo' });
  await ask('operators list');
  await ask('actions');
});

it('answers about jobs are as described', async () => {
  const [{ job_id: first }, { job_id: hanging }] = [await dispatch(), await dispatch()];
  await eventually(async () => (await ask('jobs list', { tenant: tenant.id })).total === 2);
  await ask('jobs find', { id: first });
  await admin.operator.execute(
    new TakeUpJob(admin.operator.context('live', tenant.id), hanging, { worker: 'worker-gone' }),
  );
  await ask('jobs fail', { jobs: [hanging], confirm: true });
  await ask('jobs cancel', { jobs: [first], confirm: true });
  await ask('jobs retry', { jobs: [first], confirm: true });
  await ask('jobs show', { job: hanging });
  await ask('jobs rows', { job: hanging });
  await ask('jobs stranded');
  await ask('jobs requeue');
  await ask('orphans list', { horizon: 0 });
  await ask('orphans sweep');
});

it('answers about what is offered are as described', async () => {
  await ask('operations list', { env: 'live' });
  await ask('operations price', { name: 'try-on', credits: 9, env: 'live' });
  const from = new Date(Date.now() + 3_600_000).toISOString();
  const { operations } = await ask('operations price', { name: 'try-on', credits: 11, from, env: 'live' });
  expect(operations).toMatchObject([{ credits_cost: 9, scheduled: [{ credits_cost: 11, from }] }]);
  await ask('operations withdraw-price', { name: 'try-on', from, env: 'live' });
  await ask('operations disable', { name: 'try-on', env: 'live' });
  await ask('operations enable', { name: 'try-on', env: 'live' });
  const tile = await sharp({ create: { width: 4, height: 6, channels: 3, background: '#456' } })
    .jpeg()
    .toBuffer();
  const made = { kind: 'shot', label: 'Close', spec: { framing: 'close' }, image: tile.toString('base64') };
  await ask('presets publish', { ...made, env: 'live' });
  const { presets } = await ask('presets list', { env: 'live' });
  await ask('presets retire', { id: presets[0].id, env: 'live' });
  const mine = ofTenant();
  const { jobId, artifacts } = await makePictures(api, service, tenant, { kind: 'model_portrait' });
  await eventually(async () => (await ask('pictures list', { env: 'live' })).total === 1);
  await ask('jobs pictures', { job: jobId });
  await ask('provenance passport', { job: jobId });
  await ask('catalog retire', { ...mine, id: artifacts[0]!.assetId });
  // Its bytes were never stored where the operators' API looks.
  await ask('objects accept-loss', { env: 'live', asset: artifacts[0]!.assetId, reason: 'removed by hand' });
  await ask('catalog list', mine);
  const { webhook_id: webhook } = await ask('webhooks create', {
    ...mine,
    url: 'https://93.184.216.34/hook',
    events: ['job.succeeded'],
  });
  await ask('webhooks update', { ...mine, webhook, description: 'the shop' });
  await ask('webhooks list', { tenant: tenant.id });
  await ask('webhooks rotate-secret', { ...mine, webhook });
  await ask('webhooks test', { ...mine, webhook });
  await ask('webhooks resend', { ...mine, webhook, failed: true });
  await ask('webhooks deliveries', { ...mine, webhook });
  await ask('webhooks remove', { ...mine, webhook });
});

it('answers about read models, audits and runs are as described', async () => {
  await ask('projections list');
  await ask('projections rebuild', { name: ['ledger'], env: 'test' });
  await ask('projections rollback', { name: ['ledger'], env: 'test' });
  await ask('projections rebuild', { name: ['jobs'], env: 'test', switch: false });
  await ask('projections switch', { name: ['jobs'], env: 'test' });
  await ask('projections compare', { name: ['ledger'], env: 'live' });
  await ask('parked list');
  await ask('status');
  await ask('ledger audit');
  await ask('now');
  const { message_id: id, channels } = await ask('alerts test');
  expect(channels).toEqual([
    { host: new URL(variables.ATELIER_ALERT_URLS).host, delivered: true, error: null },
  ]);
  expect(receiver.to('/operators').map(({ headers }) => headers['webhook-id'])).toEqual([id]);
  expect((await admin.ask('GET /runs', token)).status).toBe(200);
});

it('answers about money and history are as described', async () => {
  await ask('ledger show', { tenant: tenant.id });
  const [opening, ...lines] = await ask('ledger export', { tenant: tenant.id });
  const closing = lines.pop();
  const sum = (lines as Json[]).reduce((total, line) => total + line.credits_delta, opening.balance_after);
  expect(closing).toMatchObject({ kind: 'closing_balance', balance_after: sum });
  const csv = await admin.ask(`GET /ledger/export?tenant=${tenant.id}&format=csv`, token);
  expect(csv.body.split('\n')).toHaveLength(lines.length + 4);
  await ask('costs', { by: 'workflow' });
  const stream = `live.account-${tenant.id}`;
  await ask('events show', { stream });
  const steps = await ask('replay', { stream });
  expect(steps.at(-1)).toMatchObject({ detail: { balance: sum } });
  await ask('processes list', { env: 'live' });
  await ask('objects audit');
  await ask('models list');
  await ask('models check');
});

it('answers about seals are as described', async () => {
  const { events } = await ask('events show', { stream: `live.account-${tenant.id}` });
  await sealAll(service.store);
  const { seals } = await ask('seal list', { limit: 5 });
  expect(seals[0]).toMatchObject({ number: 1 });
  expect(await ask('seal export')).toMatchObject([{ number: 1, key: seals[0].key }]);
  const transaction = events.find((event: Json) => event.type === 'CreditsPurchased').data.purchaseId;
  await ask('ledger prove', { transaction });
  const { jobs } = await ask('jobs list', { tenant: tenant.id });
  await ask('ledger prove-order', { job: jobs[0].job_id });
});

it('answers about persons and what is kept of them are as described', async () => {
  const mine = ofTenant();
  await ask('releases set-rule', { ...mine, releases: 'optional', uses: ['e-commerce'] });
  await ask('releases rule', mine);
  const { release_id: release } = await ask('releases grant', {
    ...mine,
    data_subject: 'Anna',
    fee_credits: 1,
  });
  await ask('releases revise', { ...mine, release, fee_credits: 2 });
  await ask('releases list', mine);
  await ask('releases uses', { ...mine, release });
  await ask('releases withdraw', { ...mine, release });
  await ask('retention show', mine);
  await ask('retention set', { ...mine, uploads: 30 });
  const job = (await ask('jobs list', { tenant: tenant.id })).jobs[0].job_id as string;
  const { hold_id: hold } = await ask('holds place', { ...mine, job, reason: 'a dispute' });
  await ask('holds list', mine);
  await ask('holds lift', { ...mine, hold, reason: 'it is settled' });
  const { erasure_id: erasure } = await ask('erasures request', { ...mine, kind: 'job', name: job });
  await ask('erasures show', { erasure });
  await ask('erasures list', { tenant: tenant.id });
  const { tenant_id: leaving } = await ask('tenants create', { name: 'Leaving', credits: 1 });
  const closing = { tenant: leaving, env: 'live' };
  await ask('tenants close', { ...closing, notice_days: 30 });
  await ask('tenants approve-closing', closing, second);
  await ask('tenants closings');
  await ask('tenants cancel-closing', closing);
});

// The answer of a download is a file.
const described = calls.filter(({ download }) => !download);

it('answers of the other calls that look at a tenant, or need no input, are as described', async () => {
  const input: Json = ofTenant();
  for (const call of described.filter(({ name, route }) => !answered.has(name) && route.startsWith('GET '))) {
    const required = fieldsOf(call.input).filter(({ schema }) => schema.required);
    if (required.every(({ name }) => name in input))
      await ask(call.name, Object.fromEntries(required.map(({ name }) => [name, input[name]])));
  }
});

it('no call is left out', () => {
  expect(described.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([]);
});
