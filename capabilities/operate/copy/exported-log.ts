import { open } from 'node:fs/promises';
import {
  EventStore,
  EventStoreError,
  passes,
  type EventMetadata,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamSlice,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '#event-store/event-store.js';

/** The file is not an export of a log: a line is not an event, or the positions do not grow. */
export class NotAnExport extends EventStoreError {
  override readonly name = 'NotAnExport';
}

/**
 * A read-only store over a log that was exported to a file, one JSON object a line. Each read begins at the top of the
 * file: this suits a copy into another store, which reads the file once.
 */
export class ExportedLog extends EventStore {
  constructor(private readonly path: string) {
    super();
  }

  async *subscribe({
    after,
    filter,
    batchSize = 1000,
    signal,
  }: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    const wanted = passes(filter);
    let position = after ?? 0n;
    let events: RecordedEvent[] = [];
    for await (const event of this.events(after)) {
      if (signal.aborted) return;
      ({ position } = event);
      if (wanted(event)) events.push(event);
      if (events.length < batchSize) continue;
      yield { events, position, caughtUp: false };
      events = [];
    }
    yield { events, position, caughtUp: true };
  }

  async readAll({ after, limit = 4096, filter }: ReadAllOptions = {}): Promise<readonly RecordedEvent[]> {
    const wanted = passes(filter);
    const found: RecordedEvent[] = [];
    for await (const event of this.events(after)) {
      if (wanted(event)) found.push(event);
      if (found.length === limit) break;
    }
    return found;
  }

  async readStream(
    stream: string,
    { direction = 'forwards', from, limit = 4096 }: ReadStreamOptions = {},
  ): Promise<StreamSlice> {
    const all: RecordedEvent[] = [];
    for await (const event of this.events()) if (event.stream === stream) all.push(event);
    if (all.length === 0) return { kind: 'stream-not-found' };
    const backwards = direction === 'backwards';
    const isAfter = ({ revision }: RecordedEvent) =>
      from === undefined || (backwards ? revision <= from : revision >= from);
    return { kind: 'found', events: (backwards ? all.reverse() : all).filter(isAfter).slice(0, limit) };
  }

  async lastEvent(through?: bigint): Promise<RecordedEvent | undefined> {
    let last: RecordedEvent | undefined;
    for await (const event of this.events()) {
      if (through !== undefined && event.position > through) break;
      last = event;
    }
    return last;
  }

  async head(): Promise<bigint | undefined> {
    return (await this.lastEvent())?.position;
  }

  identity(): Promise<string> {
    return Promise.resolve(`file:${this.path}`);
  }

  append(): Promise<never> {
    return Promise.reject(new NotAnExport(`${this.path} can only be read`));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async *events(after = -1n): AsyncGenerator<RecordedEvent, void, void> {
    await using file = await open(this.path);
    let number = 0;
    let last = -1n;
    for await (const line of file.readLines({ autoClose: false })) {
      number++;
      const event = eventOf(line);
      if (!event || event.position <= last)
        throw new NotAnExport(`${this.path} is no export of events: look at line ${number}`);
      last = event.position;
      if (event.position > after) yield event;
    }
  }
}

function eventOf(line: string): RecordedEvent | undefined {
  try {
    // The file may hold any JSON: the checks below cover the fields that are needed.
    const { position, stream, revision, id, type, data, metadata } = JSON.parse(line) as Record<
      string,
      unknown
    >;
    const isEvent =
      [position, stream, id, type].every((each) => typeof each === 'string') &&
      Number.isSafeInteger(revision) &&
      typeof metadata === 'object';
    if (!isEvent) return undefined;
    return {
      position: BigInt(position as string),
      revision: BigInt(revision as number),
      stream: stream as string,
      id: id as string,
      type: type as string,
      data,
      metadata: metadata as EventMetadata,
    };
  } catch {
    return undefined;
  }
}
