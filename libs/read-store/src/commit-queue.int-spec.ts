import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { CommitQueue, type PartTransaction } from './commit-queue.js';

let database: TestDatabase;
let client: pg.Client;
let commits: CommitQueue;

beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, pipeline: true });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('create table parts (name text not null, transaction bigint default txid_current())');
  commits = new CommitQueue(client);
});

afterEach(async () => {
  await client.end().catch(() => undefined);
  await database.drop();
});

const inserting = (name: string | null) => ({
  text: 'insert into parts (name) values ($1)',
  values: [name],
});
const part = (name: string | null) => ({ queries: [inserting(name)] });
const patient = (name: string | null, patienceMs = 60_000) => ({ ...part(name), patienceMs });

async function rows(): Promise<{ name: string; transaction: string }[]> {
  return (await client.query('select name, transaction from parts order by name')).rows;
}
const names = async () => (await rows()).map(({ name }) => name);
const transactions = async () => new Set((await rows()).map(({ transaction }) => transaction)).size;

describe('what several tasks want committed', () => {
  it('goes in one transaction, however patient a part is, when another one comes', async () => {
    const write = async (tx: PartTransaction) => {
      await tx.query(`insert into parts (name) values ('answered')`);
      await tx.query('select 1');
    };
    await Promise.all([
      commits.commit(patient('checkpoint')),
      commits.commit({ ...patient('written'), write }),
      commits.commit(part('rows')),
    ]);
    expect(await names()).toEqual(['answered', 'checkpoint', 'rows', 'written']);
    expect(await transactions()).toBe(1);
  });

  it('goes by itself when nothing else comes in time', async () => {
    await commits.commit(patient('alone', 20));
    expect(await names()).toEqual(['alone']);
  });

  it('does not fail for what PostgreSQL refuses of another', async () => {
    const settled = await Promise.allSettled([
      commits.commit(patient('first')),
      commits.commit(patient(null)),
      commits.commit(part('last')),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await names()).toEqual(['first', 'last']);
  });

  it('does not fail for one whose writes throw, and nothing of that one is left', async () => {
    const broken = commits.commit({
      ...patient('broken'),
      write: async (tx) => {
        await tx.query(`insert into parts (name) values ('half')`);
        throw new Error('broken');
      },
    });
    await Promise.all([commits.commit(part('whole')), expect(broken).rejects.toThrow('broken')]);
    expect(await names()).toEqual(['whole']);
  });

  it('waits for what has the connection to itself', async () => {
    const gate = Promise.withResolvers<void>();
    const alone = commits.alone(async (own) => {
      await own.query('begin');
      await gate.promise;
      await own.query('rollback');
    });
    const committed = commits.commit(part('later'));
    gate.resolve();
    await Promise.all([alone, committed]);
    expect(await names()).toEqual(['later']);
  });
});
