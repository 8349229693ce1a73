import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { GiveNotice } from '#application/notice/give-notice.js';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { derivedId, timelessId } from '#platform/ids.js';
import type { ErasureTarget } from '../erasure.events.js';
import { ErasureOrders } from '../order-erasure.js';
import { ReachedReads } from '../reached-reads.js';
import { DueThings, readModelsOfExpiry, type DueThing } from './due-things.js';
import { expiringTopic } from '../expiring.notice.js';
import { byRetention } from './keeping.read-models.js';

const dayMs = 24 * 60 * 60_000;

/** How many things one erasure takes. */
const mostTogether = 100;

/** How long it waits for read models, while other housekeeping waits for it. */
const patienceMs = 2_000;

const actor = 'saga:expiry';

/**
 * Orders the erasure of things whose time is over, and tells tenants some days before. An order is named after its oldest
 * thing, and things are ordered oldest first. So two projectors, or one that died, give the same order the same id, and
 * the log takes it once.
 */
@Injectable()
export class Expiry implements HousekeepingTask {
  constructor(
    private readonly commands: CommandBus,
    private readonly due: DueThings,
    private readonly orders: ErasureOrders,
    private readonly reached: ReachedReads,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'keeping'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment, signal: AbortSignal): Promise<void> {
    const { keeping } = this.configuration;
    const now = this.clock();
    // They are far behind: a later round looks.
    if (!(await this.areShown(environment))) return;
    if (keeping.warningDays > 0) {
      const soon = await this.due.ending(environment, keeping, now, keeping.warningDays);
      for (const thing of soon) if (!signal.aborted) await this.warn(environment, thing, now);
    }
    await this.expire(environment, 'rule', await this.due.byRule(environment, keeping, now), { now, signal });
    // A thing may be due for both reasons: the first order must be shown before the second is given.
    if (!(await this.areShown(environment))) return;
    await this.expire(environment, 'own', await this.due.byOwnEnd(environment, now), { now, signal });
  }

  private areShown(environment: Environment): Promise<boolean> {
    return this.reached.areShown(environment, readModelsOfExpiry, patienceMs);
  }

  private async warn(environment: Environment, thing: DueThing, at: Date): Promise<void> {
    const { thingId: assetId, tenant, jobId, endsAt } = thing;
    const noticeId = timelessId(`${expiringTopic}/${environment}/${assetId}`);
    const isUpload = thing.kind === 'uploads';
    const content = {
      asset_id: assetId,
      job_id: jobId,
      kind: isUpload ? 'upload' : 'final',
      expires_at: endsAt.toISOString(),
    };
    const path = isUpload || jobId === null ? `/v1/uploads/${assetId}` : `/v1/jobs/${jobId}`;
    const context = {
      environment,
      tenant,
      commandId: `notice:${noticeId}`,
      requestId: noticeId,
      actor,
      at,
    };
    await this.commands.execute(new GiveNotice(context, noticeId, { topic: expiringTopic, content, path }));
  }

  /** One order for each tenant and kind. What is left is due in the next round as well. */
  private async expire(
    environment: Environment,
    by: 'rule' | 'own',
    found: readonly DueThing[],
    { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
  ): Promise<void> {
    const groups = Map.groupBy(found, ({ tenant, kind }) => `${tenant}/${by === 'own' ? by : kind}`);
    for (const [group, things] of groups) {
      if (signal.aborted) return;
      const together = things.slice(0, mostTogether);
      const [{ tenant, category, thingId }] = together as [DueThing];
      // The time of the id is that of the order: after a restore, erasures are looked for by it.
      const today = Math.floor(now.getTime() / dayMs) * dayMs;
      const name = `retention/${environment}/${group}/${category}/${thingId}`;
      const erasureId = derivedId(name, today);
      const commandId = `erasure:${erasureId}:requested`;
      const context = { environment, tenant, commandId, requestId: erasureId, actor, at: now };
      const targets = together.map(targetOf);
      // A hold that was placed a moment ago refuses the order. The next round leaves the held things out.
      await this.orders.order(context, { erasureId, targets, derived: false, by: byRetention });
    }
  }
}

function targetOf({ category, kind, thingId: id }: DueThing): ErasureTarget {
  switch (category) {
    case 'asset':
      return { kind: kind === 'uploads' ? 'upload' : 'picture', id };
    case 'job':
      return { kind: 'words', id };
    case 'product':
      return { kind: 'product', id };
    default:
      return category satisfies never;
  }
}
