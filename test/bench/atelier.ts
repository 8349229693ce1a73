import { openEventStore } from '#event-store/open-event-store.js';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import type { EventStore } from '#event-store/event-store.js';
import { authenticSnapshots } from '#event-store/snapshots.js';
import { readModels } from '#projections/read-models.js';
import { newId } from '#platform/ids.js';
import { newHomeCertificate } from '#capabilities/provenance/home-certificate.js';
import { newSealKey } from '#capabilities/seals/seal.key.js';
import { createInstallation } from './databases.js';
import { startRole } from '../support/role-process.js';
import { byOperator, grantCredits, issueKey, openAccount } from '../support/operator.js';

export interface AtelierUnderLoad {
  readonly url: string;
  readonly databaseUrl: string;
  readonly store: EventStore;
  /** Process ids by the name of the role. */
  readonly pids: Readonly<Record<string, number>>;
  /** One key for each tenant, each with plenty of credits. */
  readonly keys: readonly string[];
  /** In the same order. */
  readonly tenants: readonly string[];
  /** A writer of accounts with an empty memory, as in a process that has just started. */
  untouched(): AccountWriter;
  /** The settings of the roles, for a worker beside them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Measures from now how long the read models need to reach the log's head. */
  catchUpSeconds(): Promise<number>;
  stop(): Promise<void>;
}

const openedTogether = 500;

/**
 * Atelier as in production: the API and the projector each run in a process of their own, on a new database. No
 * worker renders meanwhile. `more` has further settings of the roles; an EVENT_STORE_URL among them names the
 * store of the events.
 */
export async function prepareAtelier(
  serverUrl: string,
  tenants: number,
  beforeStart: (store: EventStore, databaseUrl: string) => Promise<void> = () => Promise.resolve(),
  more: Readonly<Record<string, string>> = {},
): Promise<AtelierUnderLoad> {
  const urls = await createInstallation(serverUrl, 'atelier', more['EVENT_STORE_URL']);
  const { databaseUrl } = urls;
  const signingKey = `${newId()}${newId()}`;
  const { ATELIER_MASTER_KEY: masterKey = newId() + newId() } = more;
  const words = masterKey ? { masterKey } : undefined;
  const events = await openEventStore(urls, { proof: { signingKey }, words });
  const { store } = events;
  const pool = createEventStorePool(databaseUrl, 1);
  const snapshots = authenticSnapshots(events.snapshots, signingKey, () => undefined);
  const accounts = new AccountWriter(store, snapshots);
  const opened: { readonly tenant: string; readonly key: string }[] = [];
  while (opened.length < tenants) {
    const count = Math.min(openedTogether, tenants - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: count }, openTenant))));
  }

  const certificate = newHomeCertificate();
  const settings = {
    DATABASE_URL: databaseUrl,
    EVENT_STORE_URL: databaseUrl,
    URL_SIGNING_SECRET: newId(),
    ATELIER_SIGNING_KEY: signingKey,
    ATELIER_MASTER_KEY: masterKey,
    ATELIER_PROVENANCE_CERT: certificate,
    ATELIER_PROVENANCE_KEY: certificate,
    ATELIER_SEAL_KEY: newSealKey(),
    ATELIER_AUDIT_AT: 'off',
    ATELIER_HOME: process.env['ATELIER_BENCH_HOME'] ?? '.atelier-bench',
    PORT: '0',
    HOST: '127.0.0.1',
    ...more,
  };
  await beforeStart(store, databaseUrl);
  const projector = await startRole('apps/projector/src/main.js', settings);
  const api = await startRole('apps/api/src/main.js', settings);

  return {
    url: `http://127.0.0.1:${String(api.ready['port'])}`,
    databaseUrl,
    store,
    pids: { api: api.pid, projector: projector.pid },
    keys: opened.map(({ key }) => key),
    tenants: opened.map(({ tenant }) => tenant),
    settings,
    untouched: () => new AccountWriter(store, snapshots),
    catchUpSeconds,
    async stop() {
      await api.stop();
      await projector.stop();
      await events.close();
      await pool.end();
    },
  };

  async function openTenant() {
    const tenant = newId();
    const context = () => byOperator('live', tenant);
    const terms = { ...defaultTerms, rateLimitPerMin: 1_000_000_000 };
    await openAccount(accounts, context(), { name: 'Bench', terms });
    await grantCredits(accounts, context(), { amount: 1_000_000_000, kind: 'pack', label: 'Bench' });
    const grant = { capabilities: ['jobs:create', 'jobs:read'] as const, label: 'bench' };
    return { tenant, key: (await issueKey(store, context(), grant)).key };
  }

  async function catchUpSeconds(): Promise<number> {
    const startedAt = performance.now();
    const head = (await store.head()) ?? 0n;
    for (;;) {
      const caughtUp = await pool.query(
        `select from read_store.projections where environment = 'live' and position >= $1`,
        [head],
      );
      if (caughtUp.rowCount === readModels.length) return (performance.now() - startedAt) / 1000;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
