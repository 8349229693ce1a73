import { decode } from '#domain/stored-events.js';
import type { DomainEvent } from '#domain/events.js';
import { parseStreamName } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';

/** An event and where it stands. */
export type Recorded = DomainEvent & {
  readonly stream: string;
  /** The part of the stream's name behind the category. */
  readonly id: string;
  readonly position: bigint;
};

/** All that happened to a tenant, in the order of the log. */
export async function historyOf(store: EventStore, tenant: string, after: bigint): Promise<Recorded[]> {
  const history: Recorded[] = [];
  for (let from = after; ;) {
    const page = await store.readAll({ after: from, limit: 1_000 });
    for (const event of page) if (event.metadata.tenant === tenant) history.push(recorded(event));
    const last = page.at(-1);
    if (!last || page.length < 1_000) return history;
    from = last.position;
  }
}

function recorded(event: RecordedEvent): Recorded {
  const { stream, position } = event;
  return { ...decode(event), stream, id: parseStreamName(stream)?.id ?? stream, position };
}

/** For people: what happened, one line an event. */
export function tell(history: readonly Recorded[]): string {
  return history.map(({ type, stream, data }) => `${stream} ${type} ${JSON.stringify(data)}`).join('\n');
}
