import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Environment } from '#domain/streams.js';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { ExpireRelease } from './manage-releases.js';
import { ReleasesReader } from './releases.reader.js';
import { stopWaitingJob } from './stop-waiting-job.js';

/** At most this many are handled in one round; the next round takes the rest. */
const mostTogether = 500;

/**
 * Records the end of releases whose expiry has come, and stops jobs that the release keeper has missed because the
 * read models were far behind.
 */
@Injectable()
export class ReleaseCare implements HousekeepingTask {
  constructor(
    private readonly commands: CommandBus,
    private readonly reader: ReleasesReader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment, signal: AbortSignal): Promise<void> {
    const at = this.clock();
    for (const { releaseId, tenant } of await this.reader.due(environment, at, mostTogether)) {
      if (signal.aborted) return;
      const context = { environment, tenant, requestId: newId(), actor: 'saga:release-care', at };
      await this.commands.execute(
        new ExpireRelease({ ...context, commandId: `expire:${releaseId}` }, releaseId, undefined),
      );
    }
    for (const { jobId, tenant } of await this.reader.leftBehind(environment, mostTogether)) {
      if (signal.aborted) return;
      await stopWaitingJob(this.commands, { environment, tenant, requestId: newId(), at }, jobId);
    }
  }
}
