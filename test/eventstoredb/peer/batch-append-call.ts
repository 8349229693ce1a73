import type { ServerDuplexStream } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Faults } from './faults.js';
import type { PeerLog, ProposedEvent } from './peer-log.js';
import { expectedOf, proposedOf, sizeOf, streamNameOf } from './wire.js';

export type BatchCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

interface Pending {
  readonly options: streams.BatchAppendReq.Options;
  readonly events: ProposedEvent[];
}

/** Streams.BatchAppend: many appends on one call, each named by its correlation id. */
export function serveBatchAppend(
  log: PeerLog,
  faults: Faults,
  call: BatchCall,
  { appended, breakConnections }: { appended(): void; breakConnections(): Promise<void> },
): void {
  const pending = new Map<string, Pending>();
  call.on('data', (request: streams.BatchAppendReq) => {
    const id = request.getCorrelationId()!.getString();
    const append = pending.get(id) ?? { options: request.getOptions()!, events: [] };
    pending.set(id, append);
    append.events.push(...request.getProposedMessagesList().map(proposedOf));
    if (!request.getIsFinal()) return;
    pending.delete(id);
    void carryOut(append, request.getCorrelationId()!);
  });
  call.on('end', () => call.end());
  const carryOut = async (append: Pending, id: shared.UUID) => {
    appended();
    const failed = faults.takeAppendFailure();
    if (failed) {
      call.emit('error', Object.assign(new Error(failed.details), failed));
      return;
    }
    const response =
      sizeOf(append.events) > faults.maxAppendBytes
        ? tooLarge(faults.maxAppendBytes)
        : faults.tombstones.has(streamNameOf(append.options.getStreamIdentifier()))
          ? refusal(new shared.StreamDeleted().serializeBinary(), 'event_store.client.StreamDeleted')
          : answerTo(log, append);
    if (await faults.loseAnswer(breakConnections)) return;
    if (faults.endAfterCommit > 0) {
      faults.endAfterCommit -= 1;
      call.end();
      return;
    }
    await faults.pause();
    if (faults.forgetPositions) response.getSuccess()?.clearPosition();
    call.write(response.setCorrelationId(faults.structuredIds ? structured(id) : id));
  };
}

/** The other form in which the server may return an id. */
function structured(id: shared.UUID): shared.UUID {
  const hex = id.getString().replaceAll('-', '');
  const half = (part: string) => String(BigInt.asIntN(64, BigInt(`0x${part}`)));
  const halves = new shared.UUID.Structured()
    .setMostSignificantBits(half(hex.slice(0, 16)))
    .setLeastSignificantBits(half(hex.slice(16)));
  return new shared.UUID().setStructured(halves);
}

function tooLarge(limit: number): streams.BatchAppendResp {
  const size = new shared.MaximumAppendSizeExceeded().setMaxappendsize(limit);
  return refusal(size.serializeBinary(), 'event_store.client.MaximumAppendSizeExceeded');
}

function refusal(details: Uint8Array, type: string): streams.BatchAppendResp {
  // A status with an empty field 3, its details. None of our packages has the class of the details.
  const status = statuses.Status.deserializeBinary(Uint8Array.of(0x1a, 0));
  status.getDetails()!.pack(details, type);
  return new streams.BatchAppendResp().setError(status);
}

function answerTo(log: PeerLog, { options, events }: Pending): streams.BatchAppendResp {
  const stream = options.getStreamIdentifier();
  const verdict = log.append(streamNameOf(stream), expectedOf(options), events);
  const response = new streams.BatchAppendResp().setStreamIdentifier(stream);
  if (verdict.kind === 'wrong-expected-version') {
    const wrong = new shared.WrongExpectedVersion();
    if (verdict.actual !== 'no-stream') wrong.setCurrentStreamRevision(String(verdict.actual));
    return refusal(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion').setStreamIdentifier(
      stream,
    );
  }
  const position = new shared.AllStreamPosition()
    .setCommitPosition(String(verdict.last.position))
    .setPreparePosition(String(verdict.last.position));
  const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(verdict.last.revision));
  return response.setSuccess(success.setPosition(position));
}
