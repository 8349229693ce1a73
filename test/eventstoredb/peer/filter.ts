import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './peer-log.js';

export interface PeerFilter {
  readonly passes: (event: StoredEvent) => boolean;
  /** The number of examined events between two checkpoints. */
  readonly checkpointEvery: number;
}

/** The filter of the client: on the stream or on the type, by prefixes or by an expression. */
export function filterOf(options: streams.ReadReq.Options): PeerFilter | undefined {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType()!;
  const prefixes = expression.getPrefixList();
  const regex = new RegExp(expression.getRegex());
  const subject = (event: StoredEvent) => (filter.hasStreamIdentifier() ? event.stream : event.type);
  const window = filter.hasMax() ? filter.getMax() : 32;
  return {
    passes: (event) =>
      prefixes.length > 0
        ? prefixes.some((prefix) => subject(event).startsWith(prefix))
        : regex.test(subject(event)),
    checkpointEvery: window * filter.getCheckpointintervalmultiplier(),
  };
}
