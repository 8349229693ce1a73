import { expect, it } from 'vitest';
import { ModelFold } from '../model-fold.js';
import { deliver } from '../projected-event.js';
import { ProjectionTable } from '../projection-table.js';
import { newEvent } from '../testing/read-store-fixture.js';
import { purchase } from '../testing/purchases.js';
import { tally } from '../testing/tally.js';
import { GenerationRows } from './build.js';

it.each([false, true])('counts the rows that wait to be written, one for each event: %s', (rowPerEvent) => {
  const model = { ...tally(), rowPerEvent };
  const table = new ProjectionTable('live', model, 2);
  const checkpoint = { name: 'tally', generation: 2, version: 1, epoch: 1n, position: null };
  const rows = new GenerationRows(table, rowPerEvent, true);
  const deliveries = ['A', 'B', 'C'].map((tenant, index) => {
    const place = { stream: `live.account-${tenant}`, revision: 0n, position: BigInt(index + 1) };
    const { id, type, data, metadata } = newEvent(purchase(1), tenant);
    return deliver({ id, type, data, metadata, ...place })!;
  });
  const fold = new ModelFold({ model, table, checkpoint, parkedStreams: new Set() }, deliveries);
  fold.foldOnto(rows);
  rows.apply(fold);
  expect(rows.waitingRows).toBe(3);
});
