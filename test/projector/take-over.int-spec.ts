import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silenceMs, usualTakeOverPollMs } from '#read-store/exclusive-session.js';
import { Workshop } from '../worker/support/workshop.js';
import { eventually } from '../support/eventually.js';
import { Commotion } from './support/commotion.js';
import { locks, ProjectorProcess } from './support/projector-process.js';

/**
 * The promised time, which the settings keep. Where a test pauses a process, a busy machine may need longer.
 */
const takeOverMs = 5_000;
const busyMachineMs = 5_000;

let workshop: Workshop;
const projectors: ProjectorProcess[] = [];

beforeEach(async () => {
  workshop = await Workshop.open();
});

afterEach(async () => {
  for (const projector of projectors.splice(0)) {
    projector.send('SIGCONT');
    await projector.end('SIGKILL');
  }
  await workshop[Symbol.asyncDispose]();
});

async function start(): Promise<ProjectorProcess> {
  const projector = await ProjectorProcess.start({
    ATELIER_HOME: workshop.folder,
    DATABASE_URL: workshop.databaseUrl,
  });
  projectors.push(projector);
  return projector;
}

async function active(): Promise<ProjectorProcess> {
  const projector = await start();
  await eventually(() => projector.isActive);
  return projector;
}

async function takesOver(projector: ProjectorProcess): Promise<void> {
  await eventually(() => projector.isActive, takeOverMs + busyMachineMs);
}

describe('of two projectors', () => {
  it('one takes over within five seconds of the last sign of life, as they are set', () => {
    // A check may come just before the silence is long enough; half a second is left for taking over.
    expect(silenceMs + usualTakeOverPollMs).toBeLessThanOrEqual(takeOverMs - 500);
  });

  it('one works on all read models and process managers, and the other takes all over when it is killed', async () => {
    const first = await active();
    const second = await start();
    const commotion = new Commotion(workshop);
    await commotion.more(20);
    expect([first.active.size, second.active.size]).toEqual([locks.length, 0]);

    await first.end('SIGKILL');
    await takesOver(second);
    await commotion.more(20);
    await commotion.settle();
  });

  it('one that is paused loses all of it, and cannot write late when it wakes up', async () => {
    let working = await active();
    let waiting = await start();
    const commotion = new Commotion(workshop);
    for (let round = 0; round < 2; round++) {
      await commotion.more(10);
      working.send('SIGSTOP');
      await takesOver(waiting);
      await commotion.more(10);

      // It wakes up in the middle of its work, learns that it has lost its locks, and waits like any other
      // projector.
      working.interrupted.clear();
      working.send('SIGCONT');
      await eventually(() => working.interrupted.size === locks.length);
      await commotion.more(10);
      expect([working.active.size, waiting.active.size]).toEqual([0, locks.length]);
      [working, waiting] = [waiting, working];
    }
    await commotion.settle();

    const more = new Commotion(workshop);
    await working.end('SIGKILL');
    await takesOver(waiting);
    await more.more(10);
    await more.settle();
  });

  it('one whose connection has outlived its ownership is refused by the epoch, says so, and starts again', async () => {
    const projector = await active();
    const commotion = new Commotion(workshop);
    for (let round = 0; round < 3; round++) {
      await commotion.more(10);
      projector.fenced.clear();
      const before = await takeOverByEpoch(projector);
      const ofTest = locks.filter((lock) => lock.includes('.test'));
      await eventually(() => ofTest.every((lock) => projector.fenced.has(lock)));
      await eventually(async () => (await epochs()).every((epoch, index) => epoch > before[index]!));
    }
    await commotion.settle();
  });
});

/**
 * Does the first step of a takeover while the projector is paused. Here its sessions stay open and it holds its
 * locks all the time. If it was paused in the middle of a commit, it runs on for a moment: no takeover can pass
 * a commit.
 */
async function takeOverByEpoch(projector: ProjectorProcess): Promise<number[]> {
  for (;;) {
    projector.send('SIGSTOP');
    try {
      await workshop.query(`begin; set local lock_timeout = '300ms';
        update read_store.projections set epoch = epoch + 1 where environment = 'test';
        update test.process_checkpoints set epoch = epoch + 1; commit`);
      return await epochs();
    } catch (error) {
      const lockNotAvailable = '55P03';
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
    } finally {
      projector.send('SIGCONT');
    }
    await sleep(20);
  }
}

async function epochs(): Promise<number[]> {
  const { rows } = await workshop.query(
    `select epoch::integer, name from read_store.projections where environment = 'test'
      union all select epoch::integer, process from test.process_checkpoints order by name`,
  );
  return rows.map(({ epoch }: { epoch: number }) => epoch);
}
