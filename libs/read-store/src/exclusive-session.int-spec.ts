import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { ConsumerHalted, FencedOff } from './consumer-errors.js';
import { runTasks, signOfLifeMs, silenceMs, type Task, type TaskOptions } from './exclusive-session.js';
import { eventually, silent } from './testing/read-store-fixture.js';

const lock = 'atelier.test.lock';
let database: TestDatabase;
let stopping: AbortController;
const running: Promise<void>[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  await Promise.all(running.splice(0));
  await database.drop();
});

type Lives = 'lives' | 'is paused';

/** A session that may be active. `is paused`: it keeps its lock and its connection, but sends nothing. */
function start(life: Lives, work?: (client: pg.Client) => Promise<unknown>, more: Partial<TaskOptions> = {}) {
  const session = { times: 0, active: false };
  const task: Task = {
    lock,
    run: async (commits, signal) => {
      session.times += 1;
      session.active = true;
      if (work) await commits.alone(work);
      await aborted(signal);
      session.active = false;
    },
  };
  const options = {
    url: database.url,
    log: silent,
    signal: stopping.signal,
    takeOverPollMs: 50,
    silenceMs: 400,
    signOfLifeMs: life === 'lives' ? 50 : 3_600_000,
    ...more,
  };
  const end = runTasks({ ...options, tasks: [task] });
  running.push(end);
  return session;
}

async function aborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(10);
}

describe('of several sessions that want one lock', () => {
  it('one that falls silent loses it, with all that it had begun, and waits for it again', async () => {
    await query('create table effects (who text)');
    const paused = start('is paused', async (client) => {
      await client.query('begin');
      await client.query(`insert into effects values ('paused')`);
    });
    await eventually(() => paused.active, 'the first to be active');
    const since = performance.now();
    const next = start('lives');
    await eventually(() => next.active, 'the next to take over');
    expect(performance.now() - since).toBeGreaterThan(300);
    await eventually(() => !paused.active, 'the first to notice');
    expect(await query('select from effects')).toHaveLength(0);
    // The ended session is now like any other, and the new one keeps the lock.
    await sleep(1_000);
    expect([paused.times, next.times, next.active]).toEqual([1, 1, true]);
  });

  it('one that has nothing to do, but lives, keeps it', async () => {
    const idle = start('lives');
    await eventually(() => idle.active, 'the first to be active');
    const next = start('lives');
    await sleep(1_500);
    expect([idle.active, idle.times, next.times]).toEqual([true, 1, 0]);
  });

  it('one that waits for the answer to a long question keeps it', async () => {
    let answered = false;
    const busy = start('is paused', async (client) => {
      await client.query('select pg_sleep(1.5)');
      answered = true;
    });
    await eventually(() => busy.active, 'the first to be active');
    const next = start('lives');
    await sleep(1_200);
    expect([next.times, answered]).toEqual([0, false]);
    await eventually(() => answered, 'the answer');
  });

  it("leave it to an operator's command that holds it for a while", async () => {
    const command = new pg.Client({ connectionString: database.url, application_name: 'atelier-cli' });
    await command.connect();
    await command.query('select pg_advisory_lock(hashtextextended($1, 0))', [lock]);
    const next = start('lives');
    await sleep(1_000);
    expect(next.times).toBe(0);
    await command.end();
    await eventually(() => next.active, 'the next to take over');
  });

  it('one that is fenced off takes it up again at once, however often that happens', async () => {
    const since = performance.now();
    const fenced = start('lives', () => {
      if (fenced.times < 8) throw new FencedOff('changed from outside');
      return Promise.resolve();
    });
    await eventually(() => fenced.times === 8, 'eight beginnings');
    // With the backoff after failures, the eighth beginning would come after 100 + 200 + 400 … = 12,700 ms.
    expect(performance.now() - since).toBeLessThan(8_000);
  });

  it('count as silent only after several signs of life were missed', () => {
    expect(silenceMs).toBeGreaterThanOrEqual(3 * signOfLifeMs);
  });
});

describe('of several tasks that share a session', () => {
  const log: string[] = [];
  const task = (name: string, work: (signal: AbortSignal) => Promise<void>): Task => ({
    lock: `${lock}.${name}`,
    run: async (_commits, signal) => {
      log.push(name);
      await work(signal);
    },
  });
  const run = (...tasks: Task[]) => {
    const end = runTasks({
      url: database.url,
      log: silent,
      signal: stopping.signal,
      takeOverPollMs: 50,
      tasks,
    });
    running.push(end);
  };
  const halting = () => Promise.reject(new ConsumerHalted('a hole in history'));
  beforeEach(() => {
    log.splice(0);
  });

  it('one that halts leaves the others at work, and its lock to another process', async () => {
    run(task('first', halting), task('second', aborted));
    await eventually(() => log.length === 2, 'both to begin');
    run(task('first', aborted), task('second', aborted));
    await eventually(() => log.length === 3, 'another process to take over');
    await sleep(500);
    expect(log).toEqual(['first', 'second', 'first']);
  });

  it('one that fails is taken up again while the others go on', async () => {
    let failures = 0;
    const failing = () => (failures++ < 2 ? Promise.reject(new Error('not yet')) : aborted(stopping.signal));
    run(task('first', failing), task('second', aborted));
    await eventually(() => failures === 3, 'the third attempt');
    expect(log.toSorted()).toEqual(['first', 'first', 'first', 'second']);
  });

  it('one waits for the lock that a process of an older release holds, and the others do not', async () => {
    const older = new pg.Client({ connectionString: database.url, application_name: `${lock}.second` });
    await older.connect();
    await older.query('select pg_advisory_lock(hashtextextended($1, 0))', [`${lock}.second`]);
    const life = setInterval(() => void older.query('select 1'), 100);
    run(task('first', aborted), task('second', aborted));
    await eventually(() => log.length === 1, 'the first to begin');
    await sleep(500);
    expect(log).toEqual(['first']);
    clearInterval(life);
    await older.end();
    await eventually(() => log.length === 2, 'the second to begin');
  });
});

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
