import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendVerdict, Expected, ProposedEvent, StoredEvent } from './peer-log.js';

/** Errors are sent as trailers: the kind under `exception`, its details beside it. */
export function failure(code: status, exception: string, details: Record<string, string> = {}): StatusObject {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  for (const [key, value] of Object.entries(details)) metadata.set(key, value);
  return Object.assign(new Error(exception), { code, details: exception, metadata });
}

export function notLeader(port: number): StatusObject {
  return failure(status.NOT_FOUND, 'not-leader', {
    'leader-endpoint-host': '127.0.0.1',
    'leader-endpoint-port': String(port),
  });
}

export function streamNameOf(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier!.getStreamName_asU8()).toString();
}

export function expectedOf(options: streams.AppendReq.Options | streams.BatchAppendReq.Options): Expected {
  const revision = 'hasRevision' in options ? options.hasRevision() : options.hasStreamPosition();
  if (revision) return BigInt('getRevision' in options ? options.getRevision() : options.getStreamPosition());
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'stream-exists' : 'any';
}

type Proposal = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

export function proposedOf(message: Proposal): ProposedEvent {
  const properties = message.getMetadataMap();
  return {
    id: message.getId()!.getString(),
    type: properties.get('type') ?? '',
    contentType: properties.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** The size of an append in bytes, as the server counts it against its limit. */
export function sizeOf(events: readonly ProposedEvent[]): number {
  return events.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + data.length + metadata.length,
    0,
  );
}

export function appendResponse(verdict: AppendVerdict, expected: Expected): streams.AppendResp {
  const response = new streams.AppendResp();
  if (verdict.kind === 'wrong-expected-version') {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (verdict.actual === 'no-stream') wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(String(verdict.actual));
    if (typeof expected === 'bigint') wrong.setExpectedRevision(String(expected));
    else if (expected === 'no-stream') wrong.setExpectedNoStream(new shared.Empty());
    else wrong.setExpectedAny(new shared.Empty());
    return response.setWrongExpectedVersion(wrong);
  }
  const position = new streams.AppendResp.Position();
  position.setCommitPosition(String(verdict.last.position)).setPreparePosition(String(verdict.last.position));
  const success = new streams.AppendResp.Success();
  return response.setSuccess(success.setCurrentRevision(String(verdict.last.revision)).setPosition(position));
}

export function eventResponse(event: StoredEvent): streams.ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.position))
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.contentType);
  recorded.getMetadataMap().set('created', String(event.createdTicks));
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(event.position));
  return new streams.ReadResp().setEvent(read);
}

export function checkpointResponse(position: bigint): streams.ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position)).setPreparePosition(String(position));
  return new streams.ReadResp().setCheckpoint(checkpoint);
}
