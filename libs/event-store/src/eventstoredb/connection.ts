import {
  EventStoreDBClient,
  type ChannelCredentialOptions,
  type SingleNodeOptions,
} from '@eventstore/db-client';
import generated from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { messageOf } from '#platform/errors.js';
import { NotConnected, retryRead, within, type CallLimits } from '../calls.js';
import { EventStoreUnavailable } from '../event-store.js';
import { BatchAppends } from './batch-appends.js';
import type { ConnectionSettings } from './connection-string.js';
import { classifyGrpcFailure, isSilence, moreTelling } from './failures.js';

export interface ConnectionOptions extends CallLimits {
  readonly settings: ConnectionSettings;
  /** How long a subscription may get no events before the end of the log is read. */
  readonly idleProbeMs: number;
}

/**
 * Holds the client for all calls, and replaces it. The client notices and renews a broken connection itself,
 * but not a silent one. So the first call without an answer replaces the client.
 */
export class Connection {
  private client: GuardedClient;
  private closed = false;

  constructor(readonly options: ConnectionOptions) {
    this.client = this.open();
  }

  /** Runs one call. The call must enforce its own time limit. */
  async call<T>(work: (client: GuardedClient) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    const { client } = this;
    try {
      return await work(client);
    } catch (error) {
      if (isSilence(error)) this.replace(client);
      throw error;
    }
  }

  /**
   * Runs a read, and runs it again after a passing failure until the deadline. @throws EventStoreUnavailable
   */
  read<T>(work: (client: GuardedClient, timeoutMs: number) => Promise<T>): Promise<T> {
    let failure: unknown;
    const attempt = async (timeoutMs: number): Promise<T> => {
      try {
        return await this.call((client) => work(client, timeoutMs));
      } catch (error) {
        throw (failure = moreTelling(failure, error));
      }
    };
    return retryRead(attempt, classifyGrpcFailure, this.options);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client.close();
  }

  refuseWhenClosed(): void {
    if (this.closed) throw new EventStoreUnavailable('The event store was closed');
  }

  private replace(client: GuardedClient): void {
    if (client !== this.client || this.closed) return;
    client.retire();
    this.client = this.open();
    this.options.observer.reconnected?.();
  }

  private open(): GuardedClient {
    return new GuardedClient(this.options.settings, () => this.options.observer.reconnected?.());
  }
}

/**
 * In grpc-js, channels with equal options share one TCP connection per process. The silence or backoff of one
 * client would then affect the others. So the keepalive of each client differs by some milliseconds.
 */
let clients = 0;
const keepAliveMs = 10_000;

/** The states of a gRPC channel until its first attempt to connect has ended. */
const connectivity = { idle: 0, connecting: 1 };

/**
 * The client without its dangerous parts:
 * - Its batch call, the default for appends, is not used. It keeps the pending appends of all clients of the
 *   process in one list, an error of one client rejects the appends of all, and no append has a deadline.
 *   `batch` is our own.
 * - `throwOnAppendFailure` is always on: without it the client reports wrong revisions.
 * - It never gets the connection string, which it would print under `DEBUG` with the password.
 * - It can be closed. The client itself only ends its streams and leaves the connection open.
 */
export class GuardedClient extends EventStoreDBClient {
  private channel: ReturnType<typeof this.getChannel> | undefined;
  readonly batch = new BatchAppends(() => this.openBatch());

  // The client uses this, in the parts used here, only to decide whether it may use its batch call.
  protected override supports = () => Promise.resolve(false);

  /** @param onReconnect called for each connection that replaces a lost one */
  constructor(settings: ConnectionSettings, onReconnect: () => void = () => undefined) {
    // The constructor has an overload for each kind of connection, but none for their union.
    const connection = connectionOf(settings) as SingleNodeOptions;
    // Without TLS the client gets no credentials: it would silently drop them.
    super(connection, tlsOf(settings), settings.secure ? settings.credentials : undefined);
    const { getChannel } = this;
    let current: Awaited<ReturnType<typeof getChannel>> | undefined;
    this.getChannel = async () => {
      this.channel = getChannel();
      const channel = await this.channel;
      if (current && channel !== current) onReconnect();
      return (current = channel);
    };
  }

  /**
   * Waits until the client has a connection, or knows that it has none. In the second case the next call
   * fails at once, and makes the client search again; such a call was not sent. A call that is sent later and
   * gets no answer may have been carried out.
   * @throws NotConnected when neither is the case in time
   */
  async ready(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    try {
      const channel = await within(timeoutMs, this.getChannel());
      for (;;) {
        const state = channel.getConnectivityState(true);
        if (state !== connectivity.idle && state !== connectivity.connecting) return;
        await new Promise<void>((resolve, reject) => {
          channel.watchConnectivityState(state, deadline, (error) => (error ? reject(error) : resolve()));
        });
      }
    } catch (cause) {
      throw new NotConnected(`no connection within ${timeoutMs} ms: ${messageOf(cause)}`, { cause });
    }
  }

  /** The client reads the version before it appends, but exposes it only to subclasses. */
  async serverVersion(): Promise<string> {
    return (await this.capabilities).serverVersion;
  }

  /** Accepts no more calls. Running calls go on, and the connection closes after the last one. */
  retire(): void {
    this.batch.retire();
    // If the client is still looking for a node, the channel is closed as soon as it exists; no caller waits
    // for that.
    this.channel?.then((channel) => channel.close()).catch(() => undefined);
  }

  /** If the call fails, the client looks for a node again, like after a failure of any other call. */
  private openBatch() {
    return this.GRPCStreamCreator(generated.StreamsClient, 'batchAppend', (client) =>
      client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Infinity })),
    )();
  }

  /** Ends all streams, then the connection. */
  async close(): Promise<void> {
    await this.dispose();
    this.retire();
  }
}

function connectionOf({ hosts, discover, options }: ConnectionSettings) {
  const { keepAliveInterval = keepAliveMs, keepAliveTimeout = keepAliveMs } = options;
  const [first] = hosts;
  return {
    ...options,
    throwOnAppendFailure: true,
    keepAliveInterval,
    keepAliveTimeout: keepAliveTimeout < 0 ? keepAliveTimeout : keepAliveTimeout + (clients++ % 1000),
    ...(discover
      ? hosts.length === 1
        ? { discover: first }
        : { endpoints: [...hosts] }
      : { endpoint: first }),
  };
}

function tlsOf({ secure, certificates }: ConnectionSettings): ChannelCredentialOptions {
  // The key is not enumerable, so it is not among the files.
  const { verify, ...files } = certificates;
  const { userKeyFile } = certificates;
  const tls = {
    insecure: !secure,
    ...files,
    ...(verify ? {} : { verifyOptions: { rejectUnauthorized: false } }),
  };
  // Not enumerable: the client prints these options under DEBUG.
  return userKeyFile ? Object.defineProperty(tls, 'userKeyFile', { value: userKeyFile }) : tls;
}
