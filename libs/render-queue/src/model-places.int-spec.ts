import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createLogger } from '#platform/logger.js';
import { eventually } from '../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { PgBossRenderQueue } from './pg-boss-render-queue.js';
import type { RenderTask } from './render-queue.js';

const logger = createLogger('test', 'silent');
const impatience = { heartbeatSeconds: 2, superviseSeconds: 1 };

const taskOf = (jobId: string, tenant = 'T1'): RenderTask => ({
  environment: 'test',
  tenant,
  jobId,
  remote: true,
  model: 'gpt',
});

describe('places at an image model', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let queues: PgBossRenderQueue[];
  const start = async () => {
    const queue = await PgBossRenderQueue.start({ url: database.url, logger, ...impatience });
    queues.push(queue);
    return queue;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    queues = [];
  });
  afterEach(async () => {
    await Promise.all(queues.map((queue) => queue.stop(0)));
    await pool.query('delete from pgboss.job; delete from pgboss.model_place');
  });

  it('are never taken by more tasks than there are, however many workers ask at once', async () => {
    const workers = [await start(), await start(), await start()];
    const asked = Array.from({ length: 30 }, (_, index) =>
      workers[index % 3]!.places.take('gpt', 4, taskOf(`job-${index}`)),
    );
    const taken = (await Promise.all(asked)).filter((place) => place !== undefined);
    expect(taken).toHaveLength(4);
    await taken[0]!.leave();
    expect(await workers[1]!.places.take('gpt', 4, taskOf('another'))).toBeDefined();
    expect(await workers[2]!.places.take('gpt', 4, taskOf('one more'))).toBeUndefined();
    // Another model has places of its own.
    expect(await workers[2]!.places.take('flux', 1, taskOf('one more'))).toBeDefined();
  });

  it('come free when the worker that held them is dead, and a task that is handed out again keeps its own', async () => {
    const [dead, alive] = [await start(), await start()];
    const task = taskOf('held');
    await dead.enqueue([task], pool);
    const signals: AbortSignal[] = [];
    const forever = (_: RenderTask, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const options = { remote: true, concurrency: 4, tenantConcurrency: 4 };
    await dead.work('test', options, forever);
    await eventually(() => signals.length === 1);
    expect(await dead.places.take('gpt', 1, task)).toBeDefined();
    await pool.query(`update pgboss.model_place set taken_at = taken_at - interval '1 minute'`);
    expect(await alive.places.take('gpt', 1, taskOf('other'))).toBeUndefined();
    expect(await alive.places.take('gpt', 1, task)).toBeDefined();
    await pool.query(`update pgboss.model_place set taken_at = taken_at - interval '1 minute'`);
    // Same state as after the supervision has taken a silent worker's task.
    await pool.query(`update pgboss.job set state = 'retry'`);
    expect(await alive.places.take('gpt', 1, taskOf('other'))).toBeDefined();
  });

  it('go to the waiting task whose turn it is, at once', async () => {
    const queue = await start();
    const drawn: string[] = [];
    const busy = await queue.places.take('gpt', 1, taskOf('busy'));
    const looks: string[] = [];
    await queue.work('test', { remote: true, concurrency: 4, tenantConcurrency: 4 }, async (task) => {
      looks.push(task.jobId);
      const place = await queue.places.take('gpt', 1, task);
      if (!place) return { kind: 'retry', afterMs: 60_000 };
      drawn.push(task.jobId);
      await place.leave();
      return { kind: 'done' };
    });
    await queue.enqueue([taskOf('a1', 'A'), taskOf('a2', 'A'), taskOf('b1', 'B')], pool);
    await eventually(async () => looks.length === 3 && (await queue.places.waiting('gpt')) === 3);
    // Until each one is delayed, and not only failed.
    const putOff = `select from pgboss.job where state = 'retry' and start_after > now() + interval '30 seconds'`;
    await eventually(async () => (await pool.query(putOff)).rowCount === 3);
    await busy?.leave();
    await eventually(() => drawn.length === 3);
    expect(drawn).toEqual(['a1', 'b1', 'a2']);
    expect(await queue.places.waiting('gpt')).toBe(0);
  });
});
