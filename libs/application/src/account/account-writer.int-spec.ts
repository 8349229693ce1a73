import { beforeAll, describe, expect, it } from 'vitest';
import { accountFoldVersion, type OpenedAccount } from '#domain/account/account.js';
import { debitOf } from '../../../../test/support/account-events.js';
import { refundCharge } from '#domain/account/close-charge.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { streamName } from '#domain/streams.js';
import { AppendOutcomeUnknown, type EventStore, type StreamWrite } from '#event-store/event-store.js';
import { authenticSnapshots, type SnapshotStore } from '#event-store/snapshots.js';
import { newId } from '#platform/ids.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { readForwards } from '../aggregate.js';
import { type AccountVerdict, AccountWriter } from './account-writer.js';
import { eventually } from '../../../../test/support/eventually.js';
import { changePlan, grantCredits } from '../../../../test/support/operator.js';
import { openPostgresStore } from '../../../../test/support/open-postgres-store.js';

const fixture = AccountsFixture.ofSpec();
let store: EventStore;
let snapshots: SnapshotStore;

beforeAll(() => void ({ store, snapshots } = fixture));

const context = (tenant: string, commandId?: string) => fixture.context(tenant, commandId);
const tenantWith = (credits: number) => fixture.tenantWith(credits);

const now = () => new Date().toISOString();

function debit(
  writer: AccountWriter,
  tenant: string,
  chargeId = newId(),
  amount = 1,
  beside: readonly StreamWrite[] = [],
) {
  const charge = debitOf(chargeId, amount, now());
  return writer.execute(
    context(tenant, `debit:${chargeId}`),
    (account) => debitCredits([charge], account),
    beside,
  );
}

/** Three charges of one request, of one credit each. */
function debitThree(writer: AccountWriter, tenant: string, requestId = newId()) {
  const charges = [0, 1, 2].map((index) => ({
    ...debitOf(`${requestId}.${index}`, 1, now()),
    parentJobId: requestId,
    requestId,
  }));
  return writer.execute(context(tenant, `debit:${requestId}`), (account) => debitCredits(charges, account));
}

function refund(writer: AccountWriter, tenant: string, chargeId: string) {
  return writer.execute(context(tenant, `refund:${chargeId}`), (account) =>
    refundCharge({ chargeId, reason: 'job-failed', at: now() }, account),
  );
}

async function eventsOf(tenant: string): Promise<string[]> {
  const types: string[] = [];
  for await (const page of readForwards(store, streamName('test', 'account', tenant), 0n)) {
    types.push(...page.map(({ type }) => type));
  }
  return types;
}

async function balanceOf(tenant: string): Promise<number> {
  const { state } = await new AccountWriter(store, snapshots).read('test', tenant);
  return (state as OpenedAccount).balance;
}

const accepted = (verdicts: readonly AccountVerdict<unknown>[]) =>
  verdicts.filter(({ kind }) => kind === 'accepted').length;

/** The real store. It counts its appends, and can lose an answer after the commit. */
function observed() {
  const seen = { appends: 0, loseAnswers: 0 };
  const counted = fixture.withAppend((append) => async (...args) => {
    seen.appends += 1;
    const outcome = await append(...args);
    if (seen.loseAnswers-- > 0) throw new AppendOutcomeUnknown('the answer was lost');
    return outcome;
  });
  return { store: counted, seen };
}

describe('a read of an account', () => {
  it('gives a balance and the position of the event that made it, whatever is written in its turn', async () => {
    const tenant = await tenantWith(100);
    const writer = new AccountWriter(store, snapshots);
    const [seen] = await Promise.all([
      writer.read('test', tenant),
      debit(writer, tenant),
      debit(writer, tenant),
    ]);
    const stream = streamName('test', 'account', tenant);
    let debits = 0;
    for await (const page of readForwards(store, stream, 0n))
      for (const { type, position } of page)
        if (type === 'CreditsDebited' && position <= seen.position!) debits += 1;
    expect((seen.state as OpenedAccount).balance).toBe(100 - debits);
  });
});

describe('the account’s single writer', () => {
  it('lets exactly as many debits through as the balance holds, and each command gets its own verdict', async () => {
    const tenant = await tenantWith(10);
    const writer = new AccountWriter(store, snapshots);
    const verdicts = await Promise.all(Array.from({ length: 1000 }, () => debit(writer, tenant)));
    expect(accepted(verdicts)).toBe(10);
    expect(verdicts.slice(0, 10).every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(verdicts.at(-1)).toEqual({
      kind: 'rejected',
      rejection: { code: 'INSUFFICIENT_BALANCE', balance: 0, cost: 1 },
    });
    expect(await balanceOf(tenant)).toBe(0);
  });

  it('holds the balance when several processes’ writers compete', async () => {
    const tenant = await tenantWith(100);
    const others = [1, 2, 3].map(() => openPostgresStore(fixture.database.url));
    const writers = others.map((other) => new AccountWriter(other, snapshots, { maxBatch: 8 }));
    const verdicts = await Promise.all(
      writers.flatMap((writer) => Array.from({ length: 200 }, () => debit(writer, tenant))),
    );
    await Promise.all(others.map((other) => other.close()));
    expect(accepted(verdicts)).toBe(100);
    expect((await eventsOf(tenant)).filter((type) => type === 'CreditsDebited')).toHaveLength(100);
    expect(await balanceOf(tenant)).toBe(0);
  });

  it('makes the charges of one request together or not at all, also when processes compete', async () => {
    const tenant = await tenantWith(10);
    const writers = [1, 2].map(() => new AccountWriter(store, snapshots, { maxBatch: 4 }));
    const verdicts = await Promise.all(
      writers.flatMap((writer) => Array.from({ length: 10 }, () => debitThree(writer, tenant))),
    );
    expect(accepted(verdicts)).toBe(3);
    expect(verdicts.find(({ kind }) => kind === 'rejected')).toMatchObject({
      rejection: { code: 'INSUFFICIENT_BALANCE', cost: 3 },
    });
    expect((await eventsOf(tenant)).filter((type) => type === 'CreditsDebited')).toHaveLength(9);
    expect(await balanceOf(tenant)).toBe(1);
  });

  it('makes the charges of one request once when they are repeated after their answer was lost', async () => {
    const tenant = await tenantWith(10);
    const { store: forgetful, seen } = observed();
    seen.loseAnswers = 1;
    const writer = new AccountWriter(forgetful, snapshots);
    const requestId = newId();
    await expect(debitThree(writer, tenant, requestId)).rejects.toThrow(AppendOutcomeUnknown);
    expect(await debitThree(writer, tenant, requestId)).toMatchObject({ kind: 'accepted', changed: false });
    expect(await balanceOf(tenant)).toBe(7);
    // One of the three charges is refunded. The other two still show that the debit was made.
    await refund(writer, tenant, `${requestId}.0`);
    expect(await debitThree(writer, tenant, requestId)).toMatchObject({ kind: 'accepted', changed: false });
    expect(await balanceOf(tenant)).toBe(8);
  });

  it('commits commands that wait together in one append', async () => {
    const tenant = await tenantWith(1000);
    const { store: counted, seen } = observed();
    const writer = new AccountWriter(counted, snapshots, { maxBatch: 128 });
    await Promise.all(Array.from({ length: 256 }, () => debit(writer, tenant)));
    expect(seen.appends).toBe(2);
  });

  it('fails a command whose guard contradicts the one of a command before it, and that command alone', async () => {
    const tenant = await tenantWith(10);
    const writer = new AccountWriter(store, snapshots);
    const stream = streamName('test', 'operation', newId());
    const guards = (['no-stream', 0n, 'no-stream'] as const).map((expectedRevision) => [
      { stream, expectedRevision, events: [] },
    ]);
    const debits = await Promise.allSettled(
      guards.map((beside) => debit(writer, tenant, newId(), 1, beside)),
    );
    expect(debits).toMatchObject([
      { status: 'fulfilled', value: { kind: 'accepted' } },
      { status: 'rejected', reason: { name: 'MovedBeside' } },
      { status: 'fulfilled', value: { kind: 'accepted' } },
    ]);
    expect(await balanceOf(tenant)).toBe(8);
  });

  it('never refuses from memory: what another process bought counts at once', async () => {
    const tenant = await tenantWith(1);
    const writer = new AccountWriter(store, snapshots);
    await debit(writer, tenant);
    expect((await debit(writer, tenant)).kind).toBe('rejected');
    const elsewhere = new AccountWriter(store, snapshots);
    await grantCredits(elsewhere, context(tenant), { amount: 1, kind: 'pack', label: 'More' });
    expect((await debit(writer, tenant)).kind).toBe('accepted');
  });

  it('does not close a charge from memory either: one that another process opened is refunded', async () => {
    const tenant = await tenantWith(5);
    const writer = new AccountWriter(store, snapshots);
    await writer.read('test', tenant);
    const chargeId = newId();
    await debit(new AccountWriter(store, snapshots), tenant, chargeId, 5);
    for (const changed of [true, false])
      expect(await refund(writer, tenant, chargeId)).toMatchObject({ kind: 'accepted', changed });
    expect(await balanceOf(tenant)).toBe(5);
  });

  it('finds its work done when another process ran the same command, and its neighbours do not suffer', async () => {
    const tenant = await tenantWith(20);
    const [one, other] = [new AccountWriter(store, snapshots), new AccountWriter(store, snapshots)];
    const chargeId = newId();
    await debit(one, tenant, chargeId, 5);
    await other.read('test', tenant);
    await refund(one, tenant, chargeId);
    const [first, second, third] = await Promise.all([
      debit(other, tenant),
      refund(other, tenant, chargeId),
      debit(other, tenant),
    ]);
    expect([first, second, third]).toMatchObject([{ changed: true }, { changed: false }, { changed: true }]);
    expect(await balanceOf(tenant)).toBe(18);
  });

  it('closes a charge that it did not know beside one that another process has just closed', async () => {
    const tenant = await tenantWith(10);
    const [here, elsewhere] = [new AccountWriter(store, snapshots), new AccountWriter(store, snapshots)];
    const [known, unknown] = [newId(), newId()];
    await debit(here, tenant, known);
    await refund(elsewhere, tenant, known);
    await debit(elsewhere, tenant, unknown);
    // This writer decides both on the state that it remembers: it knows the first charge as open, and not the
    // second.
    const verdicts = await Promise.all([refund(here, tenant, known), refund(here, tenant, unknown)]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    expect(await balanceOf(tenant)).toBe(10);
  });

  it('never makes a debit again that was given back, and fails only the command that tries', async () => {
    const tenant = await tenantWith(20);
    const writer = new AccountWriter(store, snapshots);
    const chargeId = newId();
    await debit(writer, tenant, chargeId, 5);
    await refund(writer, tenant, chargeId);
    const [before, again, after] = await Promise.allSettled([
      debit(writer, tenant),
      debit(writer, tenant, chargeId, 5),
      debit(writer, tenant),
    ]);
    expect([before.status, again.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(again).toMatchObject({ reason: { name: 'DuplicateEventId' } });
    expect(await balanceOf(tenant)).toBe(18);
  });

  it('does not let a command that throws take its neighbours down', async () => {
    const tenant = await tenantWith(2);
    const writer = new AccountWriter(store, snapshots);
    const [first, broken, last] = await Promise.allSettled([
      debit(writer, tenant),
      writer.execute(context(tenant), () => {
        throw new Error('a defect');
      }),
      debit(writer, tenant),
    ]);
    expect([first.status, broken.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await balanceOf(tenant)).toBe(0);
  });

  it('is folded from its events where somebody has put another balance into its snapshot', async () => {
    const tenant = await tenantWith(1000);
    const stream = streamName('test', 'account', tenant);
    let dropped = 0;
    const authentic = authenticSnapshots(snapshots, 'not in the database', () => dropped++);
    const writer = () => new AccountWriter(store, authentic, { snapshotEvery: 1 });
    await debit(writer(), tenant);
    await eventually(async () => (await authentic.load(stream, accountFoldVersion)) !== undefined);
    const altered = await fixture.pool.query(
      `update event_store.snapshots set state = replace(state::text, '999', '99999')::json where stream = $1`,
      [stream],
    );
    expect(altered.rowCount).toBe(1);
    expect(await writer().read('test', tenant)).toMatchObject({ state: { balance: 999 } });
    expect(dropped).toBe(1);
  });

  it('gives the same account with a snapshot, without one, and with one of another fold', async () => {
    const tenant = await tenantWith(1000);
    const writer = new AccountWriter(store, snapshots, { snapshotEvery: 10 });
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 9 }, () => debit(writer, tenant)));
    }
    const stream = streamName('test', 'account', tenant);
    const saved = async () =>
      (
        await fixture.pool.query<{ n: number }>(
          'select count(*)::int as n from event_store.snapshots where stream = $1',
          [stream],
        )
      ).rows[0]?.n;
    while (!(await saved())) await new Promise((resolve) => setTimeout(resolve, 10));

    expect(await balanceOf(tenant)).toBe(955);
    await fixture.pool.query(
      'update event_store.snapshots set fold_version = 999, state = $2 where stream = $1',
      [stream, '{}'],
    );
    expect(await balanceOf(tenant)).toBe(955);
    await fixture.pool.query('delete from event_store.snapshots where stream = $1', [stream]);
    expect(await balanceOf(tenant)).toBe(955);
  });
});

describe('a change of plan', () => {
  it('leaves the terms that it does not name', async () => {
    const tenant = await tenantWith(10);
    const writer = new AccountWriter(store, snapshots);
    await changePlan(writer, context(tenant), { dailySpendCapCredits: 7 });
    await changePlan(writer, context(tenant), { rateLimitPerMin: 3 });
    const { state } = await new AccountWriter(store, snapshots).read('test', tenant);
    expect((state as OpenedAccount).terms).toMatchObject({ dailySpendCapCredits: 7, rateLimitPerMin: 3 });
  });
});
