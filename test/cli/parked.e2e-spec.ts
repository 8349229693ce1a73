import { testSigningKey } from '#event-store/testing/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { readModels } from '#projections/read-models.js';
import { debited, purchased, queued, settled } from '#projections/testing/stories.js';
import type { ReadModel } from '#read-store/read-model.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { differencesFromHistory } from '#read-store/testing/rows-of-history.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from '../standalone/support/home.js';

const home = temporaryHome();
let fixture: ReadStoreFixture;

/** What the projector runs is of an older release, which cannot fold this purchase; the command is of this one. */
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
  fixture = await ReadStoreFixture.create();
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

afterAll(async () => {
  await fixture?.dispose();
  await home[Symbol.asyncDispose]();
});

function atelier(...args: string[]) {
  const env = { DATABASE_URL: fixture.url, URL_SIGNING_SECRET: 'x', ATELIER_SIGNING_KEY: testSigningKey };
  return runCommand(['parked', ...args], home.path, { env });
}

const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await atelier(...args, '--json');
  const { parked, retried } = JSON.parse(stdout) as { parked?: unknown[]; retried?: unknown[] };
  return { code, stderr: stderr.trim(), parked, retried };
};
const ledger = readModels.find(({ name }) => name === 'ledger')!;

describe('atelier parked', () => {
  it('list: what is wrong in a line, and whole for machines', async () => {
    const { code, stdout } = await atelier('list');
    expect(code).toBe(0);
    expect(stdout).toContain('an old fault');
    expect(stdout).not.toContain('    at ');
    const { parked } = await json('list', '--env', 'live');
    const strange = { stream: 'live.account-strange', revision: 1, type: 'AccountPainted' };
    expect(parked).toHaveLength(3);
    expect(parked).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ env: 'live', read_model: 'ledger', generation: 1, stream: 'live.account-acme', revision: 1 },
          ...{ type: 'CreditsPurchased', waiting: 2, error: expect.stringMatching(/an old fault\n +at /) },
        }),
        expect.objectContaining({ ...strange, read_model: 'ledger', waiting: 1 }),
        expect.objectContaining({ ...strange, read_model: 'usage' }),
      ]),
    );
    expect(await json('list', '--env', 'test')).toMatchObject({ parked: [] });
  });

  it.each([
    [[], 'say what to retry'],
    [['--all', 'ledger'], '--all is everything'],
    [['invoices'], 'there is no read model "invoices": use one of jobs, '],
    [['--stream', 'acme'], 'is not the name of a stream'],
  ])('retry %j is refused', async (args, complaint) => {
    const { code, stdout, stderr } = await atelier('retry', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(complaint);
  });

  it('retry: what this release can fold is folded beside the projector, the rest stays, and the exit code says so', async () => {
    const { code, stderr, retried } = await json('retry', '--all');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^atelier: 2 of 3 streams are still parked/);
    expect(retried).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ stream: 'live.account-acme', folded: 3, still_parked: 0, failure: null }),
        expect.objectContaining({
          ...{
            read_model: 'ledger',
            stream: 'live.account-strange',
            folded: 0,
            still_parked: 2,
            refused: null,
          },
          failure: expect.objectContaining({ revision: 1, type: 'AccountPainted' }),
        }),
      ]),
    );
    await fixture.passed(await fixture.append('account', 'acme', [debited('r2', 7)]));
    const rows = await fixture.rows(`select id from live.ledger where tenant = 'acme' order by revision`);
    expect(rows).toEqual(['pack-0', fault, 'r1', 'r2'].map((id) => ({ id })));
    const wrong = await differencesFromHistory(fixture.sql, fixture.store, ledger);
    expect(wrong.map((each) => (each as { row: { tenant: string } }).row.tenant)).not.toContain('acme');
    expect(await json('list')).toMatchObject({
      parked: [{ stream: 'live.account-strange' }, { stream: 'live.account-strange' }],
    });
  });

  it('retry of one read model or stream leaves the others alone', async () => {
    const one = await json('retry', 'usage', '--stream', 'live.account-strange');
    expect(one.retried).toMatchObject([{ read_model: 'usage', still_parked: 1 }]);
    const { code, stdout } = await atelier('retry', 'ledger', '--env', 'live');
    expect(code).toBe(1);
    expect(stdout).toContain('AccountPainted');
    expect(stdout).not.toContain('usage');
    expect(await atelier('retry', 'jobs')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing'),
    });
  });
});
