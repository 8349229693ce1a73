import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflows } from '#domain/workflow/workflows.js';
import type { EventStore } from '#event-store/event-store.js';
import { AccountsFixture } from '../accounts.fixture.js';
import { watchAnnouncements } from '../announcements.js';
import { installation, setOperationPrice, switchOperation } from './manage-operations.js';
import { Operations } from './operations.js';

let fixture: AccountsFixture;
let store: EventStore;

beforeAll(async () => {
  fixture = await AccountsFixture.start();
  ({ store } = fixture);
});
afterAll(() => fixture.stop());

const context = () => fixture.context(installation);
const reason = 'tests';

describe('operations', () => {
  it('cost what the table says, and are enabled, until the operator decides', async () => {
    const listed = await new Operations(store).list('live');
    expect(listed).toEqual(
      workflows.map(({ name, opClass, credits }) => ({ name, opClass, credits, enabled: true })),
    );
  });

  it('are decided on for each environment by itself', async () => {
    await setOperationPrice(store, context(), 'look', { credits: 3, reason });
    await switchOperation(store, context(), 'look', { enabled: false, reason });
    const operations = new Operations(store);
    expect(await operations.termsOf('test', 'look')).toEqual({ credits: 3, enabled: false });
    expect(await operations.termsOf('live', 'look')).toEqual({ credits: 10, enabled: true });
    await switchOperation(store, context(), 'look', { enabled: true, reason });
    expect(await new Operations(store).termsOf('test', 'look')).toEqual({ credits: 3, enabled: true });
  });

  it('in a batch cost what each item costs, and are enabled while both are', async () => {
    await setOperationPrice(store, context(), 'pdp-extractions', { credits: 6, reason });
    expect(await new Operations(store).termsOf('test', 'pdp-batch-extractions')).toEqual({
      ...{ credits: 6, enabled: true },
    });
    await switchOperation(store, context(), 'pdp-extractions', { enabled: false, reason });
    expect(await new Operations(store).termsOf('test', 'pdp-batch-extractions')).toMatchObject({
      enabled: false,
    });
  });

  it('are heard of within a second, and not asked for meanwhile', async () => {
    let reads = 0;
    const counting = new Proxy(store, {
      get: (target, name) => {
        if (name === 'readStream') reads += 1;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const operations = new Operations(counting);
    const stopping = new AbortController();
    const watching = watchAnnouncements(store, [operations], stopping.signal);
    await operations.termsOf('test', 'extract');
    reads = 0;
    for (let calls = 0; calls < 100; calls++) await operations.termsOf('test', 'extract');
    expect(reads).toBe(0);
    await setOperationPrice(store, context(), 'extract', { credits: 9, reason });
    const heardBy = Date.now() + 1_000;
    while ((await operations.termsOf('test', 'extract')).credits !== 9) {
      expect(Date.now()).toBeLessThan(heardBy);
      await sleep(5);
    }
    stopping.abort();
    await watching;
  });

  it('that nobody knows have no price', async () => {
    await expect(new Operations(store).termsOf('test', 'nonsense')).rejects.toThrow(RangeError);
    const priced = await setOperationPrice(store, context(), 'try-on', { credits: 0, reason });
    expect(priced).toMatchObject({ kind: 'rejected', rejection: { code: 'INVALID_PRICE' } });
  });
});
