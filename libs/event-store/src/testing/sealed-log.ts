import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { eventStoreTemplate } from '../../../../test/support/postgres-event-store-harness.js';
import { createTestDatabase } from '../../../../test/support/test-database.js';
import { EventMacs } from '../authentic/event-macs.js';
import { markingUnproven, refusingUnproven } from '../authentic/authentic-store.js';
import type { EventStore, NewEvent, RecordedEvent } from '../event-store.js';
import { createEventStorePool, PostgresEventStore } from '../postgres/postgres-event-store.js';
import { PostgresDataKeys } from '../postgres/postgres-data-keys.js';
import type { DataKeyStore } from '../sealed/data-key-store.js';
import { DataKeys } from '../sealed/data-keys.js';
import { StreamWordErasure } from '../sealed/erase-words.js';
import { LocalMasterKey } from '../sealed/master-key.js';
import { withSealedWords } from '../sealed/sealed-store.js';

export const secret = randomUUID();
export const signingKey = randomUUID();
export const name = 'Anna Smith of the Café ü"\\';

export interface KeysGiven {
  readonly masterKey?: string;
  readonly accepted?: string[];
  readonly lifetimeMs?: number;
  readonly store?: DataKeyStore;
}

export interface Process {
  readonly store: EventStore;
  readonly erasure: StreamWordErasure;
}

/** A log with a key store, and processes on it. */
export async function openSealedLog() {
  const database = await createTestDatabase({ template: eventStoreTemplate });
  const pool: pg.Pool = createEventStorePool(database.url);
  /** Reads what is stored. */
  const raw: EventStore = new PostgresEventStore({ pool });

  const keysOf = ({
    masterKey = secret,
    accepted = [],
    lifetimeMs = 60_000,
    store = new PostgresDataKeys(pool),
  }: KeysGiven = {}) =>
    new DataKeys({ store, master: new LocalMasterKey({ masterKey, accepted }), lifetimeMs });

  /** The layers as `openEventStore` has them, with keys of their own. */
  function processWith(keys: DataKeys | undefined, under = (store: EventStore) => store): Process {
    const macs = new EventMacs({ signingKey });
    const read = under(markingUnproven(new PostgresEventStore({ pool, macs }), { macs }));
    return {
      store: refusingUnproven(withSealedWords(read, keys)),
      erasure: new StreamWordErasure(read, keys),
    };
  }

  /** A tenant with one event that names a person. */
  async function tenantWithWords(keys = keysOf()) {
    const tenant = randomUUID();
    const stream = `live.product-${tenant}`;
    const event = registered(tenant);
    const { store, erasure } = processWith(keys);
    await store.append(stream, 'no-stream', [event]);
    return { owner: { environment: 'live', tenant }, stream, event, store, erasure, keys };
  }

  async function close() {
    await raw.close();
    await pool.end();
    await database.drop();
  }

  return { database, pool, raw, keysOf, processWith, tenantWithWords, close };
}

export function registered(tenant: string, title = name): NewEvent {
  const images = [{ assetId: 'a1', storageKey: 'uploads/a1', sha256: 'f00d', role: 'primary' }];
  const data = {
    productId: 'p1',
    tenant,
    title,
    externalRef: null,
    description: null,
    images,
    at: '2026-11-26T12:00:00.000Z',
  };
  const metadata = {
    requestId: 'r1',
    causationId: 'c1',
    tenant,
    actor: 'key:k1',
    schemaVersion: 1,
    recordedAt: '2026-11-26T12:00:00.000Z',
  };
  return { id: randomUUID(), type: 'ProductRegistered', data, metadata };
}

export async function only(store: EventStore, stream: string): Promise<RecordedEvent> {
  const slice = await store.readStream(stream);
  const [event] = slice.kind === 'found' ? slice.events : [];
  if (!event) throw new Error(`${stream} is empty`);
  return event;
}

export const titleOf = ({ data }: RecordedEvent) => (data as { title: string }).title;

/** The name of the key that encrypts the words of a stored event. */
export const keyOf = ({ metadata }: RecordedEvent) => metadata.sealed!.key;
