import { Inject, Injectable } from '@nestjs/common';
import type { AskedOfReuse, ReuseCheck } from '#application/picture/reuse-check.js';
import { EventStore } from '#event-store/event-store.js';
import { Configuration } from '#platform/configuration.js';
import { Database } from '#read-store/database.js';
import { ReachedReads } from '../reached-reads.js';
import { retentionOf } from './manage-keeping.js';
import { daysKept } from './retention.js';

const dayMs = 24 * 60 * 60_000;

/** How long an upload waits for the read model. Afterwards it is stored as a new one. */
const patienceMs = 1_000;

/** An upload is given again if at least half of its time is left, and if its tenant has no erasure under way. */
@Injectable()
export class ReusedUploads implements ReuseCheck {
  constructor(
    private readonly store: EventStore,
    private readonly database: Database,
    private readonly reached: ReachedReads,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'keeping'>,
  ) {}

  async mayReuse({ environment, tenant, storedAt, at }: AskedOfReuse): Promise<boolean> {
    const own = await retentionOf(this.store, environment, tenant);
    const days = daysKept('uploads', own, this.configuration.keeping);
    if (days !== undefined && at.getTime() - storedAt.getTime() > (days * dayMs) / 2) return false;
    if (!(await this.reached.areShown(environment, ['erasure_orders'], patienceMs))) return false;
    const { rows } = await this.database.query(
      `select from ${environment}.erasure_orders where tenant = $1 and status = 'running' limit 1`,
      [tenant],
    );
    return rows.length === 0;
  }
}
