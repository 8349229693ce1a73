import { beforeAll, describe, expect, it } from 'vitest';
import { at, debited, queued, refunded, rejected, settled } from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { UsageReader } from '../readers.js';

let side: ReadSide;
let usage: UsageReader;

beforeAll(async () => {
  side = await startReadSide(async (fixture) => {
    await fixture.append('account', 'acme', [debited('R1', 5, 1), debited('R2', 5, 2), debited('R3', 5, 3)]);
    await fixture.append('usage', 'acme', [rejected('R4', 4)]);
    await fixture.append('job', 'J1', [queued('J1', 'acme', { requestId: 'R1', at: at(2) })], {
      tenant: 'acme',
    });
    await fixture.append('account', 'acme', [settled('R1', 5, 6), refunded('R2', 5, 7)]);
    await fixture.append('account', 'rival', [debited('X', 9, 8)]);
  });
  usage = new UsageReader(side.dataSource);
  return side.dispose;
});

describe('the usage reader', () => {
  it("lists a tenant's own requests, newest first, and counts them all", async () => {
    const { items, total } = await usage.list('acme', { limit: 50, offset: 0 });
    expect(items.map(({ requestId, status }) => [requestId, status])).toEqual([
      ['R4', 'FAILED'],
      ['R3', 'PENDING'],
      ['R2', 'REFUNDED'],
      ['R1', 'SUCCESS'],
    ]);
    expect(total).toBe(4);
    expect(items[3]).toMatchObject({
      submittedAt: new Date(at(2)),
      resolvedAt: new Date(at(6)),
      latencyMs: 5_000,
    });
  });

  it('pages, and counts beyond the last page too', async () => {
    const page = await usage.list('acme', { limit: 2, offset: 1 });
    expect(page.items.map(({ requestId }) => requestId)).toEqual(['R3', 'R2']);
    expect(page.total).toBe(4);
    expect(await usage.list('acme', { limit: 2, offset: 9 })).toEqual({ items: [], total: 4 });
    expect(await usage.list('nobody', { limit: 2, offset: 0 })).toEqual({ items: [], total: 0 });
  });
});
