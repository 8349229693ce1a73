import { Server, ServerCredentials, status, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { serveAppend, type AppendCall, type AppendCallback } from './append-call.js';
import { serveBatchAppend, type BatchCall } from './batch-append-call.js';
import { clusterInfo, supportedMethods, type Member } from './cluster.js';
import { Faults } from './faults.js';
import { PeerLog } from './peer-log.js';
import { serveRead, serveSubscription, type ReadCall } from './read-calls.js';
import { failure, notLeader } from './wire.js';

/**
 * A server that speaks EventStoreDB's protocol over a real gRPC socket on loopback. It uses the stubs of the
 * client's own package and keeps its log in memory.
 *
 * It proves how the adapter handles the protocol: the messages that it sends, and how it takes each answer,
 * error, silence and broken connection. It proves that the adapter misses, doubles and loses nothing meanwhile.
 * It proves nothing about the database: no disk, no replication, no election, no index, no access control, and
 * no speed. Its rules for idempotency, filters, checkpoints and errors are the real server's as far as we know
 * them; only the same suite on a real node shows that.
 *
 * The log outlives the listener: `stop` and `start` are a server that restarts, and two peers on one log are
 * two nodes.
 */
export class Peer {
  readonly faults = new Faults();
  /** How often each call came in. */
  readonly calls = {
    /** By either of the two calls. */
    append: 0,
    batchAppend: 0,
    read: 0,
    subscribe: 0,
    gossip: 0,
    features: 0,
    turnedAway: 0,
  };
  /** The addresses of clients, one for each connection. */
  readonly clients = new Set<string>();
  /** The credentials of the last call, unchanged: `Basic …`, or nothing. */
  authorization: string | undefined;
  /** The number of events that subscriptions have reached so far. */
  sentEvents = 0;
  /** Subscriptions that are being served now. */
  subscriptions = 0;
  members: readonly Member[] = [];
  /** The address of the leader, if it is not this node. */
  leader: { readonly port: number } | undefined;
  port = 0;
  private server: Server | undefined;

  constructor(
    readonly log = new PeerLog(),
    private readonly credentials = ServerCredentials.createInsecure(),
  ) {}

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Listens, on the port it had before if it had one. */
  async start(): Promise<this> {
    const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    server.addService(streams.StreamsService, {
      append: this.append,
      batchAppend: this.batchAppend,
      read: this.read,
    });
    server.addService(features.ServerFeaturesService, { getSupportedMethods: this.supportedMethods });
    server.addService(gossip.GossipService, { read: this.gossip });
    this.port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${this.port}`, this.credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    this.server = server;
    return this;
  }

  /** Breaks all connections and stops listening. The log stays. */
  stop(): void {
    this.server?.forceShutdown();
    this.server = undefined;
  }

  async restart(): Promise<void> {
    this.stop();
    await this.start();
  }

  private readonly append = (call: AppendCall, callback: AppendCallback) => {
    this.calls.append += 1;
    if (this.leader) callback(notLeader(this.leader.port));
    else void serveAppend(this.log, this.faults, call, callback, () => this.restart());
  };

  private readonly batchAppend = (call: BatchCall) => {
    this.calls.batchAppend += 1;
    if (this.leader) call.emit('error', notLeader(this.leader.port));
    else
      serveBatchAppend(this.log, this.faults, call, {
        appended: () => (this.calls.append += 1),
        breakConnections: () => this.restart(),
      });
  };

  private readonly read = (call: ReadCall) => {
    const live = call.request.getOptions()?.hasSubscription() ?? false;
    this.clients.add(call.getPeer());
    this.authorization = call.metadata.get('authorization')[0]?.toString();
    if (live) this.calls.subscribe += 1;
    else this.calls.read += 1;
    if (this.faults.silent) return;
    if (this.leader && call.metadata.get('requires-leader').length > 0) {
      this.calls.turnedAway += 1;
      call.emit('error', notLeader(this.leader.port));
      return;
    }
    const refusal = live ? this.faults.takeSubscriptionFault() : undefined;
    if (refusal === 'error') call.emit('error', failure(status.ABORTED, 'consumer-too-slow'));
    else if (refusal === 'end') call.end();
    else void this.serve(call, live);
  };

  private async serve(call: ReadCall, live: boolean): Promise<void> {
    await this.faults.pause();
    if (!live) return serveRead(this.log, call);
    this.subscriptions += 1;
    const interrupt = (by: 'error' | 'end') =>
      by === 'end' ? call.end() : call.emit('error', failure(status.ABORTED, 'consumer-too-slow'));
    this.faults.interruptions.add(interrupt);
    const pace = this.faults.subscriptionPace();
    await serveSubscription(this.log, call, () => {
      this.sentEvents += 1;
      return pace();
    });
    this.faults.interruptions.delete(interrupt);
    this.subscriptions -= 1;
    return undefined;
  }

  private readonly supportedMethods = (_: unknown, callback: sendUnaryData<unknown>) => {
    this.calls.features += 1;
    callback(null, supportedMethods());
  };

  private readonly gossip = (_: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) => {
    this.calls.gossip += 1;
    callback(null, clusterInfo(this.members));
  };
}
