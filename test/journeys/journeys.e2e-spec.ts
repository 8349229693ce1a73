import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Finished } from './client.js';
import { checkOf, downloaded } from './checks.js';
import { journeys } from './journeys.js';
import { Library } from './library.js';
import { startService } from './service.js';
import { untilEnd } from '../support/until-end.js';

const credits = 1000;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

interface UsageRow {
  readonly endpoint: string;
  readonly status: string;
  readonly credits_charged: number;
  readonly credits_refunded: number;
}

interface LedgerEntry {
  readonly kind: string;
  readonly label: string;
  readonly credits_delta: number;
}

const service = untilEnd(await startService(credits));
const library = new Library(service.client);

describe('a customer who has read the specification', () => {
  it.each(journeys)('ends $workflow with pictures to look at', async ({ workflow, run }): Promise<void> => {
    const finished = await run(library);
    expectALifeOfAJob(finished);
    const pictures = await downloaded(service.client, finished);
    expect(pictures.length).toBeGreaterThan(0);
    await checkOf(workflow)({ library, finished, pictures });
  });

  it('is listed each operation that there is', async () => {
    const { operations } = await service.client.get<{ operations: { name: string; enabled: boolean }[] }>(
      '/v1/operations',
    );
    expect(operations.map(({ name }) => name).sort()).toEqual(journeys.map((one) => one.workflow).sort());
    expect(operations.every(({ enabled }) => enabled)).toBe(true);
  });

  it('finds each credit of the balance in the usage and in the ledger', async () => {
    // Uploads and products stand there as well, at no cost.
    const charged = (await settledUsage()).items.filter(({ credits_charged: credits }) => credits > 0);
    const { balance } = await service.client.get<{ balance: number }>('/v1/credits');
    const spent = charged.map((row) => row.credits_charged - row.credits_refunded);
    expect(balance).toBe(credits - sum(spent));
    expect(balance).toBeLessThan(credits);
    const ledger = await service.client.get<Page<LedgerEntry>>('/v1/transactions?limit=200');
    expect(sum(ledger.items.map((entry) => entry.credits_delta))).toBe(balance);
    const operations = ledger.items.filter(({ kind }) => kind === 'operation');
    expect(totals(operations.map(({ label, credits_delta }) => [label, -credits_delta]))).toEqual(
      totals(charged.map((row) => [row.endpoint, row.credits_charged - row.credits_refunded])),
    );
  });

  /** Checks every answer about a job that succeeds, from its acceptance to its manifest. */
  function expectALifeOfAJob({ accepted, events, job }: Finished): void {
    expect(accepted).toMatchObject({ status: 'NOT_STARTED', credits_cost: expect.any(Number) });
    expect(events.map(({ seq }) => seq)).toEqual(
      [...new Set(events.map(({ seq }) => seq))].sort((a, b) => a - b),
    );
    expect(events[0]?.event_type).toBe('queued');
    expect(events.at(-1)?.event_type).toBe('succeeded');
    expect(events.every(({ visibility }) => visibility === 'public')).toBe(true);
    expect(job).toMatchObject({ public_id: accepted.job_id, status: 'SUCCESS' });
    expect(job.latest_event.seq).toBe(events.at(-1)?.seq);
  }

  /** A row is settled a moment after its job has ended. */
  async function settledUsage(): Promise<Page<UsageRow>> {
    for (;;) {
      const usage = await service.client.get<Page<UsageRow>>('/v1/usage?limit=200');
      if (usage.items.every(({ status }) => status !== 'PENDING')) return usage;
      await sleep(200);
    }
  }
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The sum of the credits spent on each name. A batch is one call, with one charge for each photograph. */
function totals(spending: readonly (readonly [name: string, credits: number])[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const [name, credits] of spending) all[name] = (all[name] ?? 0) + credits;
  return all;
}
