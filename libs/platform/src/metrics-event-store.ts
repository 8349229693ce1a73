import { Counter, Histogram, type Registry } from 'prom-client';
import type { EventStoreObserver } from '#event-store/observer.js';

/** An append on a healthy store takes some milliseconds, and none more than its deadline of 10 s. */
const appendSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What an event store tells about itself. */
export function observeEventStore(registers: Registry[]): Required<EventStoreObserver> {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `atelier_event_store_${name}_total`, help, labelNames, registers });
  const appends = new Histogram({
    name: 'atelier_event_store_append_duration_seconds',
    help: 'How long appends took, retries included, by how they ended',
    labelNames: ['result'],
    buckets: appendSeconds,
    registers,
  });
  const retries = counter('retries', 'Calls that failed and were made again', 'operation');
  const unknown = counter(
    'unknown_outcomes_resolved',
    'Appends whose answer was lost, and whose outcome was found out',
  );
  const resubscriptions = counter('resubscriptions', 'Subscriptions that were taken up again');
  const reconnections = counter('reconnections', 'Lost connections that were replaced');
  // A series that is there from the start shows its first increase.
  appends.zero({ result: 'appended' });
  for (const operation of ['append', 'read']) retries.inc({ operation }, 0);
  return {
    appended: (durationMs, result) => appends.observe({ result }, durationMs / 1000),
    retried: (operation) => retries.inc({ operation }),
    unknownOutcomeResolved: () => unknown.inc(),
    resubscribed: () => resubscriptions.inc(),
    reconnected: () => reconnections.inc(),
  };
}
