import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '#domain/streams.js';
import { Database } from '#read-store/database.js';
import { pictureUses } from './picture-uses.read-model.js';

/** The read models that an extent is read from. */
const needed = [pictureUses, 'assets', 'products'];

const lookAgainMs = 20;
const patienceMs = 30_000;

/** How far the read models are, for a projector: it follows no checkpoints of other projectors. */
@Injectable()
export class ReachedReads {
  constructor(private readonly database: Database) {}

  /** Waits until the read models show the event at the position. @throws Error if that takes too long */
  async waitFor(
    environment: Environment,
    position: bigint | undefined,
    models: readonly string[] = needed,
  ): Promise<void> {
    if (await this.show(environment, position, { models, patienceMs })) return;
    throw new Error(`the read models ${models.join(', ')} have not reached position ${position}`);
  }

  /** Whether the read models show the event at the position within some time. */
  async show(
    environment: Environment,
    position: bigint | undefined,
    { models, patienceMs: most }: { readonly models: readonly string[]; readonly patienceMs: number },
  ): Promise<boolean> {
    if (position === undefined) return true;
    for (let waited = 0; waited <= most; waited += lookAgainMs) {
      const { rows } = await this.database.query(
        `select 1 from read_store.projections
           where environment = $1 and name = any($2) and state = 'live' and position >= $3`,
        [environment, models, position.toString()],
      );
      if (rows.length === models.length) return true;
      await sleep(lookAgainMs);
    }
    return false;
  }
}
