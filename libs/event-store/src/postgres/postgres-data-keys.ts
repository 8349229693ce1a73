import type pg from 'pg';
import { onlyRow } from '#platform/postgres.js';
import { retryRead } from '../calls.js';
import type { DataKeyStore, KeyCount, KeyOwner, StoredKey } from '../sealed/data-key-store.js';
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
const addSheet = statement(
  'add_sheet',
  `insert into ${keysInSql}.sheets (id, environment, tenant, wrapped, master) values ($1, $2, $3, $4, $5)
   on conflict (id) do nothing`,
);

/** A statement about keys and sheets alike. */
const both = (name: string, text: (table: string) => string, then = ''): Statement =>
  statement(
    name,
    `${['keys', 'sheets'].map((table) => text(`${keysInSql}.${table}`)).join(' union all ')} ${then}`,
  );

/** The same for a change, which gives the ids of the rows that it has changed. */
const changesBoth = (name: string, text: (table: string) => string): Statement =>
  statement(
    name,
    `with key as (${text(`${keysInSql}.keys`)} returning id), sheet as (${text(`${keysInSql}.sheets`)} returning id)
     select id from key union all select id from sheet`,
  );

const find = both('find', (table) => `select id, wrapped, master from ${table} where id = any($1::uuid[])`);
const wrappedByOthers = both(
  'others',
  (table) => `select id, wrapped, master from ${table} where master <> $1`,
  'order by id limit $2',
);
const destroy = changesBoth(
  'destroy',
  (table) =>
    `update ${table} set wrapped = null, master = null, destroyed_at = now()
      where environment = $1 and tenant = $2 and destroyed_at is null`,
);
const replace = changesBoth(
  'replace',
  (table) => `update ${table} set wrapped = $3, master = $4 where id = $1 and wrapped = $2`,
);
const count = statement(
  'count',
  `select keys.count as keys, sheets.count as sheets, keys.others + sheets.others as others from
     (${counted('keys')}) keys, (${counted('sheets')}) sheets`,
);

function counted(table: string): string {
  return `select count(wrapped)::int as count, (count(*) filter (where master <> $1))::int as others from ${keysInSql}.${table}`;
}

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

  async addSheet(
    { environment, tenant }: KeyOwner,
    id: string,
    { wrapped, master }: WrappedKey,
  ): Promise<void> {
    await this.run((query) => query(addSheet, [id, environment, tenant, wrapped, master]));
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
    const { keys, sheets, others } = onlyRow({
      rows: await this.run((query) =>
        query<{ keys: number; sheets: number; others: number }>(count, [master]),
      ),
    });
    return { keys, sheets, underOtherMasters: others };
  }

  async replace(id: string, from: WrappedKey, to: WrappedKey): Promise<boolean> {
    const values = [id, from.wrapped, to.wrapped, to.master];
    return (await this.run((query) => query(replace, values))).length > 0;
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
