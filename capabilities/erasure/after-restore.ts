import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { recordsOfPersons } from '#capabilities/parts.js';
import { environments, type Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { repeatClosing } from './closing/closing.js';
import { Closings } from './closing/closings.handler.js';
import { KeptClosings, type KeptClosing } from './closing/kept-closings.js';
import { requestErasure } from './erasure.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';
import { ReachedReads } from './reached-reads.js';
import { RefuseThings } from './refuse-things.js';

const patienceMs = 30_000;

/** The read models that show words and pictures of the kernel's things. */
const withWords = ['assets', 'catalog', 'jobs', 'products', 'renders', 'timeline'];

/**
 * Erases again what a restored log no longer knows as erased. It runs before a process answers its first request, and
 * writes the events that make every reader refuse the things. The projector then does the rest, as for every erasure.
 */
@Injectable()
export class AfterRestore implements OnApplicationBootstrap {
  /** The order of the last erasure that is done again. */
  private readonly againTo = new Map<Environment, bigint>();

  constructor(
    private readonly kept: KeptErasures,
    private readonly erasures: Erasures,
    private readonly refusals: RefuseThings,
    private readonly closings: Closings,
    private readonly keptClosings: KeptClosings,
    private readonly reached: ReachedReads,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** @throws what log and storage throw: a process that cannot compare must not answer */
  async onApplicationBootstrap(): Promise<void> {
    // Without the signing key this process writes nothing, and shows nothing of tenants.
    if (this.configuration.signingKey === undefined) return;
    for (const environment of environments) {
      const at = { now: this.clock(), days: this.configuration.erasure.backupDays };
      const { unknown, againTo } = await this.kept.compareWith(this.erasures, environment, at);
      if (againTo !== undefined) this.againTo.set(environment, againTo);
      let done = 0;
      for (const erasureId of unknown) if (await this.again(environment, erasureId)) done += 1;
      if (done > 0)
        this.logger.warn(
          { environment, erasures: done },
          'the log was restored from before erasures: they are done again',
        );
      for await (const [key, kept] of this.keptClosings.all(environment))
        await this.closeAgain(environment, key, kept);
    }
  }

  /**
   * Waits until the read models show all of this as erased. An API does so before it listens: until then the restored rows
   * have the words. It needs a projector.
   */
  async isShown(): Promise<void> {
    const records = [...(await recordsOfPersons()).values()].map(({ readModel }) => readModel);
    const models = [...withWords, ...records];
    for (const [environment, position] of this.againTo) {
      while (!(await this.reached.areShown(environment, models, patienceMs, position)))
        this.logger.warn(
          { environment, position: String(position) },
          'the API waits until a projector has folded the erasures that are done again; if checkpoints do not fit the log, reset them',
        );
    }
  }

  /** The projector then erases what is left of the tenant, and destroys its keys. */
  private async closeAgain(environment: Environment, key: string, kept: KeptClosing | undefined) {
    if (!kept) {
      this.logger.error(
        { key },
        'this service did not write the record of a closing in storage: it is ignored',
      );
      return;
    }
    const { tenant, by: actor } = kept.proposed;
    const { status } = await this.closings.find(environment, tenant);
    if (status === 'erasing' || status === 'closed') return;
    const at = this.clock();
    const commandId = `closing:${tenant}:again:${at.toISOString()}`;
    const context = { environment, tenant, commandId, requestId: tenant, actor, at };
    const now = { at: at.toISOString() };
    await this.closings.write(context, (state) => repeatClosing(kept, now, state));
    this.logger.warn({ environment, tenant }, 'the log was restored from before a closing: it is done again');
  }

  /** False: this service did not write the record. */
  private async again(environment: Environment, erasureId: string): Promise<boolean> {
    const kept = await this.kept.read(environment, erasureId);
    if (!kept) {
      const found = 'this service did not write the record of an erasure in storage: it is ignored';
      this.logger.error({ environment, erasureId }, found);
      return false;
    }
    const { request, ...things } = kept;
    const { tenant, by: actor } = request;
    const at = this.clock();
    const commandId = `erasure:${erasureId}`;
    const context = { environment, tenant, commandId, requestId: erasureId, actor, at };
    await this.refusals.stop(context, things.jobs);
    await this.refusals.refuse(context, erasureId, { ...things, picturesOfJob: () => things.pictures });
    const requested = { ...context, commandId: `${commandId}:again` };
    const again = { ...request, again: true, at: at.toISOString() };
    const position = await this.erasures.write(requested, erasureId, (state) => requestErasure(again, state));
    if (position !== undefined) this.againTo.set(environment, position);
    return true;
  }
}
