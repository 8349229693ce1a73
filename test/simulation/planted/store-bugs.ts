import type { DispatchIds, IdempotencyStore, IdempotentRequest } from '#application/dispatch/idempotency.js';
import {
  AppendOutcomeUnknown,
  type AppendOutcome,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
  storeWith,
  type StreamWrite,
} from '#event-store/event-store.js';
import type { SnapshotStore } from '#event-store/snapshots.js';
import { eventId, newId } from '#platform/ids.js';
import { sha256Of } from '#application/render/render-inputs.js';
import type { EventOfType } from '#domain/events.js';
import type { Wiring } from '../wiring.js';

type Append = EventStore['append'];

/** The store, with some of its appends done differently. */
function withAppend(client: EventStore, around: (append: Append) => Append): EventStore {
  const append = around(client.append.bind(client));
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'append') return append;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

const ofAccount = (stream: string) => stream.includes('.account-');
const ofJob = (stream: string) => stream.includes('.job-');

/** Money at any revision: two processes spend the same credits. */
export const anyRevisionOnAccounts: Partial<Wiring> = {
  store: (client) =>
    withAppend(
      client,
      (append) => (stream, expected, events) => append(stream, ofAccount(stream) ? 'any' : expected, events),
    ),
};

/** A worker that was taken for dead continues to write, at any revision. */
export const zombieWorker: Partial<Wiring> = {
  store: (client, { role }) =>
    role !== 'worker'
      ? client
      : withAppend(
          client,
          (append) => (stream, expected, events) => append(stream, ofJob(stream) ? 'any' : expected, events),
        ),
};

/** An append whose answer was lost is repeated under new event ids. */
export const freshIdsAfterUnknown: Partial<Wiring> = {
  store: (client) =>
    withAppend(client, (append) => async (stream, expected, events) => {
      try {
        return await append(stream, expected, events);
      } catch (error) {
        if (!(error instanceof AppendOutcomeUnknown) || !ofAccount(stream)) throw error;
        return append(stream, 'any', renamed(events));
      }
    }),
};

function renamed(events: readonly NewEvent[]): NewEvent[] {
  return events.map((event) => ({ ...event, id: eventId(newId(), 0) }));
}

/** After a conflict the same events are appended after the other writer's, without a new decision. */
export const conflictWithoutDecision: Partial<Wiring> = {
  store: (client) =>
    withAppend(client, (append) => async (stream, expected, events) => {
      const appended = await append(stream, expected, events);
      if (appended.outcome === 'appended' || !ofAccount(stream)) return appended;
      return append(stream, appended.actual, events);
    }),
};

/** Changes the writes that are appended together. */
function withTogether(change: (writes: readonly StreamWrite[]) => readonly StreamWrite[]): Wiring['store'] {
  return (client) =>
    client.appendTogether
      ? storeWith(client, { appendTogether: (writes) => client.appendTogether!(change(writes)) })
      : client;
}

/** The digest of a job's picture is computed from its bytes at the time of the dispatch. */
export const digestOfWhatIsThere: Partial<Wiring> = {
  store: (client, { objects }) => {
    const believed = (events: readonly NewEvent[]) =>
      events.map((event) => {
        if (event.type !== 'JobQueued') return event;
        // Events of this type have this data.
        const job = event.data as EventOfType<'JobQueued'>['data'];
        const inputs = job.inputs.map((input) => {
          const bytes = objects.get(input.storageKey);
          return bytes ? { ...input, sha256: sha256Of(bytes) } : input;
        });
        return { ...event, data: { ...job, inputs } };
      });
    const { appendTogether } = client;
    return storeWith(
      withAppend(
        client,
        (append) => (stream, expected, events) => append(stream, expected, believed(events)),
      ),
      appendTogether
        ? {
            appendTogether: (writes) =>
              appendTogether.call(
                client,
                writes.map((write) => ({ ...write, events: believed(write.events) })),
              ),
          }
        : {},
    );
  },
};

/** A price from memory is charged, even if the operator has changed it since. */
export const priceWithoutGuard: Partial<Wiring> = {
  store: withTogether((writes) => writes.filter(({ events }) => events.length > 0)),
};

/** The charge is written, and the job beside it is not. */
export const chargeWithoutItsJob: Partial<Wiring> = {
  store: withTogether((writes) => writes.filter(({ stream }) => !ofJob(stream))),
};

/** An append is answered at once and carried out in the background. */
function inBackground(isMeant: (stream: string, events: readonly NewEvent[]) => boolean): Wiring['store'] {
  return (client) =>
    withAppend(client, (append) => async (stream, expected, events) => {
      if (!isMeant(stream, events)) return append(stream, expected, events);
      append(stream, expected, events).catch(() => undefined);
      const before = expected === 'no-stream' || expected === 'any' ? -1n : expected;
      const revision = before + BigInt(events.length);
      const answer: AppendOutcome = { outcome: 'appended', revision, position: 0n, replayed: false };
      return answer;
    });
}

/** The 202 comes before JobQueued is on the log. */
export const answerBeforeQueue: Partial<Wiring> = {
  store: inBackground((stream, [event]) => ofJob(stream) && event?.type === 'JobQueued'),
};

/** The engine is called before RenderStarted is on the log. */
export const renderBeforeRecord: Partial<Wiring> = {
  store: inBackground((_stream, [event]) => event?.type === 'RenderStarted'),
};

/** A worker takes every attempt for the first. */
export const attemptsForgotten: Partial<Wiring> = {
  store: (client, { role }) => {
    if (role !== 'worker') return client;
    const readStream: EventStore['readStream'] = async (stream, options) => {
      const slice = await client.readStream(stream, options);
      return slice.kind === 'found' ? { ...slice, events: slice.events.map(asFirstAttempt) } : slice;
    };
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'readStream') return readStream;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  },
};

function asFirstAttempt(event: RecordedEvent): RecordedEvent {
  return event.type === 'RenderStarted'
    ? { ...event, data: { ...(event.data as object), attempt: 0 } }
    : event;
}

/** A snapshot is saved with the state of the one before it. */
export const staleSnapshot: Partial<Wiring> = {
  snapshots: (client): SnapshotStore => {
    const last = new Map<string, string>();
    return {
      load: (stream, foldVersion) => client.load(stream, foldVersion),
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
};

/** A snapshot is believed without a check of its digest. */
export const snapshotsBelieved: Partial<Wiring> = { snapshots: (_, unchecked) => unchecked };

/** Each try with a key counts as the first. */
export const keysForgotten: Partial<Wiring> = {
  idempotency: (client) =>
    withBegin(client, (request, ids) =>
      client.begin({ ...request, key: `${request.key}/${ids.requestId}` }, ids),
    ),
};

/** A request that resumes the key of an earlier try continues under new ids. */
export const idsNotFixedByKey: Partial<Wiring> = {
  idempotency: (client) =>
    withBegin(client, async (request, ids) => {
      const begun = await client.begin(request, ids);
      return begun.kind === 'resume' ? { kind: 'new', ids, lease: begun.lease } : begun;
    }),
};

function withBegin(
  client: IdempotencyStore,
  begin: (request: IdempotentRequest, ids: DispatchIds) => ReturnType<IdempotencyStore['begin']>,
): IdempotencyStore {
  return {
    begin,
    reopen: (request, lost) => client.reopen(request, lost),
    reassign: (lease, ids) => client.reassign(lease, ids),
    answer: (lease, answer) => client.answer(lease, answer),
    forget: (lease) => client.forget(lease),
    release: (lease) => client.release(lease),
  };
}
