import { beforeAll, describe, expect, it } from 'vitest';
import { at, cancelled, debited, purchased, queued, refunded, settled } from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { LedgerRow } from './ledger.read-model.js';
import { LedgerReader } from './ledger.reader.js';

let side: ReadSide;
let ledger: LedgerReader;

const sum = async (tenant: string) =>
  (await side.dataSource.getRepository(LedgerRow).sum('creditsDelta', { tenant })) ?? 0;

beforeAll(async () => {
  side = await startReadSide(async (fixture) => {
    await fixture.append('account', 'acme', [purchased(100), debited('R1', 5, 1), debited('R2', 5, 2)]);
    await fixture.append('account', 'acme', [debited('R3', 5, 3), settled('R1', 5), refunded('R2', 5)]);
    await fixture.append('account', 'acme', [debited('R4', 5, 4), debited('R5', 5, 50)]);
    await fixture.append('job', 'job-of-R4', [queued('job-of-R4', 'acme')], { tenant: 'acme' });
    await fixture.append('account', 'rival', [purchased(7, 8), debited('X1', 2, 2)]);
  });
  ledger = new LedgerReader(side.dataSource);
  return side.dispose;
});

describe('the ledger reader', () => {
  it("lists a tenant's own entries in the order of the account, newest first", async () => {
    const { items, total } = await ledger.list('acme', { limit: 50, offset: 0 });
    expect(items.map(({ id, creditsDelta, status }) => [id, creditsDelta, status])).toEqual([
      ['R5', -5, 'PENDING'],
      ['R4', -5, 'PENDING'],
      ['R3', -5, 'PENDING'],
      ['R2', 0, 'REFUNDED'],
      ['R1', -5, 'SUCCESS'],
      ['pack-0', 100, 'PURCHASED'],
    ]);
    expect(total).toBe(6);
  });

  it('sums to the balance: purchases less charges plus refunds', async () => {
    expect(await sum('acme')).toBe(80);
    expect(await sum('rival')).toBe(5);
    expect(await sum('nobody')).toBe(0);
    const { items } = await ledger.list('acme', { limit: 50, offset: 0 });
    expect(items.reduce((sum, { creditsDelta }) => sum + creditsDelta, 0)).toBe(80);
  });

  it('sums what was spent since a moment, less what was given back', async () => {
    // R1 is settled, R2 refunded, and R3 to R5 are open. The purchase does not count as spending.
    expect(await ledger.spentSince('acme', new Date(0))).toBe(20);
    expect(await ledger.spentSince('acme', new Date(at(4)))).toBe(10);
    expect(await ledger.spentSince('acme', new Date(at(51)))).toBe(0);
  });

  it('pages through open charges behind a cursor', async () => {
    const before = new Date(at(60));
    const all = await ledger.openChargesOlderThan(before, 10);
    expect(all.length).toBeGreaterThan(2);
    const walked = [];
    for (let last = undefined; ; last = walked.at(-1)) {
      const page = await ledger.openChargesOlderThan(before, 1, last);
      if (page.length === 0) break;
      walked.push(...page);
    }
    expect(walked).toEqual(all);
  });

  it('names old open charges without a job, or of one that has ended for as long, of all tenants, oldest first', async () => {
    const candidates = await ledger.openChargesOlderThan(new Date(at(40)), 10);
    expect(candidates).toEqual([
      { tenant: 'rival', chargeId: 'X1', jobId: 'job-of-X1', amount: 2, createdAt: new Date(at(2)) },
      { tenant: 'acme', chargeId: 'R3', jobId: 'job-of-R3', amount: 5, createdAt: new Date(at(3)) },
    ]);
    expect(await ledger.openChargesOlderThan(new Date(at(40)), 1)).toHaveLength(1);
    // R4 was charged at 4; its job ended at 30.
    const ended = { ...cancelled, data: { ...cancelled.data, at: at(30) } };
    await side.fixture.append('job', 'job-of-R4', [ended], { tenant: 'acme' });
    await side.fixture.passed((await side.fixture.store.head())!);
    const idsBefore = async (second: number) =>
      (await ledger.openChargesOlderThan(new Date(at(second)), 10)).map(({ chargeId }) => chargeId);
    expect(await idsBefore(30)).toEqual(['X1', 'R3']);
    expect(await idsBefore(31)).toEqual(['X1', 'R3', 'R4']);
    expect(await ledger.openChargesOlderThan(new Date(at(2)), 10)).toEqual([]);
  });
});
