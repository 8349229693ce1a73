import { Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { EngineError } from '@atelier/engine';
import type { CommandContext } from '#application/command-context.js';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import { environments } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { engineFamilies } from '#platform/engine-families.js';
import { Logger } from '#platform/logger.js';
import { withKey } from '#platform/model-keys.js';
import type { TaskOutcome } from '#render-queue/render-queue.js';
import { isErasedAtVendor } from './erased-at-vendor.js';
import { recordVendors } from './erasure.js';
import { Erasures } from './manage-erasures.handler.js';
import { receiptOf } from './receipt.js';
import { VendorErasureQueue, vendorErasureQueueProvider } from './vendor-erasure-queue.js';
import type { VendorErasureTask } from './vendor-erasure.task.js';

/** An erasure that is not completed yet is looked at again. */
const lookAgainMs = 2_000;
const deletionMs = 30_000;

/** These errors may pass. Any other one is the vendor's last word. */
const passing: ReadonlySet<string> = new Set(['capacity', 'outcome_unknown']);

/** Has vendors delete what erased jobs have sent them, at least once. It works beside the renders. */
@Injectable()
export class VendorErasures implements OnApplicationBootstrap {
  constructor(
    private readonly queue: VendorErasureQueue,
    private readonly things: ErasableThings,
    private readonly erasures: Erasures,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const options = { remote: true, concurrency: 1, tenantConcurrency: 1 };
    for (const environment of environments)
      await this.queue.work(environment, options, (task, claim) => this.ask(task, claim));
  }

  private async ask(task: VendorErasureTask, claim: AbortSignal): Promise<TaskOutcome> {
    const { environment, tenant, erasureId } = task;
    const erasure = await this.erasures.find(task, erasureId);
    if (erasure?.status === 'running') return { kind: 'retry', afterMs: lookAgainMs };
    if (!erasure || erasure.vendors) return { kind: 'done' };
    const { receipt: text, key, signature } = erasure.completed;
    const answered = { deleted: 0, refused: 0 };
    for (const jobId of receiptOf({ text, key, signature }).erased.jobs) {
      const { vendorCalls = [] } = (await this.things.job(task, jobId)) ?? {};
      for (const { model, vendorRequestId } of vendorCalls.filter(isErasedAtVendor))
        answered[await this.erase(model, vendorRequestId, claim)] += 1;
    }
    const at = this.clock();
    const commandId = `erasure:${erasureId}:vendors-answered`;
    const context: CommandContext = {
      environment,
      tenant,
      commandId,
      at,
      requestId: erasureId,
      actor: 'saga:erasures',
    };
    const data = { ...answered, at: at.toISOString() };
    await this.erasures.write(context, erasureId, (state) => recordVendors(data, state));
    return { kind: 'done' };
  }

  /** @throws EngineError that may pass: the task then comes again */
  private async erase(id: string, request: string, claim: AbortSignal): Promise<'deleted' | 'refused'> {
    const { models, currency } = this.configuration.imageModels;
    const model = models.find((each) => each.id === id);
    try {
      if (!model) throw new EngineError('misconfigured', `the image model ${id} is not declared any more`);
      const maker = await engineFamilies[model.family]?.load();
      const signal = AbortSignal.any([claim, AbortSignal.timeout(deletionMs)]);
      await maker?.erase?.(withKey(model, currency), request, signal);
      return 'deleted';
    } catch (error) {
      claim.throwIfAborted();
      const isPassing = error instanceof EngineError && passing.has(error.errorClass);
      const facts = { err: error, model: id, request };
      if (!isPassing) {
        this.logger.error(facts, 'a vendor does not delete a call of an erased job: delete it there');
        return 'refused';
      }
      this.logger.warn(facts, 'a vendor could not be asked to delete a call, and is asked again');
      throw error;
    }
  }
}

@Module({ providers: [vendorErasureQueueProvider, ErasableThings, Erasures, VendorErasures] })
export class ErasureWorkerModule {}
