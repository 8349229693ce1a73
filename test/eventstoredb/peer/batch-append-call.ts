import type { ServerDuplexStream } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Faults } from './faults.js';
import type { Expected, PeerLog, ProposedEvent } from './peer-log.js';
import { proposedOf, streamNameOf } from './wire.js';

export type BatchCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

interface Pending {
  readonly options: streams.BatchAppendReq.Options;
  readonly events: ProposedEvent[];
}

/** Streams.BatchAppend: many appends on one call, each named by its correlation id. What the adapter keeps away from. */
export function serveBatchAppend(log: PeerLog, faults: Faults, call: BatchCall): void {
  const pending = new Map<string, Pending>();
  call.on('data', (request: streams.BatchAppendReq) => {
    const id = request.getCorrelationId()!.getString();
    const append = pending.get(id) ?? { options: request.getOptions()!, events: [] };
    pending.set(id, append);
    append.events.push(...request.getProposedMessagesList().map(proposedOf));
    if (!request.getIsFinal()) return;
    pending.delete(id);
    const response = answerTo(log, append).setCorrelationId(request.getCorrelationId());
    if (!faults.silent) call.write(response);
  });
  call.on('end', () => call.end());
}

function answerTo(log: PeerLog, { options, events }: Pending): streams.BatchAppendResp {
  const stream = options.getStreamIdentifier();
  const verdict = log.append(streamNameOf(stream), expectedOf(options), events);
  const response = new streams.BatchAppendResp().setStreamIdentifier(stream);
  if (verdict.kind === 'wrong-expected-version') {
    const wrong = new shared.WrongExpectedVersion();
    if (verdict.actual !== 'no-stream') wrong.setCurrentStreamRevision(String(verdict.actual));
    // A status whose field 3, the details, is there and empty: the class of the details is in no package of ours.
    const status = statuses.Status.deserializeBinary(Uint8Array.of(0x1a, 0));
    status.getDetails()!.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
    return response.setError(status);
  }
  const position = new shared.AllStreamPosition()
    .setCommitPosition(String(verdict.last.position))
    .setPreparePosition(String(verdict.last.position));
  const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(verdict.last.revision));
  return response.setSuccess(success.setPosition(position));
}

function expectedOf(options: streams.BatchAppendReq.Options): Expected {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'stream-exists' : 'any';
}
