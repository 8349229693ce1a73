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

/** How far back the head is looked for behind events of the server's own, which are few. */
const headWindow = 128;

/**
 * One page of a stream. `from` is inclusive here, as in the protocol; in subscriptions the same word is exclusive.
 * Every read asks for the leader: a follower may be behind, and what follows from old state is decided on it.
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

/** Position of the very last event of the log, the server's own included. */
export async function readTail(client: GuardedClient, timeoutMs: number): Promise<bigint | undefined> {
  const [last] = await readLast(client, 1, timeoutMs);
  return last?.position;
}

/** Position of the last event that is not the server's own, or of the last one when none is near. */
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
 * The last event at or before a position that is not the server's own. None where the position lies within the log and is
 * no place of it: the server refuses to read from there, so it was given by another log.
 */
export async function readLastEvent(
  client: GuardedClient,
  through: bigint | undefined,
  timeoutMs: number,
): Promise<RecordedEvent | undefined> {
  const [tail] = await readLast(client, 1, timeoutMs);
  if (!tail) return undefined;
  // The log may grow between two reads, so each one begins where the one before has been.
  const isBeyond = through !== undefined && through < tail.position;
  if (!isBeyond && !isNoneOfOurs(tail)) return tail;
  let from = placeAt(isBeyond ? through : tail.position);
  if (isBeyond) {
    // A read backwards may leave out the event that it begins at.
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
 * All events of a read that ends. The client gives reads no deadline, so each wait for the next event has one here.
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
    // Stays attached: an error that comes late would end the process without a listener.
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

/** It may be that the call was never made; then there is nothing to cancel. */
async function leave(read: { cancel(): Promise<void> }): Promise<void> {
  try {
    await read.cancel();
  } catch {
    // The caller of the read has the failure already.
  }
}

/**
 * One page of the log. The client's own read of it takes no filter and counts from a position that is included, so the
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
      else if (!(await feed.change(timeoutMs))) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    }
    return events;
  } finally {
    feed.close();
  }
}
