import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readModels } from '#projections/read-models.js';
import { usageReadModel, type UsageRow } from '#projections/usage/usage.read-model.js';
import { shapeOf } from '#read-store/entity-table.js';
import { migrateReadStore } from '#read-store/migrate.js';
import type { ReadModel } from '#read-store/read-model.js';
import { differencesFromHistory } from '#read-store/testing/rows-of-history.js';
import { AuditedStore } from './support/audited-store.js';
import { at, busyStory, idOf } from './support/story.js';

/* An earlier release folded these databases; its usage log had rows for dispatches only. */

const environment = 'live';
const { grown, ...fold } = usageReadModel;
if (!grown) throw new Error('this fold of usage has not grown');

/** The fold of the earlier release: it consumed neither pictures nor products, and skipped cancels. */
const usageBefore: ReadModel<UsageRow> = {
  ...fold,
  categories: fold.categories.filter((category) => !grown.categories.includes(category)),
  keysOf: (event) => (grown.has(event) ? [] : fold.keysOf(event)),
};
const readModelsBefore = readModels.map((model) => (model.name === 'usage' ? usageBefore : model));

/** A batch is cancelled with its jobs, an entry is retired, and one call changes a product and archives it. */
function story() {
  const told = busyStory(environment);
  const requestId = 'r-stopped';
  const chargeOf = (job: string) => (job === 'stopped' ? null : `r-${job.replace('-', '.')}`);
  const children = ['stopped-0', 'stopped-1'];
  for (const jobId of children)
    told.debit('acme', jobId, { chargeId: chargeOf(jobId)!, requestId, parentJobId: 'stopped' });
  told.queue('acme', 'stopped', { requestId, chargeId: null, creditsCost: 10, childJobIds: children });
  children.forEach((jobId, childIndex) =>
    told.queue('acme', jobId, { requestId, chargeId: chargeOf(jobId), parentJobId: 'stopped', childIndex }),
  );
  for (const job of ['stopped', ...children]) {
    const parentJobId = job === 'stopped' ? null : 'stopped';
    const ended = { tenant: 'acme', operation: 'look', chargeId: chargeOf(job), parentJobId };
    told
      .tell('job', job, 'acme', 'JobCancelled', { ...ended, reason: 'Cancelled.', at: at(200) })
      .called('stop');
    // This event lies between the events of one call, so a round can end in the middle of the call.
    told.store('acme', `beside-${job}`).called(`upload beside ${job}`);
  }
  for (const job of children) told.refund('acme', job, { chargeId: chargeOf(job)!, reason: 'job-cancelled' });
  told.retire('acme', `asset-${environment}`).called('retire');
  const images = [{ assetId: idOf('bag'), storageKey: 'k', sha256: 'cd', role: 'primary' as const }];
  const facts = { externalRef: 'bag', title: 'Bag', description: null, garmentCategoryId: null, images };
  const of = ['product', 'bag', 'acme'] as const;
  told.tell(...of, 'ProductRegistered', { ...facts, productId: 'bag', tenant: 'acme' }).called('bag');
  for (const [type, data] of [
    ['ProductRevised', { ...facts, title: 'Big bag' }],
    ['ProductArchived', { reason: 'gone' }],
  ] as const)
    told.tell(...of, type, { ...data, at: at(210) }).called('bag goes', 'product:bag goes');
  // Not a caller's doing.
  return told.store('acme', 'rendered').retire('acme', 'rendered');
}

const { appends } = story();
const freeCalls = [
  ['POST', '/v1/uploads', 201, null, 4],
  ['DELETE', '/v1/catalog/{resource}/{public_id}', 204, null, 1],
  ['POST', '/v1/products', 201, null, 2],
  ['POST', '/v1/products', 200, null, 1],
  ['PATCH', '/v1/products/{public_id}', 200, null, 2],
  ['POST', '/v1/jobs/{public_id}/cancel', 200, `job4-${environment}`, 1],
  ['POST', '/v1/jobs/{public_id}/cancel', 200, 'stopped', 1],
];

let audited: AuditedStore;
beforeEach(async () => {
  audited = await AuditedStore.open();
});
afterEach(() => audited[Symbol.asyncDispose]());

/** A release folds to the end of the log, and ends. */
async function project(models: readonly ReadModel<object>[]): Promise<void> {
  const { fixture } = audited;
  const projector = fixture.start({ readModels: models, environment, rowsAtOnce: 2 });
  await fixture.passed((await fixture.store.head()) ?? 0n);
  const behind = `select name from read_store.projections p
    join unnest($1::text[], $2::text[]) as model (name, shape) using (name)
    where environment = $3 and folded_to->>shape is distinct from position::text`;
  const names = models.map(({ name }) => name);
  await expect
    .poll(() => fixture.rows(behind, [names, models.map(shapeOf), environment]), { timeout: 180_000 })
    .toEqual([]);
  await projector.end();
}

async function append(part: typeof appends): Promise<void> {
  for (const { stream, event } of part) await audited.append(stream, event);
}

/** A point between the cancel of a batch and the cancels of its jobs; one call made all of them. */
const half = appends.findIndex(({ stream }) => stream === `${environment}.asset-beside-stopped`) + 1;

const databases: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'with the marks of that release',
    async () => {
      await append(appends);
      await project(readModelsBefore);
    },
  ],
  [
    'without marks',
    async () => {
      await append(appends);
      await project(readModelsBefore);
      await audited.sql(`update read_store.projections set folded_to = '{}'`);
      await migrateReadStore(audited.fixture.url, readModels);
    },
  ],
  [
    'of which this release has folded one half before',
    async () => {
      await append(appends.slice(0, half));
      await project(readModelsBefore);
      await project(readModels);
      await append(appends.slice(half));
      await project(readModelsBefore);
    },
  ],
];

/** The rows of dispatches, each with the transaction that wrote it. */
const dispatches = () =>
  audited.fixture.rows(
    `select xmin::text, * from live.usage_g1 where endpoint = '/v1/look' order by request_id`,
  );

async function expectRowsOfHistory(): Promise<void> {
  const { sql, store } = audited.fixture;
  expect(await differencesFromHistory(sql, store, usageReadModel)).toEqual([]);
  expect((await audited.audit({ environments: [environment] })).findings).toEqual([]);
}

describe.each(databases)('a database %s', (_, prepare) => {
  it('gets the rows of calls that cost nothing, and its dispatches stay as they are', async () => {
    await prepare();
    const before = await dispatches();
    expect(before.length).toBeGreaterThan(5);
    await project(readModels);
    expect(await dispatches()).toEqual(before);
    await expectRowsOfHistory();
    const free = await audited.fixture.rows(
      `select method, endpoint, http_status, job_id, count(*)::integer from live.usage where credits_charged = 0
        and status = 'SUCCESS' and resolved_at = created_at and latency_ms is null group by 1, 2, 3, 4`,
    );
    expect(free.map((row) => Object.values(row))).toEqual(expect.arrayContaining(freeCalls));
    expect(free.length).toBe(freeCalls.length);
  });
});

it('what comes while such rows are being added makes the same rows', async () => {
  await append(appends.slice(0, half));
  await project(readModelsBefore);
  await append(appends.slice(half));
  await project(readModels);
  await expectRowsOfHistory();
});

it('rows that a release without marks has folded while it was back are folded again', async () => {
  await append(appends.slice(0, half));
  await project(readModels);
  await append(appends.slice(half));
  const kept = await audited.fixture.rows<{ name: string; folded_to: object }>(
    'select name, folded_to from read_store.projections',
  );
  await project(readModelsBefore);
  for (const { name, folded_to } of kept)
    await audited.sql('update read_store.projections set folded_to = $1 where name = $2', [folded_to, name]);
  await project(readModels);
  await expectRowsOfHistory();
});
