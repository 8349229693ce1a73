import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { freshPrefix, newEvent, newEvents } from '../event-store/harness.js';
import {
  AppendOutcomeUnknown,
  EventStoreRefused,
  EventStoreUnavailable,
  EventTooLarge,
} from '#event-store/event-store.js';
import { eventually } from '../support/eventually.js';
import { listening, Stores } from './stores.js';

describe('appends to EventStoreDB', () => {
  const stores = new Stores();
  afterEach(() => stores.close());

  describe('share a call that is our own and not the client’s', () => {
    it('takes one call for all of them, and does not ask whether it may', async () => {
      const { peer, store } = await stores.started();
      await Promise.all(
        [1, 2, 3].map((n) => store.append(`${freshPrefix()}${n}`, 'no-stream', newEvents(2))),
      );
      expect(peer.calls).toMatchObject({ append: 3, batchAppend: 1, features: 0 });
    });

    it('knows its appends by either form of their ids', async () => {
      const peer = await stores.peer();
      peer.faults.structuredIds = true;
      const outcome = await stores.open(peer).append(freshPrefix(), 'no-stream', newEvents(2));
      expect(outcome).toMatchObject({ outcome: 'appended', revision: 1n, replayed: false });
      expect(peer.calls).toMatchObject({ append: 1, batchAppend: 1 });
    });

    it('asks again alone what the call was ended over, and takes another call for the next', async () => {
      const { peer, store } = await stores.started();
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(1));
      peer.faults.endAfterCommit = 1;
      expect(await store.append(stream, 0n, newEvents(2))).toMatchObject({ revision: 2n, replayed: true });
      expect(peer.log.stream(stream)).toHaveLength(3);
      expect(peer.calls).toMatchObject({ append: 3, batchAppend: 1 });
      expect(await store.append(stream, 2n, newEvents(1))).toMatchObject({ revision: 3n, replayed: false });
      expect(peer.calls).toMatchObject({ append: 4, batchAppend: 2 });
    });

    it('lets the failure of one store leave the appends of another alone', async () => {
      const [doomed, well] = [await stores.peer(), await stores.peer()];
      const [first, second] = [stores.open(doomed, { deadlineMs: 300 }), stores.open(well)];
      doomed.faults.slowMs = well.faults.slowMs = 150;
      const outcomes = Promise.allSettled([
        first.append(freshPrefix(), 'no-stream', newEvents(1)),
        second.append(freshPrefix(), 'no-stream', newEvents(1)),
      ]);
      await new Promise((resume) => setTimeout(resume, 50));
      doomed.stop();
      expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'fulfilled']);
    });

    it('gives up on a server that takes everything and answers nothing', async () => {
      const { peer, store } = await stores.started({ deadlineMs: 400, answerTimeoutMs: 100 });
      // A busy machine may need longer for the first answer.
      await eventually(() => store.head());
      peer.faults.silent = true;
      const startedAt = performance.now();
      const error: unknown = await store
        .append(freshPrefix(), 'no-stream', newEvents(1))
        .catch((e: unknown) => e);
      expect(performance.now() - startedAt).toBeLessThan(8_000);
      // A slow machine may run out of time before it sends the append; the error then says so.
      expect(error).toBeInstanceOf(peer.calls.append > 0 ? AppendOutcomeUnknown : EventStoreUnavailable);
    });

    it('tells the true revision of a stream whatever the URL says of throwOnAppendFailure', async () => {
      const peer = await stores.peer();
      const store = stores.open(`${peer.url}&throwOnAppendFailure=false`);
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(7));
      const refused = await store.append(stream, 2n, newEvents(1));
      expect(refused).toEqual({ outcome: 'wrong-expected-revision', actual: 6n });
    });
  });

  it('sends the same ids at the same revision again when the answer was lost with the connection', async () => {
    const observer = listening();
    const { peer, store } = await stores.started({ observer });
    const stream = freshPrefix();
    const before = await store.append(stream, 'no-stream', newEvents(1));
    peer.faults.dropAfterCommit = 2;
    const after = await store.append(stream, 0n, newEvents(3));
    expect([before, after]).toMatchObject([{ replayed: false }, { revision: 3n, replayed: true }]);
    expect(peer.log.stream(stream)).toHaveLength(4);
    expect(observer.heard).toEqual(
      expect.arrayContaining(['append retried', 'unknown outcome resolved', 'replayed']),
    );
  });

  it.each([
    ['UNAVAILABLE', status.UNAVAILABLE],
    ['CANCELLED', status.CANCELLED],
    ['DEADLINE_EXCEEDED', status.DEADLINE_EXCEEDED],
    ['ABORTED, which is its word for a timeout', status.ABORTED],
  ])('asks again after %s, and knows afterwards', async (_, code) => {
    const observer = listening();
    const { peer, store } = await stores.started({ observer });
    peer.faults.failAppends = { code, details: 'as the test wants it', times: 2 };
    const outcome = await store.append(freshPrefix(), 'no-stream', newEvents(1));
    expect(outcome).toMatchObject({ outcome: 'appended', replayed: false });
    expect(observer.heard.filter((heard) => heard === 'append retried')).toHaveLength(2);
  });

  it.each([
    ['PERMISSION_DENIED', status.PERMISSION_DENIED],
    ['UNAUTHENTICATED', status.UNAUTHENTICATED],
    ['UNIMPLEMENTED', status.UNIMPLEMENTED],
  ])('does not ask again after %s: it was refused', async (_, code) => {
    const observer = listening();
    const { peer, store } = await stores.started({ observer });
    peer.faults.failAppends = { code, details: 'as the test wants it', times: 2 };
    const attempt = store.append(freshPrefix(), 'no-stream', newEvents(1));
    await expect(attempt).rejects.toThrow(EventStoreRefused);
    expect(observer.heard).not.toContain('append retried');
  });

  it('says that a stream was deleted, and does not take that for an unknown outcome', async () => {
    const peer = await stores.peer();
    const stream = freshPrefix();
    peer.faults.tombstones.add(stream);
    const attempt = stores.open(peer).append(stream, 'no-stream', newEvents(1));
    await expect(attempt).rejects.toThrow(`${stream} was deleted`);
  });

  it("finds a lost append at 'any' in the stream, also when the server has forgotten its ids", async () => {
    const { peer, store } = await stores.started();
    const stream = freshPrefix();
    await store.append(stream, 'any', newEvents(2));
    peer.faults.dropAfterCommit = 1;
    const appending = store.append(stream, 'any', newEvents(2));
    while (peer.log.stream(stream)!.length < 4) await new Promise((resume) => setImmediate(resume));
    peer.log.forgetRecent();
    expect(await appending).toMatchObject({ revision: 3n, replayed: true });
    expect(peer.log.stream(stream)).toHaveLength(4);
  });

  it('recognises what another client appended before', async () => {
    const peer = await stores.peer();
    const [one, other] = [stores.open(peer), stores.open(peer)];
    const [stream, events] = [freshPrefix(), newEvents(3)];
    const first = await one.append(stream, 'no-stream', events);
    expect(await other.append(stream, 'no-stream', events)).toEqual({ ...first, replayed: true });
  });

  // For this reason, a command that is repeated after a new read of the stream must be found in the state.
  it('cannot recognise ids at the head: the server compares nothing there', async () => {
    const { store } = await stores.started();
    const [stream, events] = [freshPrefix(), newEvents(1)];
    await store.append(stream, 'no-stream', events);
    expect(await store.append(stream, 0n, events)).toMatchObject({ revision: 1n, replayed: false });
  });

  it('finds the place of a repeated append when the server does not tell it', async () => {
    const { peer, store } = await stores.started();
    const [stream, events] = [freshPrefix(), newEvents(2)];
    const first = await store.append(stream, 'no-stream', events);
    peer.faults.forgetPositions = true;
    expect(await store.append(stream, 'no-stream', events)).toEqual({ ...first, replayed: true });
  });

  it('refuses an append beyond the limit of the server as a whole, and names both sizes', async () => {
    const { peer, store } = await stores.started();
    const halves = [newEvent('x'.repeat(600_000)), newEvent('y'.repeat(600_000))];
    const attempt = store.append(freshPrefix(), 'no-stream', halves);
    await expect(attempt).rejects.toThrow(EventTooLarge);
    await expect(attempt).rejects.toThrow(/has 12\d{5} bytes in 2 events; the server takes 1048576/);
    expect(peer.calls.append).toBe(0);
  });

  it('passes on the limit of a server that takes less', async () => {
    const { peer, store } = await stores.started();
    peer.faults.maxAppendBytes = 1000;
    const attempt = store.append(freshPrefix(), 'no-stream', [newEvent('x'.repeat(2000))]);
    await expect(attempt).rejects.toThrow(EventTooLarge);
    await expect(attempt).rejects.toThrow('1000 bytes');
  });

  it('keeps appends to one stream in the order in which they were asked for', async () => {
    const { store } = await stores.started();
    const stream = freshPrefix();
    const outcomes = await Promise.all(
      newEvents(30).map((event, n) => store.append(stream, n === 0 ? 'no-stream' : BigInt(n - 1), [event])),
    );
    expect(outcomes.every(({ outcome }) => outcome === 'appended')).toBe(true);
  });

  it('waits for a slow server, and closing waits for what is under way', async () => {
    const { peer, store } = await stores.started();
    peer.faults.slowMs = 200;
    const appending = store.append(freshPrefix(), 'no-stream', newEvents(1));
    await store.close();
    expect(await appending).toMatchObject({ outcome: 'appended' });
  });
});
