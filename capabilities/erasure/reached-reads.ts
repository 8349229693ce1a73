import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Database } from '#read-store/database.js';
import { fitLog, foldedWithin } from '#read-store/rows-as-of.js';
import { pictureUses } from './picture-uses.read-model.js';

/** The read models that an extent is read from. */
export const readModelsOfExtent = [pictureUses, 'assets', 'products'];

const patienceMs = 30_000;

/** How far the read models are, also where no checkpoints are watched. */
@Injectable()
export class ReachedReads {
  constructor(
    private readonly store: EventStore,
    private readonly database: Database,
  ) {}

  /** Waits until the read models show everything up to this moment. @throws Error if that takes too long */
  async waitFor(environment: Environment, models: readonly string[] = readModelsOfExtent): Promise<void> {
    if (await this.areShown(environment, models, patienceMs)) return;
    throw new Error(
      `the read models ${models.join(', ')} have not reached the end of the log, or do not fit it`,
    );
  }

  /**
   * Whether the read models show everything up to a position within `withinMs`. Rows never do that if the log was restored
   * from before them: they also show what it has lost.
   * @param position the end of the log at this moment if left out
   */
  async areShown(
    environment: Environment,
    models: readonly string[],
    withinMs: number,
    position?: bigint,
  ): Promise<boolean> {
    const upTo = position ?? (await this.store.head());
    return (await this.folded(withinMs, environment, models, upTo)) && this.fitLog(environment, models);
  }

  protected folded(
    withinMs: number,
    environment: Environment,
    models: readonly string[],
    position: bigint | undefined,
  ): Promise<boolean> {
    return foldedWithin(withinMs, this.database, environment, models, position);
  }

  protected fitLog(environment: Environment, models: readonly string[]): Promise<boolean> {
    return fitLog(this.database, this.store, environment, models);
  }
}
