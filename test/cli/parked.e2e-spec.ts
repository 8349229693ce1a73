import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { readModels } from '#projections/read-models.js';
import { debited, purchased, queued, settled } from '#projections/testing/stories.js';
import type { ReadModel } from '#read-store/read-model.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { temporaryHome } from '../standalone/support/home.js';
import { untilEnd } from '../support/until-end.js';
import { verbsOn } from './support/verbs.js';

const home = untilEnd(temporaryHome());
const fixture = await ReadStoreFixture.create();
afterAll(() => fixture.dispose());

/** The projector runs an older release, which cannot fold this purchase; the command is of this release. */
const fault = 'pack-666';
function older(model: ReadModel<object>): ReadModel<object> {
  if (model.name !== 'ledger') return model;
  return {
    ...model,
    evolve: (row, event, key) => {
      if (event.type === 'CreditsPurchased' && event.data.purchaseId === fault)
        throw new Error('an old fault');
      return model.evolve(row, event, key);
    },
  };
}

/** No release knows this one. */
const unknown = { type: 'AccountPainted', data: { at: new Date().toISOString() } } as unknown as DomainEvent;

beforeAll(async () => {
  fixture.start({ readModels: readModels.map(older) });
  await fixture.append('account', 'acme', [
    purchased(100),
    purchased(9, 1, fault),
    debited('r1', 4),
    settled('r1', 4),
  ]);
  await fixture.append('job', 'job-of-r1', [queued('job-of-r1', 'acme', { requestId: 'r1' })]);
  await fixture.passed(
    await fixture.append('account', 'strange', [purchased(5, 2), unknown, purchased(6, 3)]),
  );
});

const { run, json } = verbsOn({ databaseUrl: fixture.url, folder: home.path });
const atelier = (...args: string[]) => run(args);

const parkedNow = async (environment: string): Promise<unknown[]> =>
  (await json(['parked', 'list', '--env', environment])).parked;

/** Each parks the unknown event for itself. */
const ofAccounts = readModels.filter(({ categories }) => categories.includes('account'));
const strange = { stream: 'live.account-strange', revision: 1, type: 'AccountPainted' };

it('atelier parked list: what is wrong in a line, and whole for machines', async () => {
  const { code, stdout } = await atelier('parked', 'list');
  expect(code).toBe(0);
  expect(stdout).toContain('an old fault');
  expect(stdout).not.toContain('    at ');
  const parked = await parkedNow('live');
  expect(parked).toHaveLength(1 + ofAccounts.length);
  expect(parked).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        env: 'live',
        read_model: 'ledger',
        generation: 1,
        stream: 'live.account-acme',
        revision: 1,
        type: 'CreditsPurchased',
        waiting: 2,
        error: expect.stringMatching(/an old fault\n +at /),
      }),
      expect.objectContaining({ ...strange, read_model: 'ledger', waiting: 1 }),
      expect.objectContaining({ ...strange, read_model: 'usage' }),
    ]),
  );
  expect(await parkedNow('test')).toEqual([]);
});

it('a rebuild folds what this release can, and parks the rest', async () => {
  const rebuild = ['projections', 'rebuild', 'ledger', 'usage', '--env', 'live'];
  // The live rows lack the parked events, so they differ.
  expect(await atelier(...rebuild)).toMatchObject({ code: 1 });
  expect(await atelier(...rebuild, '--accept-differences')).toMatchObject({ code: 0 });
  await fixture.passed(await fixture.append('account', 'other', [purchased(7, 4)]));
  const rows = await fixture.rows(`select id from live.ledger where tenant = 'acme' order by revision`);
  expect(rows).toEqual(['pack-0', fault, 'r1'].map((id) => ({ id })));
  const compared = await atelier('projections', 'compare', 'ledger', 'usage', '--env', 'live');
  expect(compared).toMatchObject({ code: 0 });
  expect(await parkedNow('live')).toMatchObject(ofAccounts.map(() => strange));
});
