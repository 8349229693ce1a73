import { status, type ServerWritableStream } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { filterOf } from './filter.js';
import type { PeerLog, StoredEvent } from './peer-log.js';
import { checkpointResponse, eventResponse, failure, streamNameOf } from './wire.js';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;
const backwards = 1;
const noPlace = 2n ** 64n - 1n;

/** A read that ends. Positions and revisions are inclusive here. */
export async function serveRead(log: PeerLog, call: ReadCall): Promise<void> {
  const options = call.request.getOptions()!;
  if (isNoPlace(log, options)) return refuse(call);
  const events = options.hasStream() ? streamEvents(log, options) : allEvents(log, options);
  if (events === undefined) {
    const missing = new streams.ReadResp.StreamNotFound();
    missing.setStreamIdentifier(options.getStream()!.getStreamIdentifier());
    call.write(new streams.ReadResp().setStreamNotFound(missing));
  } else {
    const count = Number(options.getCount());
    for (const event of events.slice(0, count)) await send(call, eventResponse(event));
  }
  call.end();
}

function streamEvents(log: PeerLog, options: streams.ReadReq.Options): readonly StoredEvent[] | undefined {
  const place = options.getStream()!;
  const events = log.stream(streamNameOf(place.getStreamIdentifier()));
  if (events === undefined) return undefined;
  const from = place.hasRevision() ? Number(place.getRevision()) : place.hasEnd() ? events.length - 1 : 0;
  return options.getReadDirection() === backwards
    ? events.slice(0, from + 1).toReversed()
    : events.slice(from);
}

function allEvents(log: PeerLog, options: streams.ReadReq.Options): readonly StoredEvent[] {
  const place = options.getAll()!;
  const from = place.hasPosition() ? BigInt(place.getPosition()!.getCommitPosition()) : undefined;
  if (options.getReadDirection() === backwards) {
    const end = from === undefined ? log.events.length : log.indexAfter(from);
    return log.events.slice(Math.max(0, end - Number(options.getCount())), end).toReversed();
  }
  return log.events.slice(from === undefined ? 0 : log.indexAfter(from - 1n));
}

/** A position must be the beginning of a record, as the server requires. */
function isNoPlace(log: PeerLog, options: streams.ReadReq.Options): boolean {
  const place = options.getAll();
  if (!place?.hasPosition()) return false;
  const position = BigInt(place.getPosition()!.getCommitPosition());
  return log.events[log.indexAfter(position) - 1]?.position !== position;
}

function refuse(call: ReadCall): void {
  call.emit('error', failure(status.INVALID_ARGUMENT, 'invalid-position'));
}

/**
 * A subscription to the whole log: the past, then `caughtUp`, then new events. The start is exclusive here. A
 * checkpoint after each window of examined events gives the position reached. At the end of the past a
 * checkpoint repeats the position of the last event or checkpoint sent. Before the first of these there is no
 * such position; the server then writes the largest number.
 */
export async function serveSubscription(
  log: PeerLog,
  call: ReadCall,
  pace: () => Promise<void> | undefined,
): Promise<void> {
  const options = call.request.getOptions()!;
  const place = options.getAll();
  if (place === undefined) {
    call.emit('error', failure(status.UNIMPLEMENTED, 'streams-are-not-subscribed-to'));
    return;
  }
  if (isNoPlace(log, options)) return refuse(call);
  const filter = filterOf(options);
  const start = place.hasPosition() ? BigInt(place.getPosition()!.getCommitPosition()) : -1n;
  let next = place.hasEnd() ? log.events.length : log.indexAfter(start);
  let sent = place.hasPosition() ? start : noPlace;
  let looked = 0;
  let grown = Promise.withResolvers<void>();
  const stop = log.onGrowth(() => grown.resolve());
  call.on('cancelled', () => grown.resolve());
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID());
  await send(call, new streams.ReadResp().setConfirmation(confirmation));
  for (let live = false; !call.cancelled && !call.destroyed;) {
    for (; next < log.events.length && !call.cancelled && !call.destroyed; next++) {
      const event = log.events[next]!;
      looked += 1;
      const pause = pace();
      if (pause) await pause;
      const passes = filter?.passes(event) ?? true;
      const isCheckpoint = filter && looked % filter.checkpointEvery === 0;
      if (passes) await send(call, eventResponse(event));
      if (isCheckpoint) await send(call, checkpointResponse(event.position));
      if (passes || isCheckpoint) sent = event.position;
    }
    if (filter && !live) await send(call, checkpointResponse(sent));
    if (!live) await send(call, new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
    live = true;
    if (next < log.events.length) continue;
    await grown.promise;
    grown = Promise.withResolvers<void>();
  }
  stop();
}

/** Waits while the client does not take any more. */
async function send(call: ReadCall, response: streams.ReadResp): Promise<void> {
  if (call.cancelled || call.destroyed) return;
  if (call.write(response)) return;
  await new Promise<void>((resolve) => {
    const ready = () => {
      for (const event of ['drain', 'cancelled', 'close']) call.off(event, ready);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close']) call.on(event, ready);
  });
}
