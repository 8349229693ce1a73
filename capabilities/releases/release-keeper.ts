import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { EventOfType } from '#domain/events.js';
import type { Environment } from '#domain/streams.js';
import { inReaction, type PlacedEvent } from '#application/process-managers/delivered-event.js';
import type { ProcessManager } from '#application/process-managers/process-manager.js';
import { Clock } from '#platform/clock.js';
import { KnownReleases } from './known-releases.js';
import { parsePermit } from './release-uses.read-model.js';
import { releaseKeeper } from './release-keeper.follows.js';
import { ReleasesReader } from './releases.reader.js';
import { stopWaitingJob } from './stop-waiting-job.js';

/**
 * Stops what a release no longer allows: the jobs under a release that ends or is narrowed, if no worker has taken
 * them up, and a job that comes after that end. Such a job was dispatched by a process that had not heard of the end
 * yet. Stopping a job again does nothing.
 */
@Injectable()
export class ReleaseKeeper implements ProcessManager {
  constructor(
    private readonly commands: CommandBus,
    private readonly known: KnownReleases,
    private readonly reader: ReleasesReader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * The memory has all changes before a job, because each of them was an event here and was waited for.
   * @throws the store's errors; the events may then be handled again
   */
  async handle(environment: Environment, events: readonly PlacedEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type !== 'JobQueued') await this.known.whenHeard(event.position);
      else if (event.data.dataSubjects) await this.known.whenRead();
      else continue;
      await inReaction(releaseKeeper, environment, event, () => this.react(environment, event));
    }
  }

  private async react(environment: Environment, event: PlacedEvent): Promise<void> {
    const { tenant, requestId } = event.metadata;
    const stop = (jobId: string) =>
      stopWaitingJob(this.commands, { environment, tenant, requestId, at: this.clock() }, jobId);
    switch (event.type) {
      case 'JobQueued':
        if (!this.isAllowed(environment, event.data)) await stop(event.streamId);
        return;
      case 'ModelReleaseRevised':
      case 'ModelReleaseWithdrawn':
      case 'ModelReleaseExpired':
      case 'ModelReleaseErased': {
        const asked = { at: this.clock().toISOString() };
        for (const { jobId, operation } of await this.reader.waiting(
          environment,
          event.streamId,
          event.position,
        ))
          if (!this.known.covers(environment, event.streamId, { ...asked, operation })) await stop(jobId);
        return;
      }
      default:
    }
  }

  /** Whether each permit of the job still holds, and each person without one needs none. */
  private isAllowed(environment: Environment, job: EventOfType<'JobQueued'>['data']): boolean {
    const { tenant, operation, dataSubjects = [], permits = [] } = job;
    const asked = { operation, at: this.clock().toISOString() };
    return dataSubjects.every((name, index) => {
      const permit = parsePermit(permits[index] ?? null);
      if (permit) return this.known.covers(environment, permit.releaseId, asked);
      if (!this.known.rule(environment, tenant).required) return true;
      return this.known.permit(environment, tenant, name, asked) !== undefined;
    });
  }
}
