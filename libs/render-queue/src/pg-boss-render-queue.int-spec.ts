import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createLogger } from '#platform/logger.js';
import { eventually } from '../../../test/support/eventually.js';
import { startTcpProxy } from '../../../test/support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { PgBossRenderQueue, type PgBossSettings } from './pg-boss-render-queue.js';
import { queueNames } from './queue-levels.js';
import type { RenderTask, TaskOutcome } from './render-queue.js';

const logger = createLogger('test', 'silent');
const done: TaskOutcome = { kind: 'done' };

function task(jobId: string, tenant = 'tenant-a'): RenderTask {
  return { environment: 'test', tenant, jobId };
}

describe('the render queue', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let started: PgBossRenderQueue[];

  async function start(settings: Partial<PgBossSettings> = {}): Promise<PgBossRenderQueue> {
    const queue = await PgBossRenderQueue.start({
      url: database.url,
      logger,
      superviseSeconds: 1,
      ...settings,
    });
    started.push(queue);
    return queue;
  }

  async function enqueue(queue: PgBossRenderQueue, tasks: RenderTask[], end = 'commit'): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await queue.enqueue(tasks, client);
      await client.query(end);
    } finally {
      client.release();
    }
  }

  /** The tasks that a worker of the environment has got, one at a time. */
  async function tasksOf(
    queue: PgBossRenderQueue,
    environment: RenderTask['environment'] = 'test',
  ): Promise<readonly RenderTask[]> {
    const seen: RenderTask[] = [];
    await queue.work(environment, { concurrency: 1, tenantConcurrency: 4 }, async (each) => {
      seen.push(each);
      return done;
    });
    return seen;
  }

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    // Dropping the database may cut a connection that is just being closed.
    pool.on('error', () => undefined);
    started = [];
  });

  afterEach(async () => {
    await Promise.all(started.map((queue) => queue.stop(0)));
    await pool.end();
    await database.drop();
  });

  it('is set up once by processes that start at the same time', async () => {
    await Promise.all([start(), start(), start()]);
    const { rows } = await pool.query('select name from pgboss.queue where name like $1 order by name', [
      'render-%',
    ]);
    expect(rows).toEqual(queueNames.toSorted().map((name) => ({ name })));
  });

  it('wakes a worker within the second, and hands a task that was enqueued twice out once', async () => {
    const queue = await start();
    const seen = await tasksOf(queue);
    await enqueue(queue, [task('job-1'), task('job-1')]);
    await enqueue(queue, [task('job-1')]);
    await eventually(() => seen.length > 0, 1000);
    await sleep(1500);
    expect(seen).toEqual([task('job-1')]);
  });

  it.each(['at once', 'after its schema was lost and made again'])(
    'fills a queue %s while its own connection waits for what the transaction holds',
    async (when) => {
      const queue = await start();
      if (when !== 'at once') {
        await pool.query('drop schema pgboss cascade');
        await queue.repair();
      }
      const client = await pool.connect();
      let requeued: Promise<number> | undefined;
      // The first statement takes the tenant's turn. The other task waits for that turn, on the queue's only
      // connection.
      const transaction = {
        query: async (text: string, values?: unknown[]) => {
          const result = await client.query(text, values);
          requeued ??= queue.requeue([task('job-2')]);
          await eventually(async () => (await pool.query(waiting)).rowCount === 1);
          return result;
        },
      };
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await client.query('begin');
      await queue.enqueue([task('job-1')], transaction);
      await client.query('commit');
      client.release();
      expect(await requeued).toBe(1);
      const { rows } = await pool.query(`select data->>'jobId' as job from pgboss.job order by 1`);
      expect(rows).toEqual([{ job: 'job-1' }, { job: 'job-2' }]);
    },
  );

  it.each([
    ['the table of turns', 'drop table pgboss.tenant_turn; delete from pgboss.queue'],
    ['the queues', 'delete from pgboss.queue'],
    ['the last queue', `delete from pgboss.queue where name = 'webhooks-test'`],
  ])('makes %s where a process ended before it had, and puts tasks back', async (_, missing) => {
    const queue = await start();
    const queues = async () => (await pool.query('select name from pgboss.queue order by name')).rows;
    const made = await queues();
    await pool.query(missing);
    expect(await queues()).not.toEqual(made);
    expect(await queue.requeue([task('job-1')])).toBe(1);
    expect(await queues()).toEqual(made);
  });

  it('ends no process when the server ends its connection while it says goodbye', async () => {
    const url = new URL(database.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const queue = await PgBossRenderQueue.start({ url: url.href, logger });
    const listening = `from pg_stat_activity where datname = current_database() and query ilike 'listen%'`;
    await eventually(async () => (await pool.query(`select ${listening}`)).rowCount === 1);
    proxy.holdAnswers();
    await pool.query(`select pg_terminate_backend(pid) ${listening}`);
    const stopping = queue.stop(0);
    // While it closes the connection, it learns that the server has closed it.
    proxy.restore();
    await stopping;
    await proxy.close();
  });

  it('hands nothing out that the transaction took back, nor to the other environment', async () => {
    const queue = await start();
    const seen = await tasksOf(queue, 'live');
    await enqueue(queue, [{ ...task('job-1'), environment: 'live' }], 'rollback');
    await enqueue(queue, [task('job-2')]);
    await sleep(1500);
    expect(seen).toEqual([]);
  });

  it('hands a task out again after the time that the worker asked for', async () => {
    const queue = await start();
    const times: number[] = [];
    await queue.work('test', { concurrency: 1, tenantConcurrency: 4 }, async () => {
      times.push(Date.now());
      return times.length === 1 ? { kind: 'retry', afterMs: 1500 } : done;
    });
    await enqueue(queue, [task('job-1')]);
    await eventually(() => times.length === 2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1400);
  });

  it('hands a task out again when its worker throws', async () => {
    const queue = await start();
    let calls = 0;
    await queue.work('test', { concurrency: 1, tenantConcurrency: 4 }, async () => {
      if (++calls === 1) throw new Error('the store cannot be reached');
      return done;
    });
    await enqueue(queue, [task('job-1')]);
    await eventually(() => calls === 2);
  });

  it('gives unfinished tasks back when it stops', async () => {
    const [first, second] = [await start(), await start()];
    let aborted = false;
    await first.work('test', { concurrency: 1, tenantConcurrency: 4 }, async (_task, signal) => {
      await sleep(60_000, undefined, { signal }).catch(() => (aborted = true));
      return { kind: 'retry', afterMs: 0 };
    });
    await enqueue(first, [task('job-1')]);
    await sleep(500);
    await first.stop(100);
    expect(aborted).toBe(true);

    const seen = await tasksOf(second);
    await eventually(() => seen.length === 1, 5000);
  });

  it('lets tenants take turns, however many tasks one of them has queued before', async () => {
    const queue = await start();
    const busy = Array.from({ length: 50 }, (_, index) => task(`busy-${index}`, 'busy'));
    await enqueue(queue, busy);
    await enqueue(queue, [task('other-0', 'other'), task('other-1', 'other')]);
    const seen = await tasksOf(queue);
    await eventually(() => seen.length === 52);
    const order = seen.map(({ tenant }) => tenant);
    expect(order.indexOf('other')).toBeLessThan(3);
    expect(order.lastIndexOf('other')).toBeLessThan(5);
  });

  it('leaves slots to others when one tenant has as many as it may have', async () => {
    const queue = await start();
    let running = 0;
    let most = 0;
    const served: string[] = [];
    await queue.work('test', { concurrency: 4, tenantConcurrency: 1 }, async ({ tenant, jobId }) => {
      if (tenant === 'busy') most = Math.max(most, ++running);
      await sleep(tenant === 'busy' ? 300 : 1);
      if (tenant === 'busy') running--;
      served.push(jobId);
      return done;
    });
    const busy = Array.from({ length: 6 }, (_, index) => task(`busy-${index}`, 'busy'));
    await enqueue(queue, [...busy, task('other', 'other')]);
    await eventually(() => served.length === 7);
    expect(most).toBeLessThan(4);
    expect(served.indexOf('other')).toBeLessThan(2);
  });

  it('takes as many tasks at a time as are only waited for, beside the one that needs a core', async () => {
    const queue = await start();
    let waiting = 0;
    let most = 0;
    let ended = 0;
    const gate = Promise.withResolvers<void>();
    await queue.work('test', { remote: true, concurrency: 12, tenantConcurrency: 20 }, async () => {
      most = Math.max(most, ++waiting);
      await gate.promise;
      waiting--;
      ended++;
      return done;
    });
    const local = await tasksOf(queue);
    const remote = Array.from({ length: 15 }, (_, index) => ({ ...task(`remote-${index}`), remote: true }));
    await enqueue(queue, [...remote, task('local')]);
    await eventually(() => waiting === 12 && local.length === 1);
    gate.resolve();
    await eventually(() => ended === 15);
    expect(most).toBe(12);
    await enqueue(
      queue,
      remote.map((each) => ({ ...each, jobId: `later-${each.jobId}` })),
    );
    await eventually(() => ended === 30);
  });

  it.each(['ends', 'throws'])(
    'hands the next task of a full tenant out when one of its tasks %s',
    async (how) => {
      // By polling it would be found after a minute.
      const queue = await start({ superviseSeconds: 60 });
      const seen: string[] = [];
      const first = Promise.withResolvers<void>();
      await queue.work('test', { remote: true, concurrency: 8, tenantConcurrency: 1 }, async ({ jobId }) => {
        seen.push(jobId);
        if (jobId === 'first') await first.promise;
        return done;
      });
      await enqueue(queue, [{ ...task('first'), remote: true }]);
      await eventually(() => seen.length === 1);
      await enqueue(queue, [{ ...task('second'), remote: true }]);
      // Idle slots look at it, and may not take it.
      await sleep(500);
      if (how === 'ends') first.resolve();
      else first.reject(new Error('the store cannot be reached'));
      await eventually(() => seen.includes('second'));
    },
  );
});
