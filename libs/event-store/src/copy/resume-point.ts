import type { EventStore } from '../event-store.js';
import { CopyRefused } from './copy-refused.js';
import { canonicalJson, type StreamDigests } from './stream-digests.js';
import { walkLog, type Walk } from './walk-log.js';

/**
 * How far an earlier copy came: the position in the source after which the first event is missing in the target. Reads
 * the source until it has met everything that the target holds, and takes it into `digests` on the way.
 * @throws CopyRefused when the target holds anything that the source does not; nothing has been written by then
 */
export async function findResumePoint(
  source: EventStore,
  walk: Walk,
  digests: StreamDigests,
  target: StreamDigests,
  onPosition: (position: bigint, events: number) => void,
): Promise<bigint | undefined> {
  let unmatched = target.size;
  if (unmatched === 0) return undefined;
  let last: bigint | undefined;
  let firstMissing: { readonly after: bigint | undefined } | undefined;
  for await (const { events, position } of walkLog(source, walk)) {
    for (const event of events) {
      const { stream, revision } = event;
      digests.absorb(event, canonicalJson(event));
      const copied = target.of(stream);
      if (copied === undefined || Number(revision) >= copied.events) firstMissing ??= { after: last };
      else if (Number(revision) === copied.events - 1) {
        if (digests.of(stream)?.sha256 !== copied.sha256) throw differs(stream, copied.events);
        unmatched -= 1;
      }
      last = event.position;
      if (unmatched === 0) return firstMissing ? firstMissing.after : last;
    }
    onPosition(position, events.length);
  }
  throw holdsMore(digests, target);
}

function differs(stream: string, events: number): CopyRefused {
  return new CopyRefused(
    `the target holds another history: the first ${events} events of ${stream} are not those of the source. Nothing was written; copy into an empty store`,
  );
}

function holdsMore(source: StreamDigests, target: StreamDigests): CopyRefused {
  for (const stream of target.streamNames()) {
    const theirs = target.of(stream)?.events ?? 0;
    const ours = source.of(stream)?.events ?? 0;
    if (theirs > ours)
      return new CopyRefused(
        `the target holds other events: ${stream} has ${theirs} there and ${ours} in the source. Nothing was written; copy into an empty store`,
      );
  }
  return new CopyRefused('the target holds other events. Nothing was written; copy into an empty store');
}
