import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import type { Queries } from '#read-store/data-source.js';

/** A failure with its own advice. */
export class Unwell extends Error {
  constructor(
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

/** A check of `atelier doctor`. */
export interface HealthCheck {
  readonly name: string;
  /** The advice when the check fails, unless the failure has its own. */
  readonly advice: string;
  /** It checks something outside the log, so it runs after the checks of the log. */
  readonly outside?: boolean;
  /** @returns the finding, in one line. @throws the failure, or {@link Unwell} */
  look(store: EventStore, configuration: Configuration): Promise<string>;
}

export interface HealthSources {
  readonly store: EventStore;
  readonly database: Queries;
  readonly configuration: Configuration;
}

/** The health of a capability, for operators. */
export interface Health<Facts extends object = object> {
  readonly checks: readonly HealthCheck[];
  /** A line of `atelier status`. @throws the failure */
  status(sources: HealthSources): Promise<string>;
  /** The facts for `atelier now`. */
  facts(sources: HealthSources): Promise<Facts>;
  /** Why people wait now or will wait; empty if they do not. */
  reasons(facts: Facts): readonly { readonly env: Environment | null; readonly detail: string }[];
  /** For people. */
  line(facts: Facts): string;
}
