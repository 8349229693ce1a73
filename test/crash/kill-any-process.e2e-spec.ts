import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenedAccount } from '#domain/account/account.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { noSnapshots } from '#event-store/snapshots.js';
import { readRuntime } from '#platform/home-files.js';
import { Atelier } from '../standalone/support/atelier.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from '../standalone/support/home.js';
import { remaining } from '../standalone/support/processes.js';
import { eventually } from '../support/eventually.js';
import { Caller, credits } from './campaign/caller.js';

// Each victim needs hundreds of jobs and a recovery, and the machine may be busy.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

/** For each victim. */
const dispatches = Number(process.env['KILL_DISPATCHES'] ?? 40);
const victims = ['api', 'worker', 'projector', 'postgres', 'supervisor'] as const;
type Victim = (typeof victims)[number];
const inParallel = 8;
/** Most jobs fail fast on a blank photograph and are refunded; one in so many is drawn and settled. */
const drawnEvery = dispatches / 4;
const settings = {
  ATELIER_ORPHAN_HORIZON_MS: '2000',
  ATELIER_SWEEP_INTERVAL_MS: '300',
  ATELIER_WORKER_CONCURRENCY: '4',
};

interface LedgerEntry {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
}

describe(`kill -9 in the middle of ${dispatches} dispatches`, () => {
  const home = temporaryHome();
  let atelier: Atelier;
  let caller: Caller;
  /** The dispatches whose pictures were drawn, over all victims. */
  let drawn = 0;

  beforeAll(async () => {
    atelier = await Atelier.start(home.path, settings);
    caller = await Caller.open({ apis: [atelier.baseUrl], command: cli });
  });

  afterAll(async () => {
    await atelier?.stop('SIGTERM');
    await home[Symbol.asyncDispose]();
  });

  it.each(victims)(
    'of the %s: what was answered ends, nothing is charged twice, and no charge stays open',
    async (victim) => {
      let sent = 0;
      let killed: Promise<void> | undefined;
      const send = async () => {
        for (let number = sent++; number < dispatches; number = sent++) {
          if (number === dispatches / 2) killed = kill(victim);
          const isDrawn = number % drawnEvery === 0;
          await caller.dispatch(`${victim}-${number}`, isDrawn);
          if (isDrawn) drawn += 1;
        }
      };
      await Promise.all(Array.from({ length: inParallel }, send));
      await killed;
      expect([caller.otherAnswers, caller.neverAnswered]).toEqual([0, 0]);

      const ledger = await eventually(async () => {
        const entries = await operations();
        expect(entries.filter(({ status }) => status === 'PENDING')).toEqual([]);
        return entries;
      }, 480_000);
      for (const { jobId } of caller.accepted.values()) expect(await terminalEvents(jobId)).toEqual(1);
      // Each dispatch was repeated with its Idempotency-Key until it was answered. Each job has one charge,
      // which was kept or refunded. Any other charge was refunded by the sweep.
      expect(new Set(ledger.map(({ id }) => id)).size).toBe(ledger.length);
      expect(ledger.filter(({ status }) => status === 'SUCCESS')).toHaveLength(drawn);
      await expectBooksToBalance();
    },
  );

  async function kill(victim: Victim): Promise<void> {
    if (victim === 'supervisor') {
      const children = [atelier.role('api'), atelier.role('worker'), atelier.role('projector')];
      const { port } = new URL(atelier.baseUrl);
      await atelier.stop('SIGKILL');
      expect(await remaining(children, 60_000)).toEqual([]);
      atelier = await Atelier.start(home.path, { ...settings, PORT: port });
      return;
    }
    const target = victim === 'postgres' ? atelier.postgres() : atelier.role(victim);
    process.kill(target.pid, 'SIGKILL');
    expect(await remaining([target], 5_000)).toEqual([]);
  }

  async function operations(): Promise<LedgerEntry[]> {
    const entries = await caller.all<LedgerEntry>('/v1/transactions');
    return entries.filter(({ kind }) => kind === 'operation');
  }

  async function terminalEvents(jobId: string): Promise<number> {
    const { events } = await caller.get<{ events: { event_type: string }[] }>(
      `/v1/jobs/${jobId}/events?since=0`,
    );
    return events.filter(({ event_type: type }) => type === 'succeeded' || type === 'failed').length;
  }

  /** Checks the log itself, past every read model. */
  async function expectBooksToBalance(): Promise<void> {
    const { balance } = await caller.get<{ balance: number }>('/v1/credits');
    const runtime = readRuntime(home.path);
    const opened = await openEventStore(runtime!, { maxConnections: 2 });
    const { state } = await new AccountWriter(opened.store, noSnapshots).read('test', caller.tenant);
    await opened.close();
    const account = state as OpenedAccount;
    expect(account.charges.entries()).toEqual([]);
    expect(account.balance).toBe(balance);
    expect(balance).toBe(credits - 5 * drawn);
    expect(await cli('ledger', 'audit')).toMatchObject({ holds: true, findings: [] });
  }

  async function cli(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr, code } = await runCommand([...args, '--json'], home.path);
    if (code !== 0) throw new Error(`${stderr}${stdout}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }
});
