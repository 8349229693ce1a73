import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { EventMacs } from '#event-store/authentic/event-macs.js';
import type {
  EventStore,
  NewEvent,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
  SubscriptionBatch,
} from '#event-store/event-store.js';

/** Each adapter passes this to the suite. It opens one log, which may be shared and need not be empty. */
export interface EventStoreHarness {
  /** A client of the log, with connections of its own. The suite closes it. */
  open(options?: { readonly macs?: EventMacs }): EventStore;
  /** Clients whose connections can be disturbed. Absent: the tests of lost answers are skipped. */
  readonly faults?: Faults;
  /**
   * Appends from another process: `events` to each of `streams` streams `{prefix}{n}`, at explicit revisions.
   */
  writeElsewhere?(job: WriteJob): Promise<void>;
  close(): Promise<void>;
}

/** Every test gets one client that lives as long as the suite, and the harness to open more. */
export interface Subject {
  readonly store: EventStore;
  readonly harness: EventStoreHarness;
}

export interface WriteJob {
  readonly prefix: string;
  readonly streams: number;
  readonly events: number;
}

/** Disturbances of all clients that `open` made, and of no others. */
export interface Faults {
  open(options?: { deadlineMs?: number; answerTimeoutMs?: number }): EventStore;
  /** From now on requests reach the store, and its answers do not come back. */
  readonly holdAnswers: () => void;
  /** Breaks every connection. Answers that are held are then lost. */
  readonly cut: () => void;
  /** From now on connections break before anything was sent. */
  readonly refuse: () => void;
  /** From now on new connections work, and held answers arrive. */
  readonly restore: () => void;
}

/** A prefix that no other test uses: all assertions look at their own streams only. */
export function freshPrefix(): string {
  return `conformance.${randomUUID()}-`;
}

export function newEvent(data: unknown = {}, overrides: Partial<NewEvent> = {}): NewEvent {
  const metadata = {
    requestId: '01JZZZZZZZZZZZZZZZZZZZZZZZ',
    causationId: '01JZZZZZZZZZZZZZZZZZZZZZZZ',
    tenant: 'conformance',
    actor: 'operator',
    schemaVersion: 1,
    recordedAt: '2026-01-01T00:00:00.000Z',
  };
  return { id: randomUUID(), type: 'ConformanceChecked', data, metadata, ...overrides };
}

export function newEvents(count: number, type?: string): NewEvent[] {
  return Array.from({ length: count }, (_, n) => newEvent({ n }, type === undefined ? {} : { type }));
}

/** The events of a stream; none if there is no stream. */
export async function eventsIn(
  store: EventStore,
  stream: string,
  options?: ReadStreamOptions,
): Promise<readonly RecordedEvent[]> {
  const slice = await store.readStream(stream, options);
  return slice.kind === 'found' ? slice.events : [];
}

/** Writes the events in one append each, at the revision where the append before it ended. */
export async function writeOneByOne(
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  pauseMs?: number,
): Promise<void> {
  let expected: bigint | 'no-stream' = 'no-stream';
  for (const event of events) {
    const result = await store.append(stream, expected, [event]);
    if (result.outcome !== 'appended') throw new Error(`Another writer wrote to ${stream}`);
    expected = result.revision;
    if (pauseMs !== undefined) await sleep(pauseMs);
  }
}

export interface Collected {
  readonly events: RecordedEvent[];
  readonly batches: SubscriptionBatch[];
}

/** Runs a subscription until the condition holds, then ends it. */
export async function collect(
  store: EventStore,
  options: Omit<SubscribeOptions, 'signal'>,
  until: (collected: Collected) => boolean,
  onBatch: (batch: SubscriptionBatch) => Promise<void> | void = () => undefined,
): Promise<Collected> {
  const ending = new AbortController();
  const collected: Collected = { events: [], batches: [] };
  for await (const batch of store.subscribe({ ...options, signal: ending.signal })) {
    collected.batches.push(batch);
    collected.events.push(...batch.events);
    await onBatch(batch);
    if (until(collected)) ending.abort();
  }
  return collected;
}

/** Fails unless each stream's events are at revisions 0, 1, 2 … in order, and at growing positions. */
export function expectUnbroken(events: readonly RecordedEvent[]): void {
  const next = new Map<string, bigint>();
  let position = -1n;
  const broken = events.filter((event) => {
    const inOrder = event.position > position && event.revision === (next.get(event.stream) ?? 0n);
    position = event.position;
    next.set(event.stream, event.revision + 1n);
    return !inOrder;
  });
  expect(broken.slice(0, 3)).toEqual([]);
}

/** Disturbs again and again, at irregular intervals, while the work goes on. */
export async function whileRepeating<T>(disturb: () => void, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let atLeastMs = 80;
  const next = () => {
    // A slow machine, too, gets something done between two of them in the end.
    atLeastMs *= 1.05;
    timer = setTimeout(
      () => {
        disturb();
        next();
      },
      atLeastMs + Math.random() * 200,
    );
  };
  next();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
