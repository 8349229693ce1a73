import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { fairTurns, prepareFairTurns } from './fair-turns.js';

const queue = 'render-test';

/** The part of pg-boss's table that the turns need. */
const jobTable = `create schema pgboss;
  create type pgboss.job_state as enum ('created', 'retry', 'active', 'completed');
  create table pgboss.job (name text, state pgboss.job_state, priority integer, blocked boolean not null default false)`;

let database: TestDatabase;
let pool: pg.Pool;
const db = { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) };
const turnsOf = (...tenants: string[]) => fairTurns(db, queue, tenants);

/** Puts tasks with these turns into the queue, as if their tenants had enqueued them. */
async function wait(...turns: number[]): Promise<void> {
  await pool.query(`insert into pgboss.job select $1, 'created', -turn from unnest($2::integer[]) as turn`, [
    queue,
    turns,
  ]);
}
const serveBelow = (turn: number) => pool.query('delete from pgboss.job where priority > $1', [-turn]);

beforeEach(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  pool.on('error', () => undefined);
  await pool.query(jobTable);
  await prepareFairTurns(db, [queue]);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

describe('fair turns', () => {
  it('lets a newcomer join at the turn that is being served, not behind the whole queue', async () => {
    await wait(...(await turnsOf(...Array.from({ length: 57 }, () => 'busy'))));
    await serveBelow(7);
    expect(await turnsOf('newcomer')).toEqual([7]);
  });

  it('lines a tenant up behind its own waiting tasks', async () => {
    await wait(...(await turnsOf(...Array.from({ length: 57 }, () => 'busy'))));
    await serveBelow(9);
    await wait(...(await turnsOf('other')));
    expect(await turnsOf('busy', 'other', 'busy')).toEqual([57, 10, 58]);
  });

  it('interleaves the tenants of one batch', async () => {
    expect(await turnsOf('a', 'a', 'b', 'b')).toEqual([0, 1, 0, 1]);
  });

  it('owes nothing to a tenant from before the queue was empty, and holds nothing against it', async () => {
    await turnsOf('busy', 'busy', 'busy', 'busy');
    const [newcomer] = await turnsOf('newcomer');
    await wait(newcomer!);
    expect(await turnsOf('busy', 'newcomer')).toEqual([newcomer, newcomer! + 1]);
  });

  it('begins anew where nothing waits when a process starts', async () => {
    await turnsOf('a', 'a');
    await prepareFairTurns(db, [queue]);
    expect(await turnsOf('a')).toEqual([0]);
  });

  it('ends at the largest turn and not in an error', async () => {
    await turnsOf('a');
    await pool.query('update pgboss.tenant_turn set last = $1', [2 ** 31 - 1]);
    await wait(0);
    expect(await turnsOf('a')).toEqual([2 ** 31 - 1]);
  });
});
