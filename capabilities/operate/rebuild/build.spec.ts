import type pg from 'pg';
import { expect, it, vi } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { ModelFold } from '#read-store/model-fold.js';
import { deliver } from '#read-store/projected-event.js';
import { ProjectionTable } from '#read-store/projection-table.js';
import { newEvent } from '#read-store/testing/read-store-fixture.js';
import { purchase } from '#read-store/testing/purchases.js';
import { tally } from '#read-store/testing/tally.js';
import { GenerationRows } from './build.js';

const at = '2026-01-01T00:00:00.000Z';
const suspended = { type: 'AccountSuspended', data: { reason: '', at } } as const;

type Batch = readonly (readonly [tenant: string, told: DomainEvent])[];

/** Folds batches one after the other into the rows of a generation that began empty. */
function builder(rowPerEvent: boolean) {
  const model = { ...tally(), rowPerEvent };
  const table = new ProjectionTable('live', model, 2);
  const checkpoint = { name: 'tally', generation: 2, version: 1, epoch: 1n, position: null };
  const rows = new GenerationRows(table, rowPerEvent, true);
  let position = 0n;
  const foldOf = (batch: Batch) => {
    const deliveries = batch.map(([tenant, told]) => {
      const place = { stream: `live.account-${tenant}`, revision: position, position: ++position };
      const { id, type, data, metadata } = newEvent(told, tenant);
      return deliver({ id, type, data, metadata, ...place })!;
    });
    return new ModelFold({ model, table, checkpoint, parkedStreams: new Set() }, deliveries);
  };
  return { rows, foldOf };
}

/** The rows after the events were folded one by one, each in a batch of its own. */
function rowsOf(rowPerEvent: boolean, batches: readonly Batch[]) {
  const { rows, foldOf } = builder(rowPerEvent);
  for (const batch of batches) {
    const fold = foldOf(batch);
    fold.foldOnto(rows);
    rows.apply(fold);
  }
  return rows;
}

it('asks the table for no row that it knows, and for none that it cannot have', async () => {
  const { rows, foldOf } = builder(false);
  const asked = vi.fn(() => Promise.resolve({ rows: [] }));
  const client = { query: asked } as unknown as pg.Client;
  const first = foldOf([['A', purchase(1)]]);
  await rows.load(client, first);
  first.foldOnto(rows);
  rows.apply(first);
  await rows.load(
    client,
    foldOf([
      ['A', purchase(1)],
      ['B', purchase(1)],
    ]),
  );
  expect(asked).not.toHaveBeenCalled();
  rows.take();
  rows.forget();
  await rows.load(client, foldOf([['A', purchase(1)]]));
  expect(asked).toHaveBeenCalledOnce();
});

it.each([false, true])('counts the rows that wait to be written, one for each event: %s', (rowPerEvent) => {
  const bought = ['A', 'B', 'C'].map((tenant) => [tenant, purchase(1)] as const);
  expect(rowsOf(rowPerEvent, [bought]).waitingRows).toBe(3);
});

it('writes nothing of a row that has come and gone since the last write', () => {
  const rows = rowsOf(false, [
    [
      ['A', purchase(1)],
      ['B', purchase(1)],
    ],
    [['A', suspended]],
  ]);
  expect(rows.waitingRows).toBe(1);
  expect(rows.get('A')).toBeUndefined();
  expect(rows.get('B')).toMatchObject({ tenant: 'B' });
});
