import { EventStoreDBClient, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Peer } from './peer.js';

/** The peer against the client as it comes, by the ways that the adapter does not take. */
describe('the peer', () => {
  const peer = new Peer();
  let client: EventStoreDBClient;
  beforeAll(async () => {
    await peer.start();
    client = EventStoreDBClient.connectionString(peer.url);
  });
  afterAll(async () => {
    await client.dispose();
    peer.stop();
  });

  it('serves the batch call, which the client takes by default', async () => {
    const event = jsonEvent({ type: 'Drawn', data: { n: 1 } });
    const first = await client.appendToStream('batched', [event], { expectedRevision: 'no_stream' });
    const again = await client.appendToStream('batched', [event], { expectedRevision: 'no_stream' });
    expect(again).toEqual(first);
    const stale = client.appendToStream('batched', jsonEvent({ type: 'Drawn', data: {} }), {
      expectedRevision: 'no_stream',
    });
    await expect(stale).rejects.toThrow(WrongExpectedVersionError);
    expect(peer.calls).toMatchObject({ batchAppend: 1, append: 3, features: 1 });
  });

  it('reads the log forwards from a position that is included, and keeps its log over a restart', async () => {
    const { position } = await client.appendToStream('kept', jsonEvent({ type: 'Drawn', data: {} }));
    await peer.restart();
    const afterwards = EventStoreDBClient.connectionString(`${peer.url}&keepAliveTimeout=10001`);
    const streams: (string | undefined)[] = [];
    for await (const { event } of afterwards.readAll({ fromPosition: position! }))
      streams.push(event?.streamId);
    await afterwards.dispose();
    expect(streams).toEqual(['kept']);
  });
});
