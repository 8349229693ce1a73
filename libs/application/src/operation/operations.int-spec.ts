import { beforeAll, describe, expect, it } from 'vitest';
import { workflows } from '#workflows/workflows.js';
import { storeWith, UnprovenEvent, type EventStore } from '#event-store/event-store.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { installation } from '../command-context.js';
import { Operations } from './operations.js';
import { priceOperation, switchOperation } from '../../../../test/support/operator.js';

const fixture = AccountsFixture.ofSpec();
let store: EventStore;

beforeAll(() => void ({ store } = fixture));

const context = () => fixture.context(installation);
const reason = 'tests';

describe('operations', () => {
  it('cost what the table says, and are enabled, until the operator decides', async () => {
    const listed = await new Operations(store).list('live');
    expect(listed).toEqual(
      workflows.map(({ name, opClass, credits }) => {
        return { name, opClass, credits, enabled: true, scheduled: [] };
      }),
    );
  });

  it('are decided on for each environment by itself', async () => {
    await priceOperation(store, context(), 'look', { credits: 3, reason });
    await switchOperation(store, context(), 'look', { enabled: false, reason });
    const operations = new Operations(store);
    expect(await operations.termsOf('test', 'look')).toMatchObject({ credits: 3, enabled: false });
    expect(await operations.termsOf('live', 'look')).toMatchObject({ credits: 10, enabled: true });
    await switchOperation(store, context(), 'look', { enabled: true, reason });
    expect(await new Operations(store).termsOf('test', 'look')).toMatchObject({ credits: 3, enabled: true });
  });

  it('in a batch cost what each item costs, and are enabled while both are', async () => {
    await priceOperation(store, context(), 'pdp-extractions', { credits: 6, reason });
    expect(await new Operations(store).termsOf('test', 'pdp-batch-extractions')).toMatchObject({
      credits: 6,
      enabled: true,
    });
    await switchOperation(store, context(), 'pdp-extractions', { enabled: false, reason });
    expect(await new Operations(store).termsOf('test', 'pdp-batch-extractions')).toMatchObject({
      enabled: false,
    });
  });

  it('are what the operator said last, whichever process he said it to, from the next question on', async () => {
    const operations = new Operations(store);
    await operations.termsOf('test', 'extract');
    for (const credits of [9, 4, 7]) {
      await priceOperation(store, context(), 'extract', { credits, reason });
      expect(await operations.termsOf('test', 'extract')).toMatchObject({ credits });
    }
  });

  it('are read once for all who ask at the same time, and only from where the last read ended', async () => {
    const reads: unknown[] = [];
    const counting = storeWith(store, {
      readStream: (stream, options) => {
        reads.push(options);
        return store.readStream(stream, options);
      },
    });
    const operations = new Operations(counting);
    await priceOperation(store, context(), 'try-on', { credits: 12, reason });
    const asked = Array.from({ length: 100 }, () => operations.termsOf('test', 'try-on'));
    for (const { credits } of await Promise.all(asked)) expect(credits).toBe(12);
    expect(reads).toMatchObject([{ from: 0n }, { from: 1n }]);
  });

  it('are listed beside one that rests on a foreign event, which is switched off', async () => {
    await priceOperation(store, context(), 'look', { credits: 5, reason });
    const foreign = { ...(await store.lastEvent())!, unproven: 'has no proof' };
    const doubting = storeWith(store, {
      readStream: (stream, options) =>
        stream === foreign.stream
          ? Promise.reject(new UnprovenEvent(foreign))
          : store.readStream(stream, options),
    });
    const listed = await new Operations(doubting).list('test');
    expect(listed).toHaveLength(workflows.length);
    expect(listed.find(({ name }) => name === 'look')).toMatchObject({ credits: 10, enabled: false });
    const failing = storeWith(store, { readStream: () => Promise.reject(new Error('no answer')) });
    await expect(new Operations(failing).list('test')).rejects.toThrow('no answer');
  });

  it('that nobody knows have no price', async () => {
    await expect(new Operations(store).termsOf('test', 'nonsense')).rejects.toThrow(RangeError);
    const priced = await priceOperation(store, context(), 'try-on', { credits: 0, reason });
    expect(priced).toMatchObject({ kind: 'rejected', rejection: { code: 'INVALID_PRICE' } });
  });
});
