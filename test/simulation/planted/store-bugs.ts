import type { IdempotencyStore } from '#application/dispatch/idempotency.js';
import {
  AppendOutcomeUnknown,
  type EventStore,
  type NewEvent,
  storeWith,
  type StreamWrite,
} from '#event-store/event-store.js';
import { eventId, newId } from '#platform/ids.js';
import { sha256Of } from '#application/render/render-inputs.js';
import type { EventOfType } from '#domain/events.js';
import type { Role, Wiring } from '../wiring.js';

type Append = EventStore['append'];

/** The store, with some of its appends done differently: those of all processes, or of one role. */
function withAppend(around: (append: Append) => Append, onlyOf?: Role): Pick<Wiring, 'store'> {
  return {
    store: (client, { role }) =>
      onlyOf === undefined || role === onlyOf
        ? storeWith(client, { append: around((...given) => client.append(...given)) })
        : client,
  };
}

/** Appends to the streams that are meant happen at any revision. */
const atAnyRevision =
  (isMeant: (stream: string) => boolean) =>
  (append: Append): Append =>
  (stream, expected, events) =>
    append(stream, isMeant(stream) ? 'any' : expected, events);

/** Changes the writes that are appended together. */
function withTogether(
  change: (writes: readonly StreamWrite[]) => readonly StreamWrite[],
): Pick<Wiring, 'store'> {
  return {
    store: (client) =>
      client.appendTogether
        ? storeWith(client, { appendTogether: (writes) => client.appendTogether!(change(writes)) })
        : client,
  };
}

/** An append is answered at once and carried out in the background. */
function inBackground(isMeant: (event: NewEvent | undefined) => boolean): Pick<Wiring, 'store'> {
  return withAppend((append) => async (stream, expected, events) => {
    if (!isMeant(events[0])) return append(stream, expected, events);
    append(stream, expected, events).catch(() => undefined);
    const before = expected === 'no-stream' || expected === 'any' ? -1n : expected;
    const revision = before + BigInt(events.length);
    return { outcome: 'appended', revision, position: 0n, replayed: false };
  });
}

/** The keys, with another beginning. */
function withBegin(around: (begin: IdempotencyStore['begin']) => IdempotencyStore['begin']): Partial<Wiring> {
  return {
    idempotency: (client) =>
      Object.assign(Object.create(client) as IdempotencyStore, {
        begin: around((request, ids) => client.begin(request, ids)),
      }),
  };
}

const ofAccount = (stream: string) => stream.includes('.account-');
const ofJob = (stream: string) => stream.includes('.job-');

export const storeBugs = {
  /** The 202 comes before JobQueued is on the log. */
  'answer-before-queue': inBackground((event) => event?.type === 'JobQueued'),

  /** A price from memory is charged, even if the operator has changed it since. */
  'price-without-guard': withTogether((writes) => writes.filter(({ events }) => events.length > 0)),

  /** The charge is written, and the job beside it is not. */
  'charge-without-its-job': withTogether((writes) => writes.filter(({ stream }) => !ofJob(stream))),

  /** The digest of a job's picture is computed from its bytes at the time of the dispatch. */
  'digest-of-what-is-there': {
    store: (client, place) => {
      const believed = (events: readonly NewEvent[]) =>
        events.map((event) => {
          if (event.type !== 'JobQueued') return event;
          // Events of this type have this data.
          const job = event.data as EventOfType<'JobQueued'>['data'];
          const inputs = job.inputs.map((input) => {
            const bytes = place.objects.get(input.storageKey);
            return bytes ? { ...input, sha256: sha256Of(bytes) } : input;
          });
          return { ...event, data: { ...job, inputs } };
        });
      const together = withTogether((writes) =>
        writes.map((write) => ({ ...write, events: believed(write.events) })),
      );
      const alone = withAppend(
        (append) => (stream, expected, events) => append(stream, expected, believed(events)),
      );
      return alone.store(together.store(client, place), place);
    },
  },

  /** Money at any revision: two processes spend the same credits. */
  'any-revision-on-accounts': withAppend(atAnyRevision(ofAccount)),

  /** After a conflict the same events are appended after the other writer's, without a new decision. */
  'conflict-without-decision': withAppend((append) => async (stream, expected, events) => {
    const appended = await append(stream, expected, events);
    if (appended.outcome === 'appended' || !ofAccount(stream)) return appended;
    return append(stream, appended.actual, events);
  }),

  /** An append whose answer was lost is repeated under new event ids. */
  'fresh-ids-after-unknown': withAppend((append) => async (stream, expected, events) => {
    try {
      return await append(stream, expected, events);
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown) || !ofAccount(stream)) throw error;
      const renamed = events.map((event) => ({ ...event, id: eventId(newId(), 0) }));
      return append(stream, 'any', renamed);
    }
  }),

  /** A snapshot is saved with the state of the one before it. */
  'stale-snapshot': {
    snapshots: (client) => {
      const last = new Map<string, string>();
      return {
        load: (...given) => client.load(...given),
        drop: (...given) => client.drop(...given),
        save: (stream, foldVersion, revision, state) => {
          const older = last.get(stream);
          last.set(stream, JSON.stringify(state));
          // The position is correct, because the loader checks it against the stream.
          const { position } = state as { position: string };
          const saved = older === undefined ? state : { ...(JSON.parse(older) as object), position };
          return client.save(stream, foldVersion, revision, saved);
        },
      };
    },
  },

  /** A snapshot is believed without a check of its digest. */
  'snapshots-believed': { snapshots: (_, unchecked) => unchecked },

  /** Each try with a key counts as the first. */
  'keys-forgotten': withBegin(
    (begin) => (request, ids) => begin({ ...request, key: `${request.key}/${ids.requestId}` }, ids),
  ),

  /** A request that resumes the key of an earlier try continues under new ids. */
  'ids-not-fixed-by-key': withBegin((begin) => async (request, ids) => {
    const begun = await begin(request, ids);
    return begun.kind === 'resume' ? { kind: 'new', ids, lease: begun.lease } : begun;
  }),

  /** A worker that was taken for dead continues to write, at any revision. */
  'zombie-worker': withAppend(atAnyRevision(ofJob), 'worker'),

  /** A worker takes every attempt for the first. */
  'attempts-forgotten': {
    store: (client, { role }) => {
      if (role !== 'worker') return client;
      const readStream: EventStore['readStream'] = async (...given) => {
        const slice = await client.readStream(...given);
        if (slice.kind !== 'found') return slice;
        const events = slice.events.map((event) =>
          event.type === 'RenderStarted'
            ? { ...event, data: { ...(event.data as object), attempt: 0 } }
            : event,
        );
        return { ...slice, events };
      };
      return storeWith(client, { readStream });
    },
  },

  /** The engine is called before RenderStarted is on the log. */
  'render-before-record': inBackground((event) => event?.type === 'RenderStarted'),
} satisfies Record<string, Partial<Wiring>>;
