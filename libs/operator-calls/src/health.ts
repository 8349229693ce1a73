import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';

/** Something is wrong that has an advice of its own. */
export class Unwell extends Error {
  constructor(
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

/** A look of `atelier doctor`. */
export interface HealthCheck {
  readonly name: string;
  /** What to do when something is wrong, unless that brings an advice of its own. */
  readonly advice: string;
  /** It looks outside the log: it comes after the checks of the log. */
  readonly outside?: boolean;
  /** @returns what it found, in a line. @throws what is wrong, or {@link Unwell} */
  look(store: EventStore, configuration: Configuration): Promise<string>;
}

/** How a capability is, for those who operate the service. */
export interface Health<Facts extends object = object> {
  readonly checks: readonly HealthCheck[];
  /** A line of `atelier status`. @throws what is wrong */
  status(store: EventStore, configuration: Configuration): Promise<string>;
  /** What `atelier now` tells of it. */
  facts(store: EventStore): Promise<Facts>;
  /** Why people wait, or will. Empty: they do not. */
  reasons(facts: Facts): string[];
  /** For people. */
  line(facts: Facts): string;
}
