import type pg from 'pg';
import { retryRead } from '../calls.js';
import type { DataKeyStore, KeyCount, KeyOwner, StoredKey } from '../sealed/data-keys.js';
import type { WrappedKey } from '../sealed/master-key.js';
import { classifySqlFailure, withQueries, type Query, type Statement } from './connection.js';
import { keysInSql } from './schema.js';

interface KeyRow {
  readonly id: string;
  readonly wrapped: Buffer | null;
  readonly master: string | null;
}

const statement = (name: string, text: string): Statement => ({ name: `data_keys.${name}`, text });

const current = statement(
  'current',
  `select id, wrapped, master from ${keysInSql}.keys where environment = $1 and tenant = $2 and destroyed_at is null`,
);
const add = statement(
  'add',
  `insert into ${keysInSql}.keys (id, environment, tenant, wrapped, master) values ($1, $2, $3, $4, $5)
   on conflict (environment, tenant) where destroyed_at is null do nothing`,
);
const find = statement(
  'find',
  `select id, wrapped, master from ${keysInSql}.keys where id = any($1::uuid[])`,
);
const destroy = statement(
  'destroy',
  `update ${keysInSql}.keys set wrapped = null, master = null, destroyed_at = now()
    where environment = $1 and tenant = $2 and destroyed_at is null returning id`,
);
const wrappedByOthers = statement(
  'others',
  `select id, wrapped, master from ${keysInSql}.keys where master <> $1 order by id limit $2`,
);
const count = statement(
  'count',
  `select count(wrapped)::int as keys, (count(*) filter (where master <> $1))::int as others from ${keysInSql}.keys`,
);
const rewrap = statement(
  'rewrap',
  `update ${keysInSql}.keys set wrapped = $3, master = $4 where id = $1 and wrapped = $2`,
);

/** The key store in PostgreSQL. The caller ends the pool. */
export class PostgresDataKeys implements DataKeyStore {
  /** @param deadlineMs how long one call is retried in all before it throws */
  constructor(
    private readonly pool: pg.Pool,
    private readonly deadlineMs = 10_000,
  ) {}

  async current({ environment, tenant }: KeyOwner): Promise<StoredKey | undefined> {
    const [row] = await this.run((query) => query<KeyRow>(current, [environment, tenant]));
    return row && storedKey(row);
  }

  async add({ environment, tenant }: KeyOwner, id: string, { wrapped, master }: WrappedKey): Promise<void> {
    await this.run((query) => query(add, [id, environment, tenant, wrapped, master]));
  }

  async find(ids: readonly string[]): Promise<readonly StoredKey[]> {
    return (await this.run((query) => query<KeyRow>(find, [ids]))).map(storedKey);
  }

  async destroy({ environment, tenant }: KeyOwner): Promise<readonly string[]> {
    const rows = await this.run((query) => query<KeyRow>(destroy, [environment, tenant]));
    return rows.map(({ id }) => id);
  }

  async wrappedByOthers(master: string, limit: number): Promise<readonly StoredKey[]> {
    return (await this.run((query) => query<KeyRow>(wrappedByOthers, [master, limit]))).map(storedKey);
  }

  async count(master: string): Promise<KeyCount> {
    const [row] = await this.run((query) => query<{ keys: number; others: number }>(count, [master]));
    return { keys: row?.keys ?? 0, underOtherMasters: row?.others ?? 0 };
  }

  async rewrap(id: string, from: WrappedKey, to: WrappedKey): Promise<void> {
    await this.run((query) => query(rewrap, [id, from.wrapped, to.wrapped, to.master]));
  }

  private run<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // Each statement may be repeated, so all of them are retried like reads.
    const limits = { deadlineMs: this.deadlineMs, answerTimeoutMs: 5_000, observer: {} };
    return retryRead((timeoutMs) => withQueries(this.pool, timeoutMs, work), classifySqlFailure, limits);
  }
}

function storedKey({ id, wrapped, master }: KeyRow): StoredKey {
  return { id, wrapped: wrapped && master !== null ? { wrapped, master } : null };
}
