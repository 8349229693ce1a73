import { expectAuditToHold } from '../../../test/support/audited.js';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { checkModel } from '../check-model.js';
import { settingOf } from '#platform/configuration.js';
import { isRemote, sandboxModel, type ImageModel } from '#platform/image-models.js';
import { readModelRegistry } from '#platform/model-registry.js';
import { workflows } from '#workflows/workflows.js';
import type { Tenant } from '../../../test/api/support/api-service.js';
import { expectDelivered, paidFor, askingJobs, servedBodies, tryOnOf } from './support/served-workflows.js';
import { VendorHouse, type EndedJob } from './support/vendor-house.js';

/*
 * Real vendors: `npm run test:vendors`. It uses the models of ATELIER_MODELS_FILE, or of
 * assets/models.example.yaml, if the model's key is in the environment. It prints the highest possible cost
 * before the first request. ATELIER_LIVE_WORKFLOWS=try-on,extract limits the workflows.
 */

const tell = (line: string) => void process.stderr.write(`${line}\n`);
const path = process.env['ATELIER_MODELS_FILE'] ?? 'assets/models.example.yaml';
const list = readModelRegistry(path);
if (typeof list === 'string') throw new Error(`${path} ${list}`);
const { currency } = list;
const asked = process.env['ATELIER_LIVE_WORKFLOWS']?.split(',');
const patienceMs = 20 * 60_000;

/** The most pictures that a workflow may order here; one for a workflow that is not listed. */
const mostPictures: Readonly<Record<string, number>> = {
  'product-to-model-phased': 2,
  extract: 4,
  'pdp-extractions': 3,
  'pdp-batch-extractions': 10,
};
const readers: ReadonlySet<string> = new Set(['extract', 'pdp-extractions', 'pdp-batch-extractions']);

/** Why a model is not tried. */
async function hindrance(model: ImageModel): Promise<string | undefined> {
  const { secret_env: name } = model;
  if (name !== undefined && settingOf(process.env, name) === undefined) return `${name} is not set`;
  // Servers of one's own have no key, so this checks whether the server is there.
  if (name !== undefined) return undefined;
  return checkModel(model, currency, AbortSignal.timeout(2_000)).then(
    () => undefined,
    () => `${model.endpoint ?? 'its server'} cannot be used`,
  );
}

interface Tried {
  readonly model: ImageModel;
  readonly made: readonly string[];
  readonly most: number;
}

const tried: Tried[] = [];
for (const model of list.models.filter(isRemote)) {
  const why = await hindrance(model);
  if (why !== undefined) {
    tell(`${model.id}: skipped, ${why}`);
    continue;
  }
  const able = model.workflows ?? workflows.map(({ name }) => name);
  const made = able.filter((name) => asked === undefined || asked.includes(name));
  const prices = made.map((name) => {
    const pictures = (mostPictures[name] ?? 1) * model.price_per_picture;
    return pictures + (readers.has(name) ? 3 : 0) * model.price_per_reading;
  });
  const most = prices.reduce((sum, price) => sum + price, 0);
  if (made.length > 0) tried.push({ model, made, most });
}
for (const { model, made, most } of tried)
  tell(`${model.id}: ${made.length} workflows, at most ${most.toFixed(2)} ${currency}`);
if (tried.length > 0) {
  const sum = tried.reduce((all, { most }) => all + most, 0);
  tell(`All together at most ${sum.toFixed(2)} ${currency}, by the prices of ${path}.`);
}

/** Draws the first pictures of workflows, at no cost. */
const sandbox = { ...sandboxModel, id: 'sandbox' };
const asset = (name: string) => readFileSync(join('assets', `${name}.jpg`));
const folder = mkdtempSync(join(tmpdir(), 'atelier-vendors-'));
let house: VendorHouse | undefined;
const ended = new Map<string, Promise<EndedJob>>();

async function begin({ model, made }: Tried, tenant: Tenant, rejected: Tenant): Promise<void> {
  const opened = house as VendorHouse;
  const photographs = {
    person: asset('presets/01KDVDNA0033KV7VSJM53RAASK'),
    garment: asset('samples/jumper'),
  };
  const remember = (name: string, job: Promise<EndedJob>) => {
    job.catch(() => undefined);
    ended.set(`${model.id}/${name}`, job);
  };
  if (model.secret_env !== undefined && made.includes('try-on')) {
    const body = await tryOnOf(opened, rejected, photographs);
    remember('wrong key', opened.run(rejected, 'try-on', { ...body, image_model: `${model.id}-wrong-key` }));
  }
  const serving = { tenant, made, maxInputs: model.max_inputs, drawsFirst: sandbox.id };
  for (const [workflow, body] of await servedBodies(opened, serving, photographs))
    remember(workflow, opened.run(tenant, workflow, body));
}

beforeAll(async () => {
  if (tried.length === 0) return;
  process.env = { ...process.env, WRONG_VENDOR_KEY: 'wrong-0123456789' };
  house = await VendorHouse.open(patienceMs);
  const tenants = await Promise.all(tried.map(() => (house as VendorHouse).openTenant()));
  const rejected = await house.openTenant();
  const models = tried.flatMap(({ model }) => [
    { ...model, test_keys: 'vendor' as const },
    {
      ...model,
      id: `${model.id}-wrong-key`,
      test_keys: 'vendor' as const,
      secret_env: 'WRONG_VENDOR_KEY',
      workflows: ['try-on'],
    },
  ]);
  const own = Object.fromEntries(tried.map(({ model }, index) => [tenants[index]?.id ?? '', model.id]));
  await house.startRoles({ models: [...models, sandbox], currency, tenant_models: own });
  await Promise.all(tried.map((each, index) => begin(each, tenants[index] as Tenant, rejected)));
}, patienceMs);
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  if (tried.length > 0) tell(`The pictures are in ${folder}.`);
});

it('has a key of at least one vendor, or is skipped', () => expect(tried.length).toBeGreaterThanOrEqual(0));

const cases = tried.flatMap(({ model, made }) => made.map((workflow) => ({ model, workflow })));
(cases.length > 0 ? describe : describe.skip)('the vendor itself', () => {
  const table = cases.length > 0 ? cases : [{ model: { id: 'none' } as ImageModel, workflow: 'none' }];

  it.each(table)(
    '$model.id: $workflow',
    async ({ model, workflow }) => {
      const opened = house as VendorHouse;
      const job = await (ended.get(`${model.id}/${workflow}`) as Promise<EndedJob>);
      const pictures = await expectDelivered(opened, model.id, job);
      const paid = await Promise.all(askingJobs(job).map((id) => paidFor(opened, id)));
      tell(
        `${model.id} ${workflow}: ${pictures.length} pictures, ${paid.reduce((a, b) => a + b, 0)} ${currency}`,
      );
      for (const [index, bytes] of pictures.entries()) {
        const { format } = await sharp(bytes).metadata();
        writeFileSync(join(folder, `${model.id}-${workflow}-${index + 1}.${format}`), bytes);
      }
    },
    patienceMs,
  );

  it.each(table.filter(({ workflow }) => workflow === 'try-on'))(
    '$model.id: a wrong key is misconfigured, refunded, and costs nothing',
    async ({ model }) => {
      const job = await ended.get(`${model.id}/wrong key`);
      if (!job) return;
      expect(job.detail.error?.code).toBe('ENGINE_MISCONFIGURED');
      expect(await paidFor(house as VendorHouse, job.jobId)).toBe(0);
    },
    patienceMs,
  );

  it('is no cause for alarm to the audit', () => expectAuditToHold((house as VendorHouse).service));
});
