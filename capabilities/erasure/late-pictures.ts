import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ErasePicture } from '#application/erasure/erase.js';
import { rendersOf } from '#application/render/render-keys.js';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import { ReadModels } from '#application/read-models.js';
import { streamName, type Environment } from '#domain/streams.js';
import { WordErasure } from '#event-store/word-erasure.js';
import { Clock } from '#platform/clock.js';
import { ObjectStorage } from '#storage/object-storage.js';

/** No worker holds a job for longer. */
const lateMs = 60 * 60_000;

/**
 * Erases what a worker has stored for a job that was erased while it drew. The event comes last: a process that dies before
 * it leaves a picture that is found again. No reader shows it meanwhile, because its job is erased.
 */
@Injectable()
export class LatePictures implements HousekeepingTask {
  constructor(
    private readonly commands: CommandBus,
    private readonly reads: ReadModels,
    private readonly storage: ObjectStorage,
    private readonly words: WordErasure,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment): Promise<void> {
    const at = this.clock();
    const since = new Date(at.getTime() - lateMs);
    const { assets, jobs } = this.reads.of(environment);
    const late = await assets.leftOfErasedJobs(since);
    for (const { assetId, storageKey, tenant } of late) {
      const commandId = `late-picture:${assetId}`;
      const context = { environment, tenant, commandId, requestId: assetId, actor: 'saga:erasures', at };
      await this.storage.erase(storageKey);
      await this.words.eraseWords([streamName(environment, 'asset', assetId)]);
      await this.commands.execute(new ErasePicture(context, assetId, { erasureId: 'late' }));
    }
    // A worker that died between a picture and its event has left bytes that no event names.
    for (const { publicId, tenant } of await jobs.cancelledAndErased(since))
      await this.storage.erase(rendersOf(environment, tenant, publicId));
  }
}
