import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toProjectedEvent, type ProjectedEvent } from '#read-store/projected-event.js';
import { retryParked } from '#read-store/parked-retry.js';
import { listParkedStreams } from '#read-store/parked-events.js';
import { keysOf, type ReadModel } from '#read-store/read-model.js';
import { eventually, ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { differencesFromHistory, wholeLog } from '#read-store/testing/rows-of-history.js';
import { catalogReadModel } from './catalog/catalog.read-model.js';
import { readModels } from './read-models.js';
import {
  artifact,
  cancelled,
  debited,
  failed,
  purchased,
  queued,
  refunded,
  rejected,
  renderStarted,
  settled,
  stageCompleted,
  succeeded,
} from './testing/stories.js';
import { usageReadModel } from './usage/usage.read-model.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
});

afterEach(() => fixture.dispose());

type Faulty = (event: ProjectedEvent) => boolean;

/** The read model of a release that cannot fold some events: it fails in the fold, or before it knows their row. */
function broken<Row extends object>(
  model: ReadModel<Row>,
  faulty: Faulty,
  where: 'evolve' | 'keys' = 'evolve',
): ReadModel<object> {
  const choke = (event: ProjectedEvent) => {
    if (faulty(event)) throw new Error(`this release cannot fold ${event.type} of ${event.stream}`);
  };
  const { name, version, entity, categories, rowPerEvent, keysSpanStreams } = model;
  return {
    ...{
      name,
      version,
      entity,
      categories,
      ...(rowPerEvent && { rowPerEvent }),
      ...(keysSpanStreams && { keysSpanStreams }),
    },
    keysOf: (event) => {
      if (where === 'keys') choke(event);
      return keysOf(model, event);
    },
    evolve: (row, event, key) => {
      choke(event);
      return model.evolve(row as Row | undefined, event, key);
    },
  };
}

const retry = (model: ReadModel<object>, stream: string) =>
  retryParked({ url: fixture.url, eventStore: fixture.store, environment: 'live', model, stream });
const differences = (model: ReadModel<object>) => differencesFromHistory(fixture.sql, fixture.store, model);
const parkedStreams = async () => (await listParkedStreams(fixture.url)).map(({ stream }) => stream);

describe.each(['evolve', 'keys'] as const)(
  'usage, whose rows an account and its jobs share (fault in %s)',
  (where) => {
    const story = async (faulty: Faulty) => {
      fixture.start({ readModels: [broken(usageReadModel, faulty, where)] });
      await fixture.append('account', 'acme', [purchased(100), debited('r0', 4)]);
      await fixture.append('job', 'job-of-r0', [queued('job-of-r0', 'acme', { requestId: 'r0' })]);
      await fixture.append('account', 'acme', [debited('r1', 5), debited('r2', 6), settled('r0', 4)]);
      await fixture.append('account', 'other', [purchased(9), debited('r9', 1)]);
      for (const id of ['r1', 'r2', 'r9'])
        await fixture.append('job', `job-of-${id}`, [queued(`job-of-${id}`, 'acme', { requestId: id })]);
      const last = await fixture.append('account', 'acme', [settled('r1', 5), refunded('r2', 6)]);
      await fixture.append('usage', 'acme', [rejected('r5')]);
      await fixture.passed(last);
    };

    it('is right after a retry, although the jobs went on while the account was parked', async () => {
      await story((event) => event.type === 'CreditsDebited' && event.data.chargeId === 'r1');
      expect(await parkedStreams()).toEqual(['live.account-acme']);
      expect(await retry(usageReadModel, 'live.account-acme')).toMatchObject({ applied: 5, parked: 0 });
      // With the events of the account alone, r1 and r2 would have been charged and never submitted.
      const rows = await fixture.rows(
        'select from live.usage where credits_charged > 0 and submitted_at is null',
      );
      expect(rows).toEqual([]);
      await fixture.passed((await fixture.store.head())!);
      expect(await differences(usageReadModel)).toEqual([]);
    });

    it('is right after a retry of a job that was parked while its account went on', async () => {
      await story((event) => event.type === 'JobQueued' && event.data.requestId === 'r1');
      expect(await parkedStreams()).toEqual(['live.job-job-of-r1']);
      expect(await retry(usageReadModel, 'live.job-job-of-r1')).toMatchObject({ applied: 1 });
      expect(await differences(usageReadModel)).toEqual([]);
    });

    it('is right only when all that was parked is retried, one stream after the other', async () => {
      const isFaulty: Faulty = (event) =>
        (event.type === 'JobQueued' && event.data.requestId === 'r2') ||
        (event.type === 'CreditsDebited' && event.data.chargeId === 'r1');
      await story(isFaulty);
      const streams = await parkedStreams();
      expect(streams).toEqual(['live.account-acme', 'live.job-job-of-r2']);
      for (const stream of streams.toReversed()) await retry(usageReadModel, stream);
      expect(await parkedStreams()).toEqual([]);
      expect(await differences(usageReadModel)).toEqual([]);
    });

    it('goes as far as it can, and is right when the rest has followed', async () => {
      const second: Faulty = (event) => event.type === 'CreditsSettled' && event.data.chargeId === 'r0';
      await story(
        (event) => second(event) || (event.type === 'CreditsDebited' && event.data.chargeId === 'r1'),
      );
      const outcome = await retry(broken(usageReadModel, second, where), 'live.account-acme');
      expect(outcome).toMatchObject({
        applied: 2,
        parked: 3,
        failure: { recorded: { type: 'CreditsSettled' } },
      });
      expect(await fixture.rows(`select status from live.usage where request_id = 'r1'`)).toEqual([
        { status: 'PENDING' },
      ]);
      expect(await retry(usageReadModel, 'live.account-acme')).toMatchObject({ applied: 3, parked: 0 });
      expect(await differences(usageReadModel)).toEqual([]);
    });
  },
);

describe('the catalogue, in which the first of several jobs counts', () => {
  it('is right after a retry of the photograph whose batch went on', async () => {
    const faulty: Faulty = (event) => event.type === 'JobSucceeded' && event.stream === 'live.job-child';
    fixture.start({ readModels: [broken(catalogReadModel, faulty)] });
    const made = { ...artifact('final', 'Jumper'), kind: 'extracted_garment' };
    const success = { ...succeeded, data: { ...succeeded.data, artifacts: [made] } };
    await fixture.append('job', 'child', [queued('child', 'acme'), success]);
    await fixture.passed(await fixture.append('job', 'parent', [queued('parent', 'acme'), success]));
    const jobs = () => fixture.rows('select job_id from live.catalog');
    expect(await jobs()).toEqual([{ job_id: 'parent' }]);
    await retry(catalogReadModel, 'live.job-child');
    expect(await jobs()).toEqual([{ job_id: 'child' }]);
    expect(await differences(catalogReadModel)).toEqual([]);
  });
});

describe('a retry across streams beside a projector that runs, while events come in', () => {
  it('leaves the rows as history has them, in 20 rounds', async () => {
    let isBroken = false;
    const faulty: Faulty = (event) =>
      isBroken && event.type === 'CreditsPurchased' && event.data.amount === 666;
    // A purchase is none of usage's business, unless a release makes it so.
    const model = broken(usageReadModel, faulty, 'keys');
    fixture.start({ readModels: [model] });
    let flowing = true;
    let made = 0;
    const flow = [1, 2].map(async () => {
      for (; flowing; await sleep(5)) {
        const id = `r${made++}`;
        await fixture.append('account', 'acme', [debited(id, 5)]);
        const job = `job-of-${id}`;
        await fixture.append('job', job, [queued(job, 'acme', { requestId: id }), succeeded]);
        await fixture.append('account', 'acme', [made % 2 ? settled(id, 5) : refunded(id, 5)]);
      }
    });
    for (let round = 0; round < 20; round++) {
      isBroken = true;
      await fixture.append('account', 'acme', [purchased(666, round)]);
      await eventually(async () => (await parkedStreams()).length > 0, 'it to be parked');
      isBroken = false;
      expect((await retry(usageReadModel, 'live.account-acme')).failure).toBeUndefined();
      expect(await parkedStreams()).toEqual([]);
    }
    flowing = false;
    await Promise.all(flow);
    await fixture.passed((await fixture.store.head())!);
    expect(made).toBeGreaterThan(20);
    expect(await differences(usageReadModel)).toEqual([]);
  });
});

describe('every read model', () => {
  it('is right after its parked streams were retried, and says so where streams share its rows', async () => {
    // Of each type of event every second one cannot be folded by the release that runs.
    const seen = new Map<string, number>();
    const turns = new Map<string, boolean>();
    const faulty: Faulty = ({ type, eventId }) => {
      if (!turns.has(eventId)) {
        seen.set(type, (seen.get(type) ?? 0) + 1);
        turns.set(eventId, seen.get(type)! % 2 === 0);
      }
      return turns.get(eventId)!;
    };
    fixture.start({ readModels: readModels.map((model) => broken(model, faulty)) });
    const garment = { ...artifact('final', 'Jumper'), kind: 'extracted_garment' };
    const made = { ...succeeded, data: { ...succeeded.data, artifacts: [artifact('final'), garment] } };
    const endings = [made, failed, cancelled, made];
    await fixture.append('account', 'acme', [purchased(100), purchased(5, 1)]);
    for (const [index, ending] of endings.entries()) {
      const [request, job] = [`r${index}`, `job-of-r${index}`];
      await fixture.append('account', 'acme', [debited(request, 5)]);
      const events = [queued(job, 'acme', { requestId: request }), renderStarted, stageCompleted, ending];
      await fixture.append('job', job, events);
      await fixture.append('account', 'acme', [
        ending.type === 'JobSucceeded' ? settled(request, 5) : refunded(request, 5),
      ]);
    }
    await fixture.passed((await fixture.store.head())!);
    const marked = readModels.filter(({ keysSpanStreams }) => keysSpanStreams).map(({ name }) => name);
    expect(await modelsWithSharedRows()).toEqual(marked);
    const parked = await listParkedStreams(fixture.url);
    expect(new Set(parked.map(({ name }) => name))).toEqual(
      new Set(['jobs', 'timeline', 'usage', 'ledger', 'renders', 'catalog']),
    );
    for (const { name, stream } of parked) {
      const outcome = await retry(
        readModels.find((model) => model.name === name)!,
        stream,
      );
      expect(outcome).toMatchObject({ parked: 0, failure: undefined });
    }
    for (const model of readModels)
      expect({ model: model.name, differences: await differences(model) }).toEqual({
        ...{ model: model.name, differences: [] },
      });
  });
});

/** The read models in which events of several streams concern one row, in the history there is. */
async function modelsWithSharedRows(): Promise<string[]> {
  const events = (await wholeLog(fixture.store)).map(toProjectedEvent);
  const isShared = (model: ReadModel<object>) => {
    const streamOf = new Map<string, string>();
    return events
      .filter(({ category }) => model.categories.includes(category))
      .flatMap((event) => keysOf(model, event).map((key) => ({ id: key.join(), stream: event.stream })))
      .some(({ id, stream }) => {
        const first = streamOf.get(id) ?? stream;
        streamOf.set(id, first);
        return first !== stream;
      });
  };
  return readModels.filter(isShared).map(({ name }) => name);
}
