import { describe, expect, it } from 'vitest';
import { auditedEvent, placeOf } from '#capabilities/operate/audit/audited-event.js';
import { AuditedRows } from '#capabilities/operate/audit/rows/audited-rows.js';
import {
  ExactRows,
  hashOfRowKey,
  hashText,
  type RowKey,
} from '#capabilities/operate/audit/rows/row-store.js';
import type { EventStore } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '#capabilities/operate/ledger/folds-for-audit.js';
import { busyStory } from './support/story.js';

const folds = foldsForAudit(readModels);
const events = busyStory('live').recorded();

const store: Pick<EventStore, 'readStream'> = {
  readStream: (stream, { from = 0n } = {}) =>
    Promise.resolve({
      kind: 'found',
      events: events.filter((event) => event.stream === stream && event.revision >= from).slice(0, 2),
    }),
};

/** The rows with these keys as the audit expects them, when so many are kept in memory. */
async function rowsOf(name: string, keys: readonly string[], keptRows: number) {
  const rows = new ExactRows(new Set(keys));
  const model = folds.find((fold) => fold.name === name)!;
  const audited = new AuditedRows(model, rows, store, keptRows);
  let loads = 0;
  for (const recorded of events) {
    const place = placeOf(recorded)!;
    if (!model.categories.includes(place.category)) continue;
    rows.begin(place);
    const rereading = audited.apply(auditedEvent(place));
    if (rereading) loads++;
    await rereading;
  }
  return { rows: keys.map((key) => rows.row(key)), loads };
}

function rowKeysOf(name: string): RowKey[] {
  const { categories, keysOf } = folds.find((fold) => fold.name === name)!;
  const own = events.map((event) => placeOf(event)!).filter(({ category }) => categories.includes(category));
  return own.flatMap((place) => keysOf(auditedEvent(place)));
}

function hashesOf(name: string): string[] {
  return [...new Set(rowKeysOf(name).map((key) => hashText(hashOfRowKey(key))))];
}

describe('the rows that the audit expects', () => {
  it.each(folds.map(({ name }) => name))('of %s are the same when few are kept', async (name) => {
    const keys = hashesOf(name);
    const all = await rowsOf(name, keys, 10_000);
    const one = await rowsOf(name, keys, 1);
    expect(one.rows).toEqual(all.rows);
    expect(all.rows.filter((row) => row?.present).length).toBeGreaterThan(0);
    expect(all.loads).toBe(0);
    if (name === 'jobs' || name === 'renders') expect(one.loads).toBeGreaterThan(0);
  });

  it.each(folds)('of $name are told apart by every part of their key', ({ name }) => {
    expect(new Set(rowKeysOf(name).map((key) => JSON.stringify(key))).size).toBe(hashesOf(name).length);
  });

  it('leave out the rest of a stream with an event that the fold cannot take', async () => {
    const [fold] = folds.filter(({ name }) => name === 'jobs');
    const keys = hashesOf('jobs');
    const job = events.find(({ type }) => type === 'StageCompleted')!.stream;
    const poisoned = {
      ...fold!,
      evolve: (...[row, event, key]: Parameters<(typeof folds)[number]['evolve']>) => {
        if (event.stream === job && event.type === 'StageCompleted') throw new Error('cannot');
        return fold!.evolve(row, event, key);
      },
    };
    const rows = new ExactRows(new Set(keys));
    const audited = new AuditedRows(poisoned, rows, store);
    for (const recorded of events) {
      const place = placeOf(recorded)!;
      if (place.category === 'job') await audited.apply(auditedEvent(place));
    }
    const cells = keys
      .map((key) => rows.row(key)?.cells)
      .find((each) => each?.['public_id'] === job.slice('live.job-'.length));
    // The columns about money go on; the others stay where the projector leaves them.
    expect(cells).toMatchObject({ revision: 1, status: 'SUCCESS', finished_at: null });
  });
});
