import type pg from 'pg';
import { withConnection } from '#platform/postgres.js';
import { within, type AdapterOptions } from './calls.js';
import { markingUnproven, refusingUnproven } from './authentic/authentic-store.js';
import { EventMacs, type MacSecrets } from './authentic/event-macs.js';
import type { EventStore } from './event-store.js';
import { isEventStoreDbUrl, parseConnectionString } from './eventstoredb/connection-string.js';
import { HistorySealer } from './history-sealer.js';
import { createEventStorePool, PostgresEventStore } from './postgres/postgres-event-store.js';
import { createPostgresSnapshotStore } from './postgres/postgres-snapshot-store.js';
import { PostgresDataKeys } from './postgres/postgres-data-keys.js';
import { migrateEventStore, migrateKeyStore } from './postgres/schema.js';
import type { DataKeyStore } from './sealed/data-key-store.js';
import { DataKeys } from './sealed/data-keys.js';
import { LocalMasterKey, type MasterSecrets } from './sealed/master-key.js';
import { StreamWordErasure } from './sealed/erase-words.js';
import { withSealedWords } from './sealed/sealed-store.js';
import { withSharedSubscriptions } from './shared-subscriptions.js';
import type { SnapshotStore } from './snapshots.js';
import type { WordErasure } from './word-erasure.js';

/** Where events and snapshots are kept. Only the scheme of the first URL chooses the adapter. */
export interface EventStoreUrls {
  /** `postgres://…`, `esdb://…` or `esdb+discover://…`. */
  readonly eventStoreUrl: string;
  /** Where snapshots are kept when the log is not in PostgreSQL. */
  readonly databaseUrl: string;
  /** Where data keys are kept. Default: in `databaseUrl`. */
  readonly keysUrl?: string | undefined;
}

export interface OpenOptions extends Pick<AdapterOptions, 'deadlineMs' | 'observer'> {
  /** To PostgreSQL. Default 8. */
  readonly maxConnections?: number;
  /**
   * Keys that prove and check who wrote each event. Absent: events are written without proof, and read without
   * a check.
   */
  readonly proof?: ProofOptions | undefined;
  /**
   * Personal words are encrypted when they are written, and decrypted when they are read. Absent: events are written and
   * read as they are stored, and words that were encrypted look erased.
   */
  readonly words?: WordsOptions | undefined;
  /** How patient subscriptions of this process are by default: `SubscribeOptions.patienceMs`. */
  readonly patienceMs?: () => number;
}

/** Without a master key, words are written as they are, and encrypted ones cannot be read. */
export type WordsOptions = Partial<MasterSecrets>;

export interface ProofOptions extends MacSecrets {
  /** Accepts events without proof at any position. Needed while an older release still writes. */
  readonly acceptUnproven?: boolean;
}

/** Disposing of it closes it. */
export interface OpenedEventStore extends AsyncDisposable {
  readonly store: EventStore;
  readonly snapshots: SnapshotStore;
  /** The keys of personal words. Undefined without a master key. */
  readonly keys: DataKeys | undefined;
  /** Erases the personal words of single streams. */
  readonly erasure: WordErasure;
  /** Ends the subscriptions and closes all connections. */
  close(): Promise<void>;
}

/**
 * The event store behind an `EVENT_STORE_URL`, and the snapshots beside it. Opens no connection before the
 * first call. Run `prepareEventStore` first: it makes the schema in PostgreSQL.
 * @throws RangeError for a URL that no adapter serves
 */
export async function openEventStore(
  urls: EventStoreUrls,
  { maxConnections, proof, words, patienceMs, ...given }: OpenOptions = {},
): Promise<OpenedEventStore> {
  const macs = proof && new EventMacs(proof);
  const options = { ...given, macs };
  const pool = createEventStorePool(postgresUrlOf(urls), maxConnections);
  const store = isEventStoreDbUrl(urls.eventStoreUrl)
    ? await openEventStoreDb(urls.eventStoreUrl, options)
    : new PostgresEventStore({ pool, ...options });
  const ownKeys = words?.masterKey !== undefined && keysUrlOf(urls) !== postgresUrlOf(urls);
  const keysPool = ownKeys ? createEventStorePool(keysUrlOf(urls), 2) : pool;
  const close = async () => {
    await store.close();
    await pool.end();
    if (ownKeys) await keysPool.end();
  };
  const snapshots = createPostgresSnapshotStore(pool);
  // Below the shared subscriptions, so that a process checks each event of the log only once.
  const read = macs ? markingUnproven(store, { ...options, macs, ...proof }) : store;
  const keys = words && dataKeysOf(words, new PostgresDataKeys(keysPool, given.deadlineMs));
  const shared = withSharedSubscriptions(words ? withSealedWords(read, keys) : read, { patienceMs });
  return {
    store: macs ? refusingUnproven(shared) : shared,
    snapshots,
    keys,
    erasure: new StreamWordErasure(read, keys),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Encrypts the words of a log that is copied, under keys that are kept where a service with these URLs keeps them. Makes
 * their tables.
 */
export async function openHistorySealer(
  urls: Pick<EventStoreUrls, 'databaseUrl' | 'keysUrl'>,
  { words, proof }: { readonly words: MasterSecrets; readonly proof: MacSecrets },
): Promise<{ readonly sealer: HistorySealer } & AsyncDisposable> {
  await onOnePool(keysUrlOf(urls), migrateKeyStore);
  const pool = createEventStorePool(keysUrlOf(urls), 2);
  const keys = new DataKeys({ store: new PostgresDataKeys(pool), master: new LocalMasterKey(words) });
  return { sealer: new HistorySealer(keys, new EventMacs(proof)), [Symbol.asyncDispose]: () => pool.end() };
}

function dataKeysOf({ masterKey, accepted }: WordsOptions, store: DataKeyStore): DataKeys | undefined {
  if (masterKey === undefined) return undefined;
  const master = new LocalMasterKey({ masterKey, ...(accepted && { accepted }) });
  return new DataKeys({ store, master });
}

/** Its client takes 60 ms to load. A process beside PostgreSQL saves that time. */
async function openEventStoreDb(connectionString: string, options: AdapterOptions): Promise<EventStore> {
  const { EventStoreDbEventStore } = await import('./eventstoredb/eventstoredb-event-store.js');
  return new EventStoreDbEventStore({ connectionString, ...options });
}

/**
 * Brings the schema in PostgreSQL up to date: the log, the snapshots and the data keys, or beside EventStoreDB the
 * latter two. EventStoreDB needs no preparation. Idempotent; several processes may run it at the same time.
 * @throws RangeError for a URL that no adapter serves
 */
export async function prepareEventStore(urls: EventStoreUrls): Promise<void> {
  await onOnePool(postgresUrlOf(urls), migrateEventStore);
  if (keysUrlOf(urls) !== postgresUrlOf(urls)) await onOnePool(keysUrlOf(urls), migrateKeyStore);
}

/** Not where the log is: a log that moves to another store keeps its keys. */
function keysUrlOf({ keysUrl, databaseUrl }: Pick<EventStoreUrls, 'databaseUrl' | 'keysUrl'>): string {
  return keysUrl ?? databaseUrl;
}

async function onOnePool(url: string, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = createEventStorePool(url, 1);
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}

/**
 * The URL of the PostgreSQL database that has the log's schema. Beside EventStoreDB, that schema holds only
 * snapshots.
 */
export function postgresUrlOf({ eventStoreUrl, databaseUrl }: EventStoreUrls): string {
  if (/^postgres(?:ql)?:\/\//.test(eventStoreUrl)) return eventStoreUrl;
  if (isEventStoreDbUrl(eventStoreUrl)) return databaseUrl;
  throw new RangeError('EVENT_STORE_URL starts with postgres://, esdb:// or esdb+discover://');
}

/**
 * Names the log that a URL leads to, without credentials and options, so the result may be shown, compared and
 * stored. Two names of one server give two locations.
 */
export function locationOf(url: string): string {
  const [, scheme = '', rest = ''] = /^([a-z0-9+]+):\/\/(.*)$/s.exec(url) ?? [];
  const place = rest.split('?', 1)[0] ?? '';
  const hosts = place.slice(place.lastIndexOf('@') + 1).replace(/\/+$/, '');
  return `${scheme.replace('postgresql', 'postgres')}://${hosts}`;
}

export interface ServerVersion {
  readonly kind: 'PostgreSQL' | 'EventStoreDB';
  /** The version as the server states it; `unknown` if the server is too old to state it. */
  readonly version: string;
}

/**
 * Reads the name and version of the server behind an `EVENT_STORE_URL`. For operators only: no code depends on
 * it.
 * @throws what the client of that server throws
 */
export async function readServerVersion(eventStoreUrl: string, timeoutMs: number): Promise<ServerVersion> {
  if (isEventStoreDbUrl(eventStoreUrl)) {
    const { GuardedClient } = await import('./eventstoredb/connection.js');
    const client = new GuardedClient(parseConnectionString(eventStoreUrl));
    try {
      return { kind: 'EventStoreDB', version: await within(timeoutMs, client.serverVersion()) };
    } finally {
      await client.close();
    }
  }
  const limits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const { rows } = await withConnection({ connectionString: eventStoreUrl, ...limits }, (client) =>
    client.query<{ server_version: string }>('show server_version'),
  );
  return { kind: 'PostgreSQL', version: rows[0]?.server_version ?? 'unknown' };
}

/**
 * Says what is wrong with the password in an `EVENT_STORE_URL`, without quoting it. Undefined: nothing found. A
 * node that was first started with an empty password accepts an empty password. The URL without a password then
 * works.
 */
export function weaknessOfPassword(eventStoreUrl: string): string | undefined {
  if (!isEventStoreDbUrl(eventStoreUrl)) return undefined;
  const { credentials, secure } = parseConnectionString(eventStoreUrl);
  if (!credentials || !secure) return undefined;
  if (credentials.password === '') return `the password of ${credentials.username} is empty`;
  // EventStoreDB gives this password to `admin` and `ops` unless another one is set.
  return credentials.password === 'changeit'
    ? `the password of ${credentials.username} is the one that EventStoreDB comes with`
    : undefined;
}

export interface AppendLimit {
  /** The largest append that this service sends, in bytes. */
  readonly ours: number;
  /** The largest append that the server accepts, in bytes; undefined if the server does not say. */
  readonly theirs: number | undefined;
}

/** Undefined for a store that sets no limit of its own. */
export async function readAppendLimit(
  eventStoreUrl: string,
  timeoutMs: number,
): Promise<AppendLimit | undefined> {
  if (!isEventStoreDbUrl(eventStoreUrl)) return undefined;
  const { readMaxAppendBytes } = await import('./eventstoredb/node-options.js');
  const { defaultMaxAppendBytes: ours } = await import('./eventstoredb/appender.js');
  return { ours, theirs: await readMaxAppendBytes(parseConnectionString(eventStoreUrl), timeoutMs) };
}
