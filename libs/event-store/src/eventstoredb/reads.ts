import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type AllStreamResolvedEvent,
  type ReadPosition,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { lastRevision, NoAnswer, pageSize } from '../calls.js';
import type { ReadAllOptions, ReadStreamOptions, RecordedEvent, StreamSlice } from '../event-store.js';
import type { GuardedClient } from './connection.js';
import { isInvalidArgument } from './failures.js';
import { isNoneOfOurs, toRecordedEvent, Feed } from './feed.js';

/**
 * How many of the last events are searched for an event that is not the server's own. The server writes few.
 */
const headWindow = 128;

/**
 * One page of a stream. `from` is inclusive here, like in the protocol; in subscriptions it is exclusive.
 * Every read goes to the leader: a follower may be behind, and the caller would decide on old state.
 */
export async function readStream(
  client: GuardedClient,
  stream: string,
  { direction = 'forwards', from, limit }: ReadStreamOptions,
  timeoutMs: number,
): Promise<StreamSlice> {
  const backwards = direction === 'backwards';
  const below = from !== undefined && from < 0n;
  const start = from === undefined ? undefined : below ? 0n : from > lastRevision ? lastRevision : from;
  const options = {
    direction: backwards ? BACKWARDS : FORWARDS,
    fromRevision: start ?? (backwards ? END : START),
    maxCount: pageSize(limit),
    requiresLeader: true,
  } as const;
  try {
    const events = await collect(client.readStream(stream, options), timeoutMs);
    return { kind: 'found', events: backwards && below ? [] : events };
  } catch (error) {
    if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError)
      return { kind: 'stream-not-found' };
    throw error;
  }
}

/** Position of the very last event of the log, also if it is the server's own. */
export async function readTail(client: GuardedClient, timeoutMs: number): Promise<bigint | undefined> {
  const [last] = await readLast(client, 1, timeoutMs);
  return last?.position;
}

/**
 * Position of the last event that is not the server's own. If none is near, the position of the very last
 * event.
 */
export async function readHead(client: GuardedClient, timeoutMs: number): Promise<bigint | undefined> {
  const [last] = await readLast(client, 1, timeoutMs);
  if (last === undefined || !isNoneOfOurs(last)) return last?.position;
  const recent = await readLast(client, headWindow, timeoutMs);
  const own = recent.find((event) => !isNoneOfOurs(event));
  return own?.position ?? (recent.length < headWindow ? undefined : last.position);
}

function readLast(
  client: GuardedClient,
  maxCount: number,
  timeoutMs: number,
  fromPosition: ReadPosition = END,
): Promise<RecordedEvent[]> {
  const options = { direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true } as const;
  return collect(client.readAll(options), timeoutMs);
}

/**
 * The last event that is at or before a position and is not the server's own. Undefined if the position lies
 * within the log but no event is there: such a position is from another log, and the server refuses to read
 * from it.
 */
export async function readLastEvent(
  client: GuardedClient,
  through: bigint | undefined,
  timeoutMs: number,
): Promise<RecordedEvent | undefined> {
  const [tail] = await readLast(client, 1, timeoutMs);
  if (!tail) return undefined;
  // The log may grow between two reads, so each read begins where the last one ended.
  const isBeyond = through !== undefined && through < tail.position;
  if (!isBeyond && !isNoneOfOurs(tail)) return tail;
  let from = placeAt(isBeyond ? through : tail.position);
  if (isBeyond) {
    // A read backwards may omit the event at which it begins.
    const options = { direction: FORWARDS, fromPosition: from, maxCount: 1, requiresLeader: true } as const;
    try {
      const [there] = await collect(client.readAll(options), timeoutMs);
      if (there?.position === through && !isNoneOfOurs(there)) return there;
    } catch (error) {
      if (isInvalidArgument(error)) return undefined;
      throw error;
    }
  }
  for (;;) {
    const recent = await readLast(client, headWindow, timeoutMs, from);
    const own = recent.find((event) => !isNoneOfOurs(event));
    if (own || recent.length < headWindow) return own;
    // The page is full.
    from = placeAt(recent.at(-1)!.position);
  }
}

function placeAt(position: bigint) {
  return { commit: position, prepare: position };
}

/**
 * Collects all events of a finite read. The client gives reads no deadline, so each wait for the next event has
 * a time limit here.
 * @throws NoAnswer
 */
function collect(
  read: StreamingRead<ResolvedEvent | AllStreamResolvedEvent>,
  timeoutMs: number,
): Promise<RecordedEvent[]> {
  return new Promise((resolve, reject) => {
    const events: RecordedEvent[] = [];
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      void leave(read);
    };
    const timer = setTimeout(() => fail(new NoAnswer(`no answer within ${timeoutMs} ms`)), timeoutMs);
    // This listener stays attached, because a late error without a listener would end the process.
    read.on('error', fail);
    read.on('close', () => fail(new NoAnswer('the read was cut off')));
    read.on('data', (resolved: ResolvedEvent | AllStreamResolvedEvent) => {
      timer.refresh();
      const event = toRecordedEvent(resolved);
      if (event) events.push(event);
    });
    read.on('end', () => {
      clearTimeout(timer);
      resolve(events);
    });
  });
}

/** If the call was never made, there is nothing to cancel. */
async function leave(read: { cancel(): Promise<void> }): Promise<void> {
  try {
    await read.cancel();
  } catch {
    // The caller of the read has the failure already.
  }
}

/**
 * One page of the log. The client's own read has no filter and includes the position where it starts. So the
 * page is the beginning of a subscription, up to the limit or to the end of the log.
 */
export async function readAll(
  client: GuardedClient,
  { after, filter, limit }: ReadAllOptions,
  timeoutMs: number,
): Promise<RecordedEvent[]> {
  const size = pageSize(limit);
  const feed = new Feed(client, { after, filter });
  const events: RecordedEvent[] = [];
  try {
    while (events.length < size) {
      const event = feed.read();
      if (event) events.push(event);
      else if (feed.failure) throw feed.failure;
      else if (feed.caughtUp) break;
      else if (!(await feed.changes.wait(timeoutMs))) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    }
    return events;
  } finally {
    feed.close();
  }
}
