import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { NoAnswer } from '../calls.js';
import type { Append, SerialisedEvent } from '../serialised-event.js';

export type BatchCall = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/** The server's answer to one append. */
export type AppendAnswer =
  | { readonly kind: 'written'; readonly revision: bigint; readonly position: bigint | undefined }
  | { readonly kind: 'refused'; readonly actual: bigint | 'no-stream' };

interface Pending {
  resolve(answer: AppendAnswer): void;
  reject(error: Error): void;
}

/**
 * Sends the appends of one client on one call to the server, each with its own name. An append costs one
 * message each way. With the unary call it would open and close an HTTP/2 stream.
 *
 * - `open` from the first append until the call fails or ends. All waiting appends then fail, though the
 *   server may have written them. The next append opens another call.
 * - `retired` for good: it gets no more appends, and closes the call when no append waits.
 *
 * The client's own batch call is not used: it has one list of pending appends for all clients of the process,
 * and no deadline. If an append was neither written nor refused by its revision, the caller gets an error.
 * The caller repeats it by the unary call, whose errors say what failed.
 */
export class BatchAppends {
  private readonly pending = new Map<string, Pending>();
  private call: Promise<BatchCall> | undefined;
  private retired = false;

  constructor(private readonly open: () => Promise<BatchCall>) {}

  /** @throws NoAnswer after `timeoutMs`, and the error of the call */
  async append(append: Append, timeoutMs: number): Promise<AppendAnswer> {
    const name = randomUUID();
    const request = requestOf(append, name, timeoutMs);
    const answer = Promise.withResolvers<AppendAnswer>();
    const timer = setTimeout(
      () => answer.reject(new NoAnswer(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    this.pending.set(name, answer);
    try {
      // If the call cannot be opened, all waiting appends fail with the same error.
      this.call ??= this.begin();
      this.call.then((call) => call.write(request), answer.reject);
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      this.pending.delete(name);
      this.leaveWhenDone();
    }
  }

  retire(): void {
    this.retired = true;
    this.leaveWhenDone();
  }

  private async begin(): Promise<BatchCall> {
    try {
      const call = await this.open();
      call.on('data', (response: streams.BatchAppendResp) => this.hear(response));
      call.on('error', (error) => this.fail(error));
      call.on('end', () => {
        this.fail(new NoAnswer('the server ended the call'));
        call.cancel();
      });
      return call;
    } catch (error) {
      this.call = undefined;
      throw error;
    }
  }

  private hear(response: streams.BatchAppendResp): void {
    const waiting = this.pending.get(nameIn(response.getCorrelationId()));
    try {
      waiting?.resolve(answerIn(response));
    } catch (error) {
      // `answerIn` throws errors only.
      waiting?.reject(error as Error);
    }
  }

  private fail(error: Error): void {
    this.call = undefined;
    for (const { reject } of this.pending.values()) reject(error);
  }

  private leaveWhenDone(): void {
    if (this.retired && this.pending.size === 0)
      void this.call?.then(
        (call) => call.cancel(),
        () => undefined,
      );
  }
}

function requestOf({ stream, expected, events }: Append, name: string, timeoutMs: number) {
  const options = new streams.BatchAppendReq.Options()
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setDeadline(timestamps.Timestamp.fromDate(new Date(Date.now() + timeoutMs)));
  // google.protobuf.Empty, for which the package has a class of its own.
  if (expected === 'no-stream') options.setNoStream(new shared.Empty());
  else if (expected === 'any') options.setAny(new shared.Empty());
  else options.setStreamPosition(String(expected));
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(name))
    .setOptions(options)
    .setProposedMessagesList(events.map(proposed))
    .setIsFinal(true);
}

function proposed({ id, type, data, metadata }: SerialisedEvent): streams.BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(data))
    .setCustomMetadata(Buffer.from(metadata));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

/** @throws Error for everything that is neither */
function answerIn(response: streams.BatchAppendResp): AppendAnswer {
  const success = response.getSuccess();
  if (success) {
    const position = success.getPosition();
    const commit = position && BigInt(position.getCommitPosition());
    return { kind: 'written', revision: BigInt(success.getCurrentRevision()), position: commit };
  }
  const details = response.getError()?.getDetails();
  const wrong = details?.unpack<shared.WrongExpectedVersion>(
    shared.WrongExpectedVersion.deserializeBinary,
    'event_store.client.WrongExpectedVersion',
  );
  if (!wrong) throw new Error(`the server refused it: ${details?.getTypeName()}`);
  const actual = wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : 'no-stream';
  return { kind: 'refused', actual };
}

/** The server may return the id as two halves of 64 bits. */
function nameIn(id: shared.UUID | undefined): string {
  const halves = id?.getStructured();
  if (!halves) return id?.getString() ?? '';
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
