import {
  EventStoreDBClient,
  type ChannelCredentialOptions,
  type SingleNodeOptions,
} from '@eventstore/db-client';
import type { ConnectionSettings } from './connection-string.js';
import { messageOf, NotConnected, within } from './failures.js';

/**
 * Channels with equal options share one TCP connection per process in grpc-js, which would tie every client here to the
 * silence or the backoff of another. Each client therefore gets a keepalive that differs by some milliseconds.
 */
let clients = 0;
const keepAliveMs = 10_000;

/** The states of a gRPC channel that lie before an attempt has ended. */
const connectivity = { idle: 0, connecting: 1 };

/**
 * The client, less what is dangerous in it:
 * - Appends take the unary call. The batch call, its default, keeps the pending appends of all clients of the process in
 *   one place: an error of one rejects the appends of all, and none of them has a deadline.
 * - `throwOnAppendFailure` is always on: the other mode reports wrong revisions.
 * - Nothing hands it the connection string, which it would print under `DEBUG` with the password.
 * - It can be closed. The client itself only ends its streams and leaves the connection open.
 */
export class Client extends EventStoreDBClient {
  private channel: ReturnType<typeof this.getChannel> | undefined;

  // The one question that the client asks in what is used here is whether it may take the batch call.
  protected override supports = () => Promise.resolve(false);

  /** @param onReconnect told of each connection that takes the place of a lost one */
  constructor(settings: ConnectionSettings, onReconnect: () => void = () => undefined) {
    // The constructor has an overload for each kind of connection, and none that takes any of them.
    const connection = connectionOf(settings) as SingleNodeOptions;
    // Over a connection without TLS the client drops credentials without a word: it is given none.
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
   * Waits until there is a connection, or clearly none: then the next call fails at once, and with that makes the client
   * begin anew. What fails here was not sent; what is sent afterwards and gets no answer may have been carried out.
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

  /** Takes no more calls. Those under way go on, and the connection ends with the last of them. */
  retire(): void {
    // A channel that is still being looked for in the cluster is closed when it is found, and nobody waits for that.
    this.channel?.then((channel) => channel.close()).catch(() => undefined);
  }

  /** Ends all streams, then the connection. */
  async close(): Promise<void> {
    await this.dispose();
    this.retire();
  }
}

function connectionOf({ hosts, discover, options }: ConnectionSettings) {
  const {
    connectionName,
    keepAliveInterval = keepAliveMs,
    keepAliveTimeout = keepAliveMs,
    defaultDeadline,
  } = options;
  const { maxDiscoverAttempts, discoveryInterval, gossipTimeout, nodePreference } = options;
  const shared = {
    throwOnAppendFailure: true,
    keepAliveInterval,
    keepAliveTimeout: keepAliveTimeout < 0 ? keepAliveTimeout : keepAliveTimeout + (clients++ % 1000),
    ...given({ connectionName, defaultDeadline }),
  };
  const [first] = hosts;
  if (!discover) return { ...shared, endpoint: first };
  const discovery = given({ maxDiscoverAttempts, discoveryInterval, gossipTimeout, nodePreference });
  if (hosts.length === 1) return { ...shared, ...discovery, discover: first };
  return { ...shared, ...discovery, endpoints: [...hosts] };
}

function tlsOf({ secure, certificates }: ConnectionSettings): ChannelCredentialOptions {
  const { rootCertificate, userCertFile, userKeyFile, verify } = certificates;
  const tls = {
    insecure: !secure,
    ...given({ rootCertificate, userCertFile }),
    ...(verify ? {} : { verifyOptions: { rejectUnauthorized: false } }),
  };
  // Not enumerable: the client prints these options under DEBUG.
  return userKeyFile ? Object.defineProperty(tls, 'userKeyFile', { value: userKeyFile }) : tls;
}

/** Without the keys that have no value: the client's defaults stand in for missing keys only. */
function given<Options extends object>(
  options: Options,
): { [Key in keyof Options]?: NonNullable<Options[Key]> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Options]?: NonNullable<Options[Key]> };
}
