import type { EventStore } from '#event-store/event-store.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { Peer } from '../../eventstoredb/peer/peer.js';
import type { StoredEvent } from '../../eventstoredb/peer/peer-log.js';
import type { AuditedStore } from './audited-store.js';
import { openPostgresStore } from '../../support/open-postgres-store.js';

/** One event, by its place in its stream. */
export type Place = readonly [stream: string, revision: number];

/** The changes that a person with the password of a store can make to its log. */
export interface Tampering {
  readonly store: EventStore;
  /** Edits data and metadata in their JSON text. */
  replace(place: Place, text: string, by: string): Promise<void>;
  remove(place: Place): Promise<void>;
  /** Two events change their places in the log. */
  swap(one: Place, other: Place): Promise<void>;
  /**
   * Adds a copy of the event right behind it, with the same revision, as is possible without the unique index.
   */
  repeat(place: Place): Promise<void>;
  close(): Promise<void>;
}

/** On an empty log. */
export async function tamperingInPostgres(audited: AuditedStore): Promise<Tampering> {
  const run = (sql: string, values: unknown[] = []) => {
    const literals = sql.replaceAll(/\$(\d)/g, (_, n: string) => `'${String(values[Number(n) - 1])}'`);
    return audited.sql(`begin; set local session_replication_role = replica; ${literals}; commit`);
  };
  await run(`truncate event_store.events, event_store.snapshots; update event_store.head set position = 0;
    alter table event_store.events drop constraint if exists events_stream_revision;
    alter table event_store.events add constraint events_stream_revision unique (stream, revision)`);
  // Without the key, as a copy writes.
  const store = openPostgresStore(audited.fixture.url);
  return {
    store,
    replace: ([stream, revision], text, by) =>
      run(
        `update event_store.events set data = replace(data::text, $3, $4)::json,
          metadata = replace(metadata::text, $3, $4)::json where stream = $1 and revision = $2`,
        [stream, revision, text, by],
      ),
    remove: (place) => run('delete from event_store.events where stream = $1 and revision = $2', [...place]),
    swap: (one, other) =>
      run(
        `create temporary table places on commit drop as
          select position, id, row_number() over (order by position) as n from event_store.events
           where (stream = $1 and revision = $2) or (stream = $3 and revision = $4);
        update event_store.events e set position = -p.position from places p where p.id = e.id;
        update event_store.events e set position = other.position
          from places p, places other where p.id = e.id and other.n <> p.n`,
        [...one, ...other],
      ),
    repeat: (place) =>
      run(
        `alter table event_store.events drop constraint events_stream_revision;
        update event_store.events set position = position + 1000000 where position > (
          select position from event_store.events where stream = $1 and revision = $2 order by position limit 1);
        insert into event_store.events
          select position + 1, revision, gen_random_uuid(), stream, type, data, metadata
            from event_store.events where stream = $1 and revision = $2;
        update event_store.head set position = (select max(position) from event_store.events)`,
        [...place],
      ),
    close: () => store.close(),
  };
}

/** The peer's log is memory, in which everything can be done. */
export async function tamperingInPeer(): Promise<Tampering> {
  const peer = await new Peer().start();
  const store = new EventStoreDbEventStore({ connectionString: peer.url });
  const { log } = peer;
  const indexOf = ([stream, revision]: Place) =>
    log.events.findIndex((event) => event.stream === stream && event.revision === BigInt(revision));
  const put = (index: number, event: StoredEvent) => {
    log.events[index] = event;
    // The stream must return the changed event as well.
    const ofStream = log.stream(event.stream) as StoredEvent[];
    ofStream[ofStream.findIndex(({ id }) => id === event.id)] = event;
  };
  const edit = (bytes: Uint8Array, text: string, by: string) =>
    Buffer.from(Buffer.from(bytes).toString().replaceAll(text, by));
  const each = (work: () => void) => Promise.resolve(work());
  return {
    store,
    replace: (place, text, by) =>
      each(() => {
        const index = indexOf(place);
        const event = log.events[index]!;
        const [data, metadata] = [edit(event.data, text, by), edit(event.metadata, text, by)];
        put(index, { ...event, data, metadata });
      }),
    remove: (place) =>
      each(() => {
        const index = indexOf(place);
        const ofStream = log.stream(place[0]) as StoredEvent[];
        ofStream.splice(ofStream.indexOf(log.events[index]!), 1);
        log.events.splice(index, 1);
      }),
    swap: (one, other) =>
      each(() => {
        const [first, second] = [indexOf(one), indexOf(other)];
        const [here, there] = [log.events[first]!, log.events[second]!];
        put(second, { ...here, position: there.position });
        put(first, { ...there, position: here.position });
      }),
    repeat: (place) =>
      each(() => {
        const index = indexOf(place);
        const event = log.events[index]!;
        // Positions are byte offsets, so the next byte is a free position.
        log.events.splice(index + 1, 0, { ...event, id: crypto.randomUUID(), position: event.position + 1n });
      }),
    async close() {
      await store.close();
      peer.stop();
    },
  };
}
