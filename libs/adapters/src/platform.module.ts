import { Global, Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { Clock, systemClock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { Troubles } from '#platform/troubles.js';

/** Settings that a process has before it opens anything. */
export interface ProcessSettings {
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Absent where this process keeps none. */
  readonly metrics?: Metrics | undefined;
  /** Aborted when the process is asked to stop, even while it still waits for a server. Default: never. */
  readonly stopping?: AbortSignal;
  /** Default: the computer's own. */
  readonly clock?: Clock;
}

export type Adapters = NonNullable<ModuleMetadata['imports']>;

/** The token of the signal that is aborted when this process is asked to stop. */
export const Stopping = Symbol('Stopping');

/**
 * The token of this process's `Metrics`, or of undefined. The class itself as a token would load its library in
 * each process.
 */
export const OwnMetrics = Symbol('OwnMetrics');

/** Configuration, logger, clock, metrics and troubles of one process. All its modules share them. */
@Global()
@Module({})
export class PlatformModule {
  static of({ configuration, logger, metrics, stopping, clock }: ProcessSettings): DynamicModule {
    return {
      module: PlatformModule,
      providers: [
        { provide: Configuration, useValue: configuration },
        { provide: Logger, useValue: logger },
        { provide: Clock, useValue: clock ?? systemClock },
        { provide: OwnMetrics, useValue: metrics },
        { provide: Stopping, useValue: stopping ?? new AbortController().signal },
        Troubles,
      ],
      exports: [Configuration, Logger, Clock, OwnMetrics, Stopping, Troubles],
    };
  }
}
