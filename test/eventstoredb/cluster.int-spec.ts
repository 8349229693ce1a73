import { afterEach, describe, expect, it } from 'vitest';
import { collect, expectUnbroken, freshPrefix, newEvents } from '../event-store/harness.js';
import { EventStoreUnavailable } from '#event-store/event-store.js';
import type { Member } from './peer/cluster.js';
import type { Peer } from './peer/peer.js';
import { listening, Stores } from './stores.js';

describe('a cluster of EventStoreDB', () => {
  const stores = new Stores();
  afterEach(() => stores.close());

  /** Nodes that share a log; the first one leads. */
  async function cluster(size: number): Promise<Peer[]> {
    const first = await stores.peer();
    const others = await Promise.all(Array.from({ length: size - 1 }, () => stores.peer(first.log)));
    const nodes = [first, ...others];
    elect(nodes, first);
    return nodes;
  }

  function elect(nodes: readonly Peer[], leader: Peer, gone: readonly Peer[] = []): void {
    const members = nodes.map((node): Member => {
      return { port: node.port, state: node === leader ? 'LEADER' : 'FOLLOWER', alive: !gone.includes(node) };
    });
    for (const node of nodes) {
      node.members = members;
      node.leader = node === leader ? undefined : { port: leader.port };
    }
  }

  const urlOf = (nodes: readonly Peer[]) =>
    `esdb://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false&discoveryInterval=20`;

  it('is asked for its leader, which then gets every call', async () => {
    const nodes = await cluster(3);
    const store = stores.open(urlOf(nodes.toReversed()));
    await store.append(freshPrefix(), 'no-stream', newEvents(1));
    await store.head();
    expect(nodes.map(({ calls }) => calls.append)).toEqual([1, 0, 0]);
    expect(nodes.reduce((sum, { calls }) => sum + calls.gossip, 0)).toBeGreaterThan(0);
  });

  it('is found by one of its names', async () => {
    const nodes = await cluster(3);
    const store = stores.open(`esdb+discover://127.0.0.1:${nodes[2]!.port}?tls=false`);
    await store.append(freshPrefix(), 'no-stream', newEvents(1));
    expect(nodes[0]!.calls.append).toBe(1);
  });

  it('sends an append that came to a follower to the leader', async () => {
    const [leader, follower] = await cluster(2);
    const observer = listening();
    const store = stores.open(follower!, { observer });
    const outcome = await store.append(freshPrefix(), 'no-stream', newEvents(1));
    expect(outcome).toMatchObject({ outcome: 'appended', replayed: false });
    expect([leader!.calls.append, leader!.log === follower!.log]).toEqual([1, true]);
    expect(observer.heard).toContain('append retried');
  });

  it('is read from its leader only: what is decided must not rest on old state', async () => {
    const [leader, follower] = await cluster(2);
    const stream = freshPrefix();
    await stores.open(leader!).append(stream, 'no-stream', newEvents(2));
    expect((await stores.open(follower!).readStream(stream)).kind).toBe('found');
    expect(await stores.open(follower!).readAll()).toHaveLength(2);
    expect(await stores.open(follower!).head()).toBeDefined();
    const { read, subscribe, turnedAway } = follower!.calls;
    expect([turnedAway, read + subscribe]).toEqual([3, 3]);
  });

  it('goes on when its leader goes: appends once each, subscriptions without a gap', async () => {
    const nodes = await cluster(3);
    const [old, next] = [nodes[0]!, nodes[1]!];
    const store = stores.open(urlOf(nodes));
    const stream = freshPrefix();
    const filter = { streamPrefixes: [stream] };
    const reading = collect(store, { filter, batchSize: 7 }, (all) => all.events.length >= 60);
    for (let n = 0; n < 60; n++) {
      if (n === 30) {
        elect(nodes, next, [old]);
        old.stop();
      }
      const outcome = await store.append(stream, n === 0 ? 'no-stream' : BigInt(n - 1), newEvents(1));
      expect(outcome).toMatchObject({ outcome: 'appended', revision: BigInt(n) });
    }
    const { events } = await reading;
    expect(events).toHaveLength(60);
    expectUnbroken(events);
    expect(next.calls.append).toBeGreaterThanOrEqual(30);
  });

  it('does not keep anybody waiting beyond the deadline when no node is there', async () => {
    const nodes = await cluster(2);
    for (const node of nodes) node.stop();
    const store = stores.open(urlOf(nodes), { deadlineMs: 400 });
    const startedAt = performance.now();
    await expect(store.append(freshPrefix(), 'no-stream', newEvents(1))).rejects.toThrow(
      EventStoreUnavailable,
    );
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});
