import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { environments, type Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { requestErasure } from './erasure.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';
import { RefuseThings } from './refuse-things.js';

const dayMs = 24 * 60 * 60_000;

/** How many streams are looked for at the same time. */
const looksAtATime = 16;

/**
 * Erases again what a restored log no longer knows as erased. It runs before a process answers its first request, and
 * writes the events that make every reader refuse the things. The projector then does the rest, as for every erasure.
 */
@Injectable()
export class AfterRestore implements OnApplicationBootstrap {
  constructor(
    private readonly kept: KeptErasures,
    private readonly erasures: Erasures,
    private readonly refusals: RefuseThings,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** @throws what log and storage throw: a process that cannot compare must not answer */
  async onApplicationBootstrap(): Promise<void> {
    // Without the signing key this process writes nothing, and shows nothing of tenants.
    if (this.configuration.signingKey === undefined) return;
    for (const environment of environments) {
      const lost = await this.lost(environment);
      for (const erasureId of lost) await this.again(environment, erasureId);
      if (lost.length > 0)
        this.logger.warn(
          { environment, erasures: lost.length },
          'the log was restored from before erasures: they are done again',
        );
    }
  }

  /** The erasures that are kept outside the database, and that the log does not know. */
  async lost(environment: Environment): Promise<string[]> {
    const { backupDays } = this.configuration.erasure;
    // An older backup is gone, as the operator states.
    const from = new Date(this.clock().getTime() - (backupDays + 1) * dayMs);
    const ids = await this.kept.since(environment, from);
    const lost: string[] = [];
    for (let start = 0; start < ids.length; start += looksAtATime) {
      const some = ids.slice(start, start + looksAtATime);
      const known = await Promise.all(some.map((id) => this.erasures.isKnown(environment, id)));
      lost.push(...some.filter((_, index) => !known[index]));
    }
    return lost;
  }

  private async again(environment: Environment, erasureId: string): Promise<void> {
    const { request, ...things } = await this.kept.read(environment, erasureId);
    const { tenant, by: actor } = request;
    const at = this.clock();
    const commandId = `erasure:${erasureId}`;
    const context = { environment, tenant, commandId, requestId: erasureId, actor, at };
    await this.refusals.stop(context, things.jobs);
    await this.refusals.refuse(context, erasureId, { ...things, picturesOfJob: () => things.pictures });
    const requested = { ...context, commandId: `${commandId}:again` };
    const again = { ...request, again: true, at: at.toISOString() };
    await this.erasures.write(requested, erasureId, (state) => requestErasure(again, state));
  }
}
