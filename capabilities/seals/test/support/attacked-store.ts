import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptHeads, requireHead } from '../../kept-heads.js';
import { SealingRefused } from '../../sealer.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { environments } from '#domain/streams.js';
import { sealAlone, type Seal } from '../../seal.js';
import { SealsReader } from '../../seals-audit.js';
import { NotThisLog } from '#event-store/event-store.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { testKeys } from '../../../../test/support/signing-key.js';
import { ConsumerHalted } from '#read-store/consumer-errors.js';
import { readModels } from '#projections/read-models.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { silent } from '#read-store/testing/read-store-fixture.js';
import { AuditedStore } from '../../../../test/audit/support/audited-store.js';
import { at, busyStory, type Story } from '../../../../test/audit/support/story.js';
import { House } from '../../../../test/restore/house.js';
import { sealAll, sealKey, sealsOf } from './sealing.js';
import {
  copyTestDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../../../test/support/test-database.js';

/**
 * The parts of an installation at rest: a database, the objects outside of it, and the seals that an auditor
 * has.
 */
export interface Installation extends AsyncDisposable {
  readonly database: TestDatabase;
  /** The folder of pictures and heads. The database's password does not open it. */
  readonly objects: string;
  readonly keptSeals: readonly Seal[];
}

const template = {
  name: 'attacked',
  async prepare(url: string) {
    await House.migrate({ eventStoreUrl: url, databaseUrl: url });
    const queue = await PgBossRenderQueue.start({ url, logger: silent });
    await queue.stop(0);
  },
};

/**
 * An installation with some data of every kind, folded and sealed. `older` is the database as it was before its
 * last events.
 */
export async function madeInstallation(): Promise<Installation & { readonly older: TestDatabase }> {
  const objects = mkdtempSync(join(tmpdir(), 'atelier-attacked-'));
  const database = await createTestDatabase({ template });
  await use(database, async (made) => {
    await made.sql(operationalRows);
    await goOn(made, busyStory('live'), objects);
  });
  const older = await copyTestDatabase(database);
  const keptSeals = await use(database, async (made) => {
    await goOn(made, busyStory('test', ['acme', 'chic']), objects);
    return (await sealsOf(made.fixture.store)).map(sealAlone);
  });
  return {
    database,
    older,
    objects,
    keptSeals,
    async [Symbol.asyncDispose]() {
      for (const each of [database, older]) await each.drop();
      rmSync(objects, { recursive: true });
    },
  };
}

/** Rows that do not come from history. */
const operationalRows = `
  insert into live.idempotency_keys
      (tenant, endpoint, key, body_hash, request_id, job_id, status, locked_until, response_body)
    values ('acme', '/v1/look', 'k', '', 'r-job1-live', 'job1-live', 'answered', now(),
      '{"kind": "accepted", "ids": {"jobId": "job1-live", "requestId": "r-job1-live"}, "creditsCost": 5}');
  insert into live.webhook_deliveries (delivery_id, tenant, endpoint_id, type, body, occurred_at)
    values ('d1', 'acme', 'e1', 'job.succeeded', '{"type":"job.succeeded"}', now());
  insert into read_store.rate_limits (credential, times, requests, counted_at, passed)
    values ('key-live', '{1}', '{60}', 1, false)`;

/** Opens the store with the key that events are proven with. */
async function openAsTheService({ url, drop }: TestDatabase): Promise<AuditedStore> {
  const opened = await openEventStore({ eventStoreUrl: url, databaseUrl: url }, { ...testKeys });
  return AuditedStore.on({ url, drop: () => opened.close().then(drop) }, opened.store);
}

/** Works on a database and closes all connections to it afterwards, because only then it can be copied. */
async function use<T>({ url }: TestDatabase, work: (audited: AuditedStore) => Promise<T>): Promise<T> {
  await using audited = await openAsTheService({ url, drop: () => Promise.resolve() });
  return await work(audited);
}

async function goOn(made: AuditedStore, story: Story, objects: string): Promise<void> {
  await made.write(story);
  made.startProjecting();
  await made.projected();
  const seals = await sealAll(made.fixture.store, { batchSize: 16 });
  const heads = headsIn(objects);
  const place = ((await heads.newest())?.place ?? 0) + 1;
  await heads.add(place, { format: 'atelier head 1', seal: sealAlone(seals.at(-1)!), accepted: null });
}

function headsIn(directory: string): KeptHeads {
  const storage = new FolderStorage({ directory, signingSecret: 'x', publicUrl: 'http://x' });
  return new KeptHeads(storage, sealKey.publicKey);
}

/**
 * The part of the service that found an attack, in the words of the tables of attacks: `projector`, `sealer`,
 * or `audit: CHECK`.
 */
export type FoundBy = string;

/**
 * Makes the attack on a copy, lets the service go on after it, and looks.
 * @param attack the actions of a person who has the password of the database
 */
export async function foundAfter(
  { database, older, objects: kept, keptSeals }: Awaited<ReturnType<typeof madeInstallation>>,
  attack: (audited: AuditedStore) => Promise<void>,
  { from = 'database' }: { readonly from?: 'database' | 'older' } = {},
): Promise<Set<FoundBy>> {
  const objects = mkdtempSync(join(tmpdir(), 'atelier-attacked-'));
  cpSync(kept, objects, { recursive: true });
  const audited = await openAsTheService(await copyTestDatabase(from === 'older' ? older : database));
  const found = new Set<FoundBy>();
  try {
    await attack(audited);
    if (await projectorHalts(audited)) found.add('projector');
    if (await sealerRefuses(audited, objects)) found.add('sealer');
    const byHead = await headsIn(objects).newest();
    for (const check of await wrongIn(audited, byHead?.seal ? [byHead.seal] : []))
      found.add(`audit: ${check}`);
    if (found.size === 0 && (await wrongIn(audited, keptSeals)).length > 0) found.add('audit --against');
  } finally {
    await audited[Symbol.asyncDispose]();
    rmSync(objects, { recursive: true });
  }
  return found;
}

/** Folds up to the end of the log, or until the projector halts. */
async function projectorHalts({ fixture }: AuditedStore): Promise<boolean> {
  let halted = false;
  for (const environment of environments)
    fixture.start({ readModels, environment }).ended.catch((error: unknown) => {
      if (error instanceof ConsumerHalted) halted = true;
    });
  const head = (await fixture.store.head()) ?? 0n;
  const passed = environments.map((environment) => fixture.passed(head, environment));
  const stopped = new AbortController();
  const standsStill = (async () => {
    while (!halted && !stopped.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
  })();
  await Promise.race([Promise.all(passed), standsStill]).catch(() => (halted = true));
  stopped.abort();
  await fixture.stopRunners();
  return halted;
}

async function sealerRefuses({ fixture: { store } }: AuditedStore, objects: string): Promise<boolean> {
  try {
    await sealAll(store, { onBegin: async () => requireHead(store, await headsIn(objects).newest()) });
    return false;
  } catch (error) {
    // A sealer that still runs asks for events beyond the end of this log.
    if (error instanceof SealingRefused || error instanceof NotThisLog) return true;
    throw error;
  }
}

async function wrongIn(audited: AuditedStore, kept: readonly Seal[]): Promise<readonly string[]> {
  let report: Awaited<ReturnType<AuditedStore['audit']>>;
  try {
    report = await audited.audit({
      patienceMs: 0,
      now: Date.parse(at(86_400)),
      readers: [new SealsReader({ keys: [sealKey.publicKey], kept })],
      knowsWriters: true,
      processManagers: processManagers.map(({ name }) => name),
    });
  } catch (error) {
    return [`ends with an error`, String(error)].slice(0, 1);
  }
  return report.checks.filter(({ wrong }) => wrong > 0).map(({ name }) => name);
}
