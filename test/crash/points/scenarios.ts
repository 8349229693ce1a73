import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#platform/ids.js';
import { callUntilAnswered } from './agents.js';
import type { Client } from './client.js';
import { streamName } from '#domain/streams.js';
import {
  abandonedBatch,
  abandonedTry,
  cancelAlone,
  closeAtOnce,
  dueForSnapshot,
  fencedOff,
  jobTypes,
  oldDebit,
  picture,
  releaseOfPerson,
  renderingSince,
  twoPhotographs,
} from './given.js';
import { busyOnce, endless, endlessPhoto, refused } from './engine.js';
import { caughtUp } from './invariants.js';
import type { Outcome } from './outcome.js';
import type { Customer, World } from './world.js';

interface Scenario<Prepared> {
  readonly about: string;
  /** Makes the state before the scenario; no process dies here. */
  prepare(world: World, customer: Customer): Promise<Prepared>;
  act(client: Client, prepared: Prepared): Promise<Outcome>;
}

const direct = 'product-to-model-direct';
const batch = 'pdp-batch-extractions';
const dayMs = 24 * 60 * 60 * 1_000;

function bodyWith(storageKey: string, name = '') {
  return { product_image_s3_key: storageKey, display_name: name, seed: Math.floor(Math.random() * 2 ** 31) };
}

function scenario<Prepared>(given: Scenario<Prepared>): Scenario<unknown> {
  // Each scenario gets only the state that it has prepared itself.
  return given;
}

/** A job whose dispatch is repeated with its Idempotency-Key until it is answered. */
function keyed(about: string, name: string, ends: Outcome['ends'], prepare = picture): Scenario<unknown> {
  return scenario({
    about,
    prepare,
    act: async (client, storageKey) => ({
      answered: await client.dispatchUntilAnswered(direct, bodyWith(storageKey, name)),
      persistent: true,
      ends,
    }),
  });
}

/** Resolves when the render of a job has begun. */
async function rendering({ world, signal }: Client, jobId: string): Promise<void> {
  while (!(await jobTypes(world, jobId)).includes('RenderStarted')) {
    signal.throwIfAborted();
    await sleep(20);
  }
}

/** Resolves when a stream of the log has an event of one of these types. */
async function appended({ world, signal }: Client, stream: string, ...types: string[]): Promise<void> {
  for (;;) {
    const slice = await world.events.store.readStream(stream);
    if (slice.kind === 'found' && slice.events.some(({ type }) => types.includes(type))) return;
    signal.throwIfAborted();
    await sleep(20);
  }
}

const ended = (client: Client, jobId: string) =>
  appended(client, streamName('test', 'job', jobId), 'JobSucceeded', 'JobFailed', 'JobCancelled');
const pictureErased = (client: Client, assetId: string) =>
  appended(client, streamName('test', 'asset', assetId), 'PictureErased');
const tenantClosed = (client: Client) =>
  appended(client, streamName('test', 'closing', client.customer.tenant), 'TenantClosed');

/** Words that no other thing has. */
const wordsOf = (id: string) => `the words about ${id}`;

/** Resolves when every erasure of the tenant that was requested is completed. */
async function erasuresCompleted({ world, customer, signal }: Client): Promise<void> {
  const running = `select from test.erasure_orders where tenant = $1 and status = 'running'`;
  for (;;) {
    await caughtUp(world);
    if ((await world.pool.query(running, [customer.tenant])).rowCount === 0) return;
    signal.throwIfAborted();
    await sleep(20);
  }
}

/** Requests an erasure until it is answered, and waits for its end. */
async function eraseCompletely(client: Client, path: string): Promise<void> {
  const key = newId();
  const { body } = await client.until(() => client.delete(path, key), [409, 503], [202]);
  await appended(client, streamName('test', 'erasure', String(body['erasure_id'])), 'ErasureCompleted');
}

/** Cancelled now, or by an earlier try without an answer. */
async function cancel(client: Client, jobId: string): Promise<void> {
  await client.until(() => client.post(`jobs/${jobId}/cancel`, undefined), [503], [200, 409]);
}

export const scenarios = {
  single: scenario({
    about: 'one job without an Idempotency-Key: sent once, whatever comes of it',
    prepare: picture,
    act: async (client, storageKey) => ({
      answered: await client.dispatch(direct, bodyWith(storageKey)),
      persistent: false,
      ends: 'JobSucceeded',
    }),
  }),
  waiting: scenario({
    about: 'one job whose client waits for its end (Prefer: wait)',
    prepare: picture,
    act: async (client, storageKey) => ({
      answered: await client.dispatch(direct, bodyWith(storageKey), 'wait=8'),
      persistent: false,
      ends: 'JobSucceeded',
    }),
  }),
  keyed: keyed('one job with an Idempotency-Key', '', 'JobSucceeded'),
  failing: keyed('one job that the engine refuses: refunded', refused, 'JobFailed'),
  retried: keyed('one job whose engine is busy at first: a second attempt', busyOnce, 'JobSucceeded'),
  snapshot: keyed('a job whose charge is due for a snapshot', '', 'JobSucceeded', dueForSnapshot(0)),
  'settled-snapshot': keyed('a job whose settlement is due for one', '', 'JobSucceeded', dueForSnapshot(1)),
  batch: scenario({
    about: 'a batch of two photographs with an Idempotency-Key',
    prepare: twoPhotographs,
    act: async (client, photos) => ({
      answered: await client.dispatchUntilAnswered(batch, { photos }),
      persistent: true,
      ends: 'JobSucceeded',
    }),
  }),
  cancelled: scenario({
    about: 'one job that is cancelled while it is rendered',
    prepare: picture,
    async act(client, storageKey) {
      const answered = await client.dispatchUntilAnswered(direct, bodyWith(storageKey, endless));
      for (const { jobId } of answered) {
        await rendering(client, jobId);
        await cancel(client, jobId);
      }
      return { answered, persistent: true, ends: 'JobCancelled' };
    },
  }),
  'cancelled-batch': scenario({
    about: 'a batch that is cancelled while its first photograph is rendered',
    prepare: (world, customer) => twoPhotographs(world, customer, endlessPhoto),
    async act(client, photos) {
      const answered = await client.dispatchUntilAnswered(batch, { photos });
      for (const { jobId } of answered) {
        await rendering(client, jobId);
        await cancel(client, jobId);
      }
      return { answered, persistent: true, ends: 'JobCancelled' };
    },
  }),
  'forgotten-cancel': scenario({
    about: 'a job whose cancelling process died before the refund, and a projector that has just started',
    prepare: renderingSince,
    async act({ world, customer }, jobId) {
      await cancelAlone(world, customer.tenant, jobId);
      return { answered: [], persistent: false, ends: 'JobCancelled' };
    },
  }),
  'unknown-picture': scenario({
    about: 'a dispatch that names a picture that is not there: refused, and its key is free again',
    prepare: (_world, { tenant }) => Promise.resolve(`test/${tenant}/uploads/${newId()}.png`),
    async act(client, storageKey) {
      const [key, body] = [newId(), bodyWith(storageKey)];
      await client.until(() => client.post(direct, body, key), [409, 503], [404]);
      return { answered: [], persistent: false, ends: 'JobVoided' };
    },
  }),
  'abandoned-cancel': scenario({
    about: 'a batch whose cancelling process died when the parent was cancelled and nothing else',
    prepare: (world, customer) => twoPhotographs(world, customer, endlessPhoto),
    async act(client, photos) {
      const answered = await client.dispatchUntilAnswered(batch, { photos });
      for (const { jobId } of answered) {
        await rendering(client, jobId);
        await cancelAlone(client.world, client.customer.tenant, jobId);
      }
      return { answered, persistent: true, ends: 'JobCancelled' };
    },
  }),
  'abandoned-batch': scenario({
    about: 'a batch whose dispatching process died when the parent was queued and nothing else',
    prepare: twoPhotographs,
    async act({ world, customer }, photos) {
      await abandonedBatch(world, customer, photos);
      return { answered: [], persistent: false, ends: 'JobSucceeded' };
    },
  }),
  orphan: scenario({
    about: 'a charge whose dispatching process died before the job was queued: swept',
    prepare: () => Promise.resolve(),
    async act({ world, customer }) {
      await oldDebit(world, customer);
      return { answered: [], persistent: false, ends: 'JobVoided' };
    },
  }),
  'late-debit': scenario({
    about: 'a charge of a slow try that was fenced off before, and died: swept',
    prepare: fencedOff,
    async act({ world, customer }, ids) {
      await oldDebit(world, customer, ids);
      return { answered: [], persistent: false, ends: 'JobVoided' };
    },
  }),
  agreed: scenario({
    about: 'an order of an agent with a confirmation: quoted, agreed to, and repeated until it is answered',
    prepare: picture,
    async act(client, storageKey) {
      const asked = { workflow: direct, body: bodyWith(storageKey) };
      const { offer_id, confirmation_id } = await callUntilAnswered(client, 'quote', asked);
      const { job_id } = await callUntilAnswered(client, 'order', { offer_id, confirmation_id });
      const job = await client.get<{ request_id: string }>(`jobs/${String(job_id)}`);
      const answered = [{ jobId: String(job_id), requestId: job.request_id }];
      return { answered, persistent: true, ends: 'JobSucceeded' };
    },
  }),
  erased: scenario({
    about:
      'a picture and the job that was made of it are erased, by a request that is repeated until it is answered',
    prepare: (world, { tenant }) => world.upload(tenant),
    async act(client, { assetId, storageKey }) {
      const erasedWords = wordsOf(assetId);
      const answered = await client.dispatchUntilAnswered(direct, bodyWith(storageKey, erasedWords));
      for (const { jobId } of answered) await ended(client, jobId);
      await eraseCompletely(client, `uploads/${assetId}?derived=true`);
      return { answered, persistent: true, ends: 'JobSucceeded', erasedWords };
    },
  }),
  'erased-at-work': scenario({
    about: 'a job is erased while it is rendered: cancelled and refunded',
    prepare: picture,
    async act(client, storageKey) {
      const answered = await client.dispatchUntilAnswered(direct, bodyWith(storageKey, endless));
      for (const { jobId } of answered) {
        await rendering(client, jobId);
        await eraseCompletely(client, `jobs/${jobId}`);
      }
      return { answered, persistent: true, ends: 'JobCancelled' };
    },
  }),
  expired: scenario({
    about: 'an upload whose days are over: erased by housekeeping',
    prepare: async (world, { tenant }) => {
      const threeDaysAgo = new Date(Date.now() - 3 * dayMs);
      return (await world.upload(tenant, '#987', { retainDays: 1, at: threeDaysAgo })).assetId;
    },
    async act(client, assetId) {
      await pictureErased(client, assetId);
      await erasuresCompleted(client);
      return { answered: [], persistent: false, ends: 'JobVoided' };
    },
  }),
  withdrawn: scenario({
    about: 'a release is withdrawn while the job under it waits for a worker: cancelled and refunded',
    prepare: releaseOfPerson,
    async act(client, { storageKey, releaseId }) {
      const { worker } = client.world.hosts;
      await worker.kill();
      const answered = await client.dispatchUntilAnswered(direct, bodyWith(storageKey));
      const withdraw = () => client.post(`releases/${releaseId}/withdraw`, {});
      await client.until(withdraw, [503]);
      for (const { jobId } of answered) await ended(client, jobId);
      await worker.start();
      return { answered, persistent: true, ends: 'JobCancelled' };
    },
  }),
  closed: scenario({
    about: 'a tenant is closed at the end of its notice period',
    prepare: (world, { tenant }) => world.upload(tenant),
    async act(client, { assetId, storageKey }) {
      const erasedWords = wordsOf(assetId);
      const answered = await client.dispatchUntilAnswered(direct, bodyWith(storageKey, erasedWords));
      for (const { jobId } of answered) await ended(client, jobId);
      await closeAtOnce(client.world, client.customer.tenant);
      await tenantClosed(client);
      return { answered, persistent: true, ends: 'JobSucceeded', erasedWords, closed: true };
    },
  }),
  'resumed-charged': scenario({
    about: 'a key whose first try died between the debit and the job',
    prepare: (world, customer) => abandonedTry(world, customer, 'charged'),
    act: async (client, { body, key }) => ({
      answered: await client.dispatchUntilAnswered(direct, body, key),
      persistent: true,
      ends: 'JobSucceeded',
    }),
  }),
  'resumed-uncharged': scenario({
    about: 'a key whose first try died before the debit: fenced off, and new ids',
    prepare: (world, customer) => abandonedTry(world, customer, 'uncharged'),
    act: async (client, { body, key }) => ({
      answered: await client.dispatchUntilAnswered(direct, body, key),
      persistent: true,
      ends: 'JobSucceeded',
    }),
  }),
};

export type ScenarioName = keyof typeof scenarios;
