import { afterAll, describe, expect, it } from 'vitest';
import { withConnection } from '#platform/postgres.js';
import { readSignsOfLife } from '#read-store/signs-of-life.js';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { startRole } from '../support/role-process.js';
import { Workshop } from '../worker/support/workshop.js';
import { Atelier } from './support/atelier.js';
import { temporaryHome } from './support/home.js';
import { settingsOn } from '../cli/support/verbs.js';
import { untilEnd } from '../support/until-end.js';

interface Report {
  readonly checks: readonly { name: string; ok: boolean; detail: string }[];
}

const home = untilEnd(temporaryHome());
const atelier = await Atelier.start(home.path);
afterAll(() => atelier.stop());
const workshop = untilEnd(await Workshop.open());

describe('a service with nothing to do', () => {
  const json = async (verb: string) =>
    JSON.parse((await runCommand([verb, '--json'], home.path)).stdout) as unknown;
  const processes = async () => {
    const { checks } = (await json('doctor')) as Report;
    return checks.find(({ name }) => name === 'processes');
  };
  const isWell = () => eventually(async () => (await processes())?.ok === true);

  it('has processes of each role that give signs of life', async () => {
    await isWell();
    expect(await processes()).toMatchObject({
      detail: expect.stringMatching(/^1 api, 1 projector, 1 worker of release \d/),
    });
  });

  it.each([
    ['projector', 'no job begins'],
    ['worker', 'dispatches are accepted and charged, and wait'],
    ['api', 'callers get no answer'],
  ] as const)('has a frozen %s named, with what callers notice', async (role, meaning) => {
    const { pid } = atelier.role(role);
    process.kill(pid, 'SIGSTOP');
    try {
      const reason = await eventually(async () => {
        const { reasons } = (await json('now')) as { reasons: { what: string; detail: string }[] };
        // A process that has just come back may be reported for a moment more.
        return reasons.find(({ what, detail }) => what === 'processes' && detail.startsWith(role)) ?? false;
      });
      const named = `${role}: process ${pid} on \\S+ is silent for \\d+ s; .*${meaning}`;
      expect(reason.detail).toMatch(new RegExp(`^${named}`));
      const { ok, detail } = (await processes()) ?? {};
      expect({ ok, detail }).toEqual({ ok: false, detail: expect.stringMatching(new RegExp(named)) });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await isWell();
  });

  it('has one that was killed replaced, and no longer awaited', async () => {
    const { pid } = atelier.role('worker');
    process.kill(pid, 'SIGKILL');
    await eventually(() => atelier.role('worker').pid !== pid);
    await isWell();
  });
});

describe('the sign of life of a process', () => {
  const start = () =>
    startRole('apps/worker/src/main.js', {
      ATELIER_HOME: workshop.folder,
      ...settingsOn(workshop.databaseUrl),
    });
  const seen = async () =>
    (await workshop.query('select role, pid, release from read_store.signs_of_life')).rows as object[];

  it('is taken away when it ends in order, and left when it is killed, until another takes its place', async () => {
    const first = await start();
    await eventually(async () => expect(await seen()).toMatchObject([{ role: 'worker', pid: first.pid }]));
    await first.stop();
    expect(await seen()).toEqual([]);
    const second = await start();
    await eventually(async () => expect(await seen()).toMatchObject([{ pid: second.pid }]));
    await second.stop('SIGKILL');
    expect(await seen()).toMatchObject([{ pid: second.pid }]);
    const third = await start();
    await eventually(async () => expect(await seen()).toMatchObject([{ pid: third.pid }]));
    await third.stop();
  });

  it('is missed after 10 seconds', async () => {
    const process = await start();
    await eventually(async () => expect(await seen()).toHaveLength(1));
    await process.stop('SIGKILL');
    // In one transaction `now()` stands still, however busy the machine is.
    const silentFor = (seconds: number) =>
      withConnection({ connectionString: workshop.databaseUrl }, async (client) => {
        await client.query('begin');
        await client.query(`update read_store.signs_of_life set seen_at = now() - interval '${seconds} s'`);
        return readSignsOfLife(client);
      });
    expect(await silentFor(9)).toMatchObject([{ silent: false, silent_seconds: 9 }]);
    expect(await silentFor(11)).toMatchObject([{ silent: true, silent_seconds: 11 }]);
  });
});
