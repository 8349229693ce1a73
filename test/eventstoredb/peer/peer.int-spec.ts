import { EventStoreDBClient, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import generated from '@eventstore/db-client/generated/streams_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { credentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { Peer } from './peer.js';

function drawn(): streams.AppendReq.ProposedMessage {
  const message = new streams.AppendReq.ProposedMessage();
  message.getMetadataMap().set('type', 'Drawn').set('content-type', 'application/json');
  return message.setId(new shared.UUID().setString(crypto.randomUUID())).setData(Buffer.from('{}'));
}

/** Tests the peer with the unmodified client, in the ways that the adapter does not use. */
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
    const found: (string | undefined)[] = [];
    for await (const { event } of afterwards.readAll({ fromPosition: position! }))
      found.push(event?.streamId);
    await afterwards.dispose();
    expect(found).toEqual(['kept']);
  });

  it('appends nothing of a call that broke before it was whole', async () => {
    const proxy = await startTcpProxy(peer.port);
    const raw = new generated.StreamsClient(`127.0.0.1:${proxy.port}`, credentials.createInsecure());
    const before = peer.calls.append;
    const broken = new Promise((failed) => {
      const call = raw.append((error) => failed(error));
      const options = new streams.AppendReq.Options()
        .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('broken')))
        .setAny(new shared.Empty());
      call.write(new streams.AppendReq().setOptions(options));
      call.write(new streams.AppendReq().setProposedMessage(drawn()));
    });
    await eventually(() => peer.calls.append > before);
    proxy.cut();
    expect(await broken).toMatchObject({ code: status.UNAVAILABLE });
    raw.close();
    await proxy.close();
    const { success } = await client.appendToStream('broken', jsonEvent({ type: 'Drawn', data: {} }), {
      expectedRevision: 'no_stream',
    });
    expect(success).toBe(true);
  });
});
