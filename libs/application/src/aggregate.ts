import type { Decision } from '#domain/decision.js';
import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { StreamContended, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { pause } from '#platform/retry.js';
import { toNewEvent, type CommandContext } from './command-context.js';

/** The pure half of an aggregate. */
export interface Aggregate<State, Event extends DomainEvent> {
  readonly initial: State;
  evolve(state: State, event: Event): State;
}

export interface Loaded<State> {
  readonly state: State;
  readonly revision: bigint | 'no-stream';
  /** Position of the stream's last event; undefined when there is none. */
  readonly position: bigint | undefined;
}

export type Handled<State, Rejection> =
  | ({ readonly kind: 'accepted' } & Loaded<State>)
  | { readonly kind: 'rejected'; readonly rejection: Rejection; readonly state: State };

/** Two healthy writers never produce this many conflicts in a row. */
const maxConflicts = 50;

/**
 * Several writers of one process load, decide and append in step. Without a pause, the same one loses each
 * time.
 */
const stepsAside = { afterConflicts: 3, mostMs: 50 };

const eventsAPage = 1024;

/** The stream's events from a revision on, page by page. */
export async function* readForwards(
  store: EventStore,
  stream: string,
  from: bigint,
  { pageSize = eventsAPage, unprovenToo = false }: { pageSize?: number; unprovenToo?: boolean } = {},
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let next = from; ;) {
    const slice = await store.readStream(stream, { from: next, limit: pageSize, unprovenToo });
    if (slice.kind === 'stream-not-found' || slice.events.length === 0) return;
    yield slice.events;
    if (slice.events.length < pageSize) return;
    next += BigInt(slice.events.length);
  }
}

/**
 * The state before the first event. Serves as the known state of a stream that should be new, which spares the
 * read.
 */
export function untouched<State>(aggregate: { readonly initial: State }): Loaded<State> {
  return { state: aggregate.initial, revision: 'no-stream', position: undefined };
}

/** Folds the whole stream, or the events after `known`. */
export async function load<State, Event extends DomainEvent>(
  store: EventStore,
  stream: string,
  aggregate: Aggregate<State, Event>,
  known: Loaded<State> = untouched(aggregate),
): Promise<Loaded<State>> {
  let { state, revision, position } = known;
  const from = revision === 'no-stream' ? 0n : revision + 1n;
  for await (const events of readForwards(store, stream, from)) {
    for (const recorded of events) {
      // A stream holds the events of one aggregate only: every append in this service comes from its decide
      // function.
      state = aggregate.evolve(state, decode(recorded) as Event);
      ({ revision, position } = recorded);
    }
  }
  return { state, revision, position };
}

/**
 * Loads, decides, and appends at the revision that it loaded. If another writer was faster, it loads the new
 * events and decides again. A decision without events answers from the state as it was read. `known` spares the
 * load; if it is wrong, the store refuses the append and the stream is read.
 * @throws StreamContended
 */
export async function handle<State, Event extends DomainEvent, Rejection>(
  store: EventStore,
  stream: string,
  aggregate: Aggregate<State, Event>,
  decide: (state: State) => Decision<Event, Rejection>,
  context: CommandContext,
  known?: Loaded<State>,
): Promise<Handled<State, Rejection>> {
  let loaded = known ?? (await load(store, stream, aggregate));
  for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
    const decision = decide(loaded.state);
    if (decision.kind === 'rejected') {
      return { kind: 'rejected', rejection: decision.rejection, state: loaded.state };
    }
    if (decision.events.length === 0) return { kind: 'accepted', ...loaded };

    const events = decision.events.map((event, index) => toNewEvent(event, index, context));
    const appended = await store.append(stream, loaded.revision, events);
    if (appended.outcome === 'appended') {
      const state = decision.events.reduce((older, event) => aggregate.evolve(older, event), loaded.state);
      return { kind: 'accepted', state, revision: appended.revision, position: appended.position };
    }
    if (conflicts >= stepsAside.afterConflicts) await pause(Math.random() * stepsAside.mostMs);
    loaded = await load(store, stream, aggregate, loaded);
  }
  throw new StreamContended(stream, maxConflicts);
}
