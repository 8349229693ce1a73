import { setImmediate as turn } from 'node:timers/promises';
import { status, type sendUnaryData, type ServerReadableStream } from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Faults } from './faults.js';
import type { PeerLog, ProposedEvent } from './peer-log.js';
import { appendResponse, expectedOf, failure, proposedOf, sizeOf, streamNameOf } from './wire.js';

export type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;
export type AppendCallback = sendUnaryData<streams.AppendResp>;

/** Streams.Append: the options, then each event as a message of its own, then one answer. */
export async function serveAppend(
  log: PeerLog,
  faults: Faults,
  call: AppendCall,
  answer: AppendCallback,
  breakConnections: () => Promise<void>,
): Promise<void> {
  let options: streams.AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  try {
    for await (const request of call as AsyncIterable<streams.AppendReq>) {
      if (request.hasOptions()) options = request.getOptions()!;
      else events.push(proposedOf(request.getProposedMessage()!));
    }
  } catch {
    return;
  }
  // The end of the client's messages may be a broken connection. The call shows as cancelled only a turn later.
  await turn();
  // The client went away before its last message: a real server appends nothing either.
  if (call.cancelled) return;
  const failed = faults.takeAppendFailure();
  if (failed) return answer(failed);
  const stream = streamNameOf(options!.getStreamIdentifier());
  if (faults.tombstones.has(stream))
    return answer(failure(status.FAILED_PRECONDITION, 'stream-deleted', { 'stream-name': stream }));
  if (sizeOf(events) > faults.maxAppendBytes) {
    const limit = { 'maximum-append-size': String(faults.maxAppendBytes) };
    return answer(failure(status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', limit));
  }
  const expected = expectedOf(options!);
  const verdict = log.append(stream, expected, events);
  if (await faults.loseAnswer(breakConnections)) return;
  await faults.pause();
  const response = appendResponse(verdict, expected);
  if (faults.forgetPositions && verdict.kind === 'idempotent') response.getSuccess()!.clearPosition();
  answer(null, response);
}
