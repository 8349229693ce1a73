import { Counter, type Registry } from 'prom-client';

/** Counts the events under the seals that this process has written. */
export function countSealed(registry: Registry): (events: number) => void {
  const sealed = new Counter({
    name: 'atelier_sealed_events_total',
    help: 'Events that this process has sealed',
    registers: [registry],
  });
  return (events) => sealed.inc(events);
}
