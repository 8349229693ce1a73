import { randomUUID } from 'node:crypto';
import { EventStoreUnavailable } from '../event-store.js';
import type {
  AppendOutcome,
  EventStore,
  ExpectedRevision,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StreamSlice,
  SubscribeOptions,
  SubscriptionBatch,
} from '../event-store.js';
import type { EventMacs } from '../authentic/event-macs.js';
import { pageSize, type AdapterOptions } from '../calls.js';
import { serialiseAppend } from '../serialised-event.js';
import { Appender, defaultMaxAppendBytes, refuseOversize } from './appender.js';
import { parseConnectionString } from './connection-string.js';
import { Connection } from './connection.js';
import { identityStream } from './feed.js';
import { readAll, readHead, readLastEvent, readStream, readTail } from './reads.js';
import { subscribeByFeed } from './subscription.js';
import { Watermark } from './watermark.js';

export interface EventStoreDbEventStoreOptions extends AdapterOptions {
  /** `esdb://user:password@host:2113?tls=…`, or `esdb+discover://…` for a cluster. */
  readonly connectionString: string;
  /** The server's limit for one append (its `MaxAppendSize`). Default 1 MiB, like the server's. */
  readonly maxAppendBytes?: number;
  /** How long a quiet subscription waits before it reads where the log ends. Default 500 ms. */
  readonly idleProbeMs?: number;
}

/** The event store in EventStoreDB 24.2 or later. Opens no connection before the first call. */
export class EventStoreDbEventStore implements EventStore {
  private readonly connection: Connection;
  private readonly appender: Appender;
  private readonly watermark: Watermark;
  private readonly maxAppendBytes: number;
  private readonly macs: EventMacs | undefined;
  private readonly closing = new AbortController();
  private ownIdentity: string | undefined;

  /** @throws RangeError for an invalid connection string; the message quotes no part of it */
  constructor({
    connectionString,
    deadlineMs = 10_000,
    answerTimeoutMs = 5000,
    maxAppendBytes = defaultMaxAppendBytes,
    idleProbeMs = 500,
    observer = {},
    macs,
  }: EventStoreDbEventStoreOptions) {
    const settings = parseConnectionString(connectionString);
    if (settings.credentials && !settings.secure)
      process.emitWarning('EventStoreDB gets no credentials over a connection without TLS (tls=false)');
    this.connection = new Connection({ settings, deadlineMs, answerTimeoutMs, idleProbeMs, observer });
    this.watermark = new Watermark(() => this.connection.call((client) => readTail(client, answerTimeoutMs)));
    this.appender = new Appender(this.connection, this.watermark);
    this.maxAppendBytes = maxAppendBytes;
    this.macs = macs;
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendOutcome> {
    this.connection.refuseWhenClosed();
    const serialised = serialiseAppend(stream, expected, events, this.macs);
    refuseOversize(stream, serialised, this.maxAppendBytes);
    return this.appender.append({ stream, expected, events: serialised });
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    pageSize(options.limit);
    return this.connection.read((client, timeoutMs) => readStream(client, stream, options, timeoutMs));
  }

  async readAll(options: ReadAllOptions = {}): Promise<readonly RecordedEvent[]> {
    pageSize(options.limit);
    return this.connection.read((client, timeoutMs) => readAll(client, options, timeoutMs));
  }

  async head(): Promise<bigint | undefined> {
    const { head, startedAt } = await this.connection.read(async (client, timeoutMs) => {
      const startedAt = performance.now();
      return { head: await readHead(client, timeoutMs), startedAt };
    });
    if (head !== undefined) this.watermark.observe(head, startedAt);
    return head;
  }

  lastEvent(through?: bigint): Promise<RecordedEvent | undefined> {
    return this.connection.read((client, timeoutMs) => readLastEvent(client, through, timeoutMs));
  }

  async identity(): Promise<string> {
    if (this.ownIdentity !== undefined) return this.ownIdentity;
    let [named] = await this.readIdentity();
    if (!named) {
      // When several processes start at once, the first one writes the name, and the others read it.
      await this.append(identityStream, 'no-stream', [nameOfLog()]);
      [named] = await this.readIdentity();
    }
    if (!named) throw new EventStoreUnavailable('The log has no name');
    return (this.ownIdentity = named.id);
  }

  private async readIdentity(): Promise<readonly RecordedEvent[]> {
    const slice = await this.readStream(identityStream, { limit: 1 });
    return slice.kind === 'found' ? slice.events : [];
  }

  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    return subscribeByFeed(this.connection, { ...options, signal });
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.appender.idle();
    await this.connection.close();
  }
}

/** Its id is the log's name. */
function nameOfLog(): NewEvent {
  const id = randomUUID();
  const metadata = {
    requestId: id,
    causationId: id,
    tenant: '',
    actor: 'event-store',
    schemaVersion: 1,
    recordedAt: new Date().toISOString(),
  };
  return { id, type: 'LogNamed', data: {}, metadata };
}
