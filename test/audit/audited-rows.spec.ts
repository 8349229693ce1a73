import { describe, expect, it } from 'vitest';
import { auditedEvent, placeOf } from '#capabilities/operate/audit/audited-event.js';
import {
  FoldedRows,
  textOfKey,
  type ReadModelFold,
  type RowKey,
} from '#capabilities/operate/audit/rows/folded-rows.js';
import { foldsOf } from '#capabilities/operate/audit/rows/money-models.js';
import { digestOf } from '#capabilities/operate/audit/rows/digest.js';
import { parseStreamName } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '#capabilities/operate/ledger/folds-for-audit.js';
import { goldenHistories } from '../golden/golden-histories.js';
import { busyStory } from './support/story.js';

const folds = foldsForAudit(readModels);
const story = busyStory('live').recorded();
const events = [...story, ...recordedBeside(story)];

/** Events of the families that the story does not tell, from their golden files: one history for each stream. */
function recordedBeside(told: readonly RecordedEvent[]): RecordedEvent[] {
  const families = new Set(told.map(({ stream }) => parseStreamName(stream)?.category));
  const others = goldenHistories.filter(({ history }) => !families.has(history.category));
  const byStream = new Map(others.map(({ history }) => [history.stream, history.events]));
  return [...byStream].flatMap(([stream, history]) =>
    history.map((event, revision) => ({
      ...event,
      id: `${stream}@${revision}`,
      stream,
      revision: BigInt(revision),
      position: BigInt(told.length),
    })),
  );
}

const store: Pick<EventStore, 'readStream'> = {
  readStream: (stream, { from = 0n } = {}) =>
    Promise.resolve({
      kind: 'found',
      events: events.filter((event) => event.stream === stream && event.revision >= from).slice(0, 2),
    }),
};

/**
 * Folds the history into the rows of a read model, fold by fold. `kept` limits the rows that are kept in full;
 * without it all are.
 */
async function rowsOf(model: ReadModelFold, kept?: number, history: readonly RecordedEvent[] = events) {
  const keep = kept === undefined ? { wanted: new Set(idsOf(model)) } : { kept };
  const folded = foldsOf(model).map((fold) => ({ fold, rows: new FoldedRows(fold, store, keep) }));
  let loads = 0;
  for (const recorded of history) {
    const place = placeOf(recorded)!;
    if (!model.categories.includes(place.category)) continue;
    for (const { rows } of folded) {
      const rereading = rows.apply(auditedEvent(place));
      if (rereading) loads++;
      await rereading;
    }
  }
  return { folded, loads };
}

/** A row's cells by column; undefined: there is no such row. */
function cellsIn({ folded }: Awaited<ReturnType<typeof rowsOf>>, key: string) {
  const cells = folded.flatMap(({ fold, rows }) => {
    const row = rows.row(key);
    return row ? rows.cellsOf(row).map((cell, at) => [fold.columns[at]!.name, cell] as const) : [];
  });
  return cells.length > 0 ? Object.fromEntries(cells) : undefined;
}

function rowKeysOf({ categories, keysOf }: ReadModelFold): RowKey[] {
  const own = events.map((event) => placeOf(event)!).filter(({ category }) => categories.includes(category));
  return own.flatMap((place) => keysOf(auditedEvent(place)));
}

const idsOf = (model: ReadModelFold) => [...new Set(rowKeysOf(model).map(textOfKey))];

describe('the rows that the audit expects', () => {
  it.each(folds)('of $name are the same when few are kept', async (model) => {
    const all = await rowsOf(model);
    const one = await rowsOf(model, 1);
    for (const [index, { rows }] of one.folded.entries()) {
      const full = all.folded[index]!.rows;
      expect([...rows.keys].sort()).toEqual([...full.keys].sort());
      expect(rows.keys.size).toBeGreaterThan(0);
      for (const key of rows.keys)
        expect([key, rows.take(key, full.cellsOf(full.row(key)!))]).toEqual([key, true]);
    }
    expect(all.loads).toBe(0);
    if (model.name === 'jobs' || model.name === 'renders') expect(one.loads).toBeGreaterThan(0);
  });

  it.each(folds)('of $name differ when any cell does', async (model) => {
    for (const kept of [1, 10_000]) {
      const { folded } = await rowsOf(model);
      for (const [index, { fold }] of folded.entries()) {
        for (const at of fold.columns.keys()) {
          const { rows } = (await rowsOf(model, kept)).folded[index]!;
          const full = folded[index]!.rows;
          const [key] = rows.keys;
          const cells = full.cellsOf(full.row(key!)!);
          expect([fold.columns[at]!.name, rows.take(key!, cells.with(at, 'altered'))]).toEqual([
            fold.columns[at]!.name,
            false,
          ]);
        }
      }
    }
  });

  it('are suspects when an event comes for them after they were closed and dropped', async () => {
    const ledger = folds.find(({ name }) => name === 'ledger')!;
    const history = busyStory('live').refund('acme', 'job1-live').recorded();
    const [all, one] = [await rowsOf(ledger, undefined, history), await rowsOf(ledger, 1, history)];
    const [{ rows: full }, { rows }] = [all.folded[0]!, one.folded[0]!];
    const right = [...rows.keys].filter((key) => rows.take(key, full.cellsOf(full.row(key)!)));
    expect([...full.keys].filter((key) => !right.includes(key))).toEqual(['r-job1-live']);
    expect(full.row('r-job1-live')).toMatchObject({ credits_delta: 0, status: 'REFUNDED' });
  });

  it.each(folds)('of $name are told apart by every part of their key', (model) => {
    expect(new Set(rowKeysOf(model).map((key) => JSON.stringify(key))).size).toBe(idsOf(model).length);
  });

  it('leave out the rest of a stream with an event that the fold cannot take', async () => {
    const [fold] = folds.filter(({ name }) => name === 'jobs');
    const job = events.find(({ type }) => type === 'StageCompleted')!.stream;
    const poisoned: ReadModelFold = {
      ...fold!,
      evolve: (...[row, event, key]: Parameters<ReadModelFold['evolve']>) => {
        if (event.stream === job && event.type === 'StageCompleted') throw new Error('cannot');
        return fold!.evolve(row, event, key);
      },
    };
    const cells = cellsIn(await rowsOf(poisoned), job.slice('live.job-'.length));
    // The fold of the money columns goes on; the other columns stay where the projector leaves them.
    expect(cells).toMatchObject({ revision: 1, status: 'SUCCESS', finished_at: null });
  });
});

describe('the digest of a value', () => {
  it('is that of its form in jsonb', () => {
    expect(digestOf({ a: 1, b: [undefined, -0], c: undefined })).toBe(digestOf({ b: [null, 0], a: 1 }));
  });

  it.each([
    [5, '5'],
    [true, 'true'],
    [null, ''],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [1780315209000, 1780315209000.001],
  ])('tells %j and %j apart', (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });
});
